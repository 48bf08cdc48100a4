// What arrived at sockets, without waiting and without the event loop: for the time a script runs on and on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace {

// Bytes received, 0 at the end of the stream, or -errno (-EAGAIN: nothing is there).
int64_t ReceiveNow(int fd, uint8_t* bytes, size_t length);

// The descriptor of a new connection, closed on exec and not blocking, or -errno (-EAGAIN: nobody waits).
int64_t AcceptNow(int fd);

}  // namespace millrace
