#include "socket_now.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace millrace {

int64_t ReceiveNow(int fd, uint8_t* bytes, size_t length) {
  for (;;) {
    const ssize_t received = recv(fd, bytes, length, MSG_DONTWAIT);
    if (received >= 0) return received;
    if (errno != EINTR) return -errno;
  }
}

int64_t AcceptNow(int fd) {
  for (;;) {
#ifdef __linux__
    const int accepted = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0) return accepted;
#else
    const int accepted = accept(fd, nullptr, nullptr);
    if (accepted >= 0) {
      fcntl(accepted, F_SETFD, FD_CLOEXEC);
      fcntl(accepted, F_SETFL, O_NONBLOCK);
      return accepted;
    }
#endif
    if (errno != EINTR) return -errno;
  }
}

}  // namespace millrace
