#include "peer_exchange.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace millrace {
namespace {

constexpr size_t kReadBytes = 64 * 1024;

int64_t NowMs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// Waits until the socket is ready for `events`, or broken: then the next call says so. False when it takes too long.
bool Ready(int fd, short events, int timeout_ms) {
  const int64_t until = NowMs() + timeout_ms;
  for (;;) {
    const int64_t left = until - NowMs();
    pollfd one = {fd, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(left > 0 ? left : 0));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// A socket that connects, or -1.
int Connecting(const addrinfo& address) {
  const int fd = socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS) return fd;
  close(fd);
  return -1;
}

int Dial(const std::string& host, int port, int timeout_ms) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  int fd = -1;
  for (const addrinfo* one = found; one != nullptr && fd < 0; one = one->ai_next) fd = Connecting(*one);
  freeaddrinfo(found);
  if (fd < 0 || Ready(fd, POLLOUT, timeout_ms)) return fd;
  close(fd);
  return -1;
}

bool SendAll(int fd, const uint8_t* bytes, size_t length, int timeout_ms) {
  size_t sent = 0;
  while (sent < length) {
    const ssize_t some = send(fd, bytes + sent, length - sent, MSG_NOSIGNAL);
    if (some > 0) {
      sent += static_cast<size_t>(some);
    } else if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!Ready(fd, POLLOUT, timeout_ms)) return false;
    } else if (some == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool ReadLines(int fd, size_t lines, std::string* reply, int timeout_ms) {
  char bytes[kReadBytes];
  while (lines > 0) {
    const ssize_t some = recv(fd, bytes, sizeof(bytes), 0);
    if (some > 0) {
      reply->append(bytes, static_cast<size_t>(some));
      const auto ended = static_cast<size_t>(std::count(bytes, bytes + some, '\n'));
      lines -= std::min(ended, lines);
    } else if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!Ready(fd, POLLIN, timeout_ms)) return false;
    } else if (some == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

ExchangeStage Exchange(const std::string& host, int port, int timeout_ms, const uint8_t* request, size_t length,
                       size_t lines, std::string* reply) {
  const int fd = Dial(host, port, timeout_ms);
  if (fd < 0) return ExchangeStage::kConnecting;
  ExchangeStage stage = ExchangeStage::kWriting;
  if (SendAll(fd, request, length, timeout_ms)) {
    stage = ReadLines(fd, lines, reply, timeout_ms) ? ExchangeStage::kDone : ExchangeStage::kReading;
  }
  close(fd);
  return stage;
}

}  // namespace millrace
