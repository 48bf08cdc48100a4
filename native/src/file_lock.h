// Exclusive lock on a file, held by its descriptor: the kernel lets go of it when the process ends, however it ends.
#pragma once

namespace millrace {

// 0, or -errno; -EWOULDBLOCK when another descriptor (of this process or another) holds it.
int LockFile(int fd);

}  // namespace millrace
