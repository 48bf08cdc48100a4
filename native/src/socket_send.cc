#include "socket_send.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace millrace {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int kFlags = MSG_DONTWAIT | MSG_NOSIGNAL;
#else
constexpr int kFlags = MSG_DONTWAIT;  // Node ignores SIGPIPE
#endif

}  // namespace

int64_t SendPieces(int fd, iovec* pieces, size_t count) {
  if (count == 1) {
    for (;;) {
      const ssize_t sent = send(fd, pieces->iov_base, pieces->iov_len, kFlags);
      if (sent >= 0) return sent;
      if (errno != EINTR) return -errno;
    }
  }
  msghdr message = {};
  message.msg_iov = pieces;
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = sendmsg(fd, &message, kFlags);
    if (sent >= 0) return sent;
    if (errno != EINTR) return -errno;
  }
}

}  // namespace millrace
