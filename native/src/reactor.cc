#include "reactor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace millrace {
namespace {

// What one socket may bring in a turn, so that one that sends without end leaves room for the others.
constexpr size_t kReceiveBytesMax = 64 * 1024;
// With less room than this a socket waits for the next turn: many tiny receives cost more.
constexpr size_t kReceiveBytesMin = 16 * 1024;

}  // namespace

Reactor::Reactor(uint8_t* input, size_t input_bytes, ReactorEvent* events, size_t events_max, Turn turn, void* context)
    : input_(input),
      input_bytes_(input_bytes),
      events_(events),
      events_max_(events_max),
      turn_(turn),
      context_(context) {}

int Reactor::Start(uv_loop_t* loop) {
  loop_ = loop;
  const int status = uv_check_init(loop, &check_);
  if (status != 0) return status;
  check_.data = this;
  // Only sockets keep the process alive.
  uv_unref(reinterpret_cast<uv_handle_t*>(&check_));
  return uv_check_start(&check_, OnCheck);
}

int Reactor::Add(int fd) {
  auto* socket = new Socket{};
  const int status = uv_poll_init_socket(loop_, &socket->poll, fd);
  if (status != 0) {
    delete socket;
    close(fd);
    return status;
  }
  if (free_slots_.empty()) {
    socket->slot = static_cast<int>(sockets_.size());
    sockets_.push_back(socket);
  } else {
    socket->slot = free_slots_.back();
    free_slots_.pop_back();
    sockets_[static_cast<size_t>(socket->slot)] = socket;
  }
  socket->poll.data = socket;
  socket->reactor = this;
  socket->fd = fd;
  return socket->slot;
}

void Reactor::Watch(size_t slot, int watched) {
  Socket* socket = slot < sockets_.size() ? sockets_[slot] : nullptr;
  if (socket == nullptr || socket->watched == watched) return;
  socket->watched = watched;
  Apply(socket);
}

void Reactor::Apply(Socket* socket) {
  const int wanted = ((socket->watched & kWatchRead) != 0 ? UV_READABLE : 0) |
                     ((socket->watched & kWatchWrite) != 0 ? UV_WRITABLE : 0);
  if (wanted == 0) {
    uv_poll_stop(&socket->poll);
  } else {
    uv_poll_start(&socket->poll, wanted, OnReady);
  }
}

void Reactor::Close(size_t slot) {
  Socket* socket = slot < sockets_.size() ? sockets_[slot] : nullptr;
  if (socket == nullptr) return;
  sockets_[slot] = nullptr;
  uv_poll_stop(&socket->poll);
  close(socket->fd);
  uv_close(reinterpret_cast<uv_handle_t*>(&socket->poll), [](uv_handle_t* handle) {
    auto* closed = static_cast<Socket*>(handle->data);
    closed->reactor->free_slots_.push_back(closed->slot);
    delete closed;
  });
}

void Reactor::Stop() {
  uv_check_stop(&check_);
  // Closed after the sockets, whose callbacks still name the reactor: libuv calls them in the order of closing, last
  // first, within one turn; so the reactor goes in the turn after.
  uv_close(reinterpret_cast<uv_handle_t*>(&check_), [](uv_handle_t* handle) {
    auto* last = new uv_check_t;
    last->data = handle->data;
    uv_check_init(handle->loop, last);
    uv_close(reinterpret_cast<uv_handle_t*>(last), [](uv_handle_t* after) {
      delete static_cast<Reactor*>(after->data);
      delete reinterpret_cast<uv_check_t*>(after);
    });
  });
}

void Reactor::OnReady(uv_poll_t* poll, int status, int ready) {
  auto* socket = static_cast<Socket*>(poll->data);
  Reactor* reactor = socket->reactor;
  if (reactor->count_ + 2 > reactor->events_max_) return;  // still ready in the next turn
  if (status != 0) {
    // The loop has stopped looking by itself.
    socket->watched = 0;
    int reason = 0;
    socklen_t length = sizeof(reason);
    getsockopt(socket->fd, SOL_SOCKET, SO_ERROR, &reason, &length);
    reactor->Report(socket, reason > 0 ? -reason : -ECONNRESET, 0);
    return;
  }
  if ((ready & UV_WRITABLE) != 0) reactor->Report(socket, kWritable, 0);
  if ((ready & UV_READABLE) == 0) return;
  // The loop names busy sockets in the same order each time: whoever found no room must not queue behind the others.
  if (socket->queued) return;
  socket->queued = true;
  reactor->queue_.push_back(socket->slot);
}

void Reactor::ReceiveQueued() {
  while (!queue_.empty() && input_bytes_ - used_ >= kReceiveBytesMin && count_ < events_max_) {
    Socket* socket = sockets_[static_cast<size_t>(queue_.front())];
    queue_.pop_front();
    if (socket == nullptr) continue;
    socket->queued = false;
    if ((socket->watched & kWatchRead) != 0) Receive(socket);
  }
}

void Reactor::Receive(Socket* socket) {
  const size_t room = input_bytes_ - used_;
  ssize_t received;
  do {
    received = recv(socket->fd, input_ + used_, std::min(room, kReceiveBytesMax), MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received > 0) {
    Report(socket, static_cast<int32_t>(received), used_);
    used_ += static_cast<size_t>(received);
    return;
  }
  if (received < 0 && errno == EAGAIN) return;
  Report(socket, received == 0 ? 0 : -errno, 0);
  // An end stays readable for ever.
  socket->watched &= ~kWatchRead;
  Apply(socket);
}

void Reactor::Report(const Socket* socket, int32_t result, size_t offset) {
  events_[count_++] = ReactorEvent{socket->slot, result, static_cast<int32_t>(offset)};
}

void Reactor::OnCheck(uv_check_t* check) {
  auto* reactor = static_cast<Reactor*>(check->data);
  reactor->ReceiveQueued();
  const size_t count = reactor->count_;
  if (count == 0) return;
  reactor->turn_(reactor->context_, count);
  reactor->count_ = 0;
  reactor->used_ = 0;
}

}  // namespace millrace
