// Sends bytes to a socket at once, past Node's streams.
#pragma once

#include <cstddef>
#include <cstdint>

struct iovec;

namespace millrace {

// Sends as much of the pieces, in order, as the kernel takes without waiting: the number of bytes, or -errno.
int64_t SendPieces(int fd, iovec* pieces, size_t count);

}  // namespace millrace
