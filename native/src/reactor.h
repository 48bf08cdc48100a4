// The sockets of all clients on Node's own event loop, without Node's streams: what arrives in one turn of the loop is
// received into one buffer and told in one call, after all sockets were looked at.
//
// Life of a socket: Add, any number of Watch, Close; its slot is used again only in a later turn, so that what was
// received before its end cannot be taken for its successor's.

#pragma once

#include <uv.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace millrace {

// What happened at a socket. Layout shared with src/native/reactor.ts.
struct ReactorEvent {
  int32_t slot;
  // Bytes received; 0 at the end of the stream; -errno; kWritable.
  int32_t result;
  // Where the bytes lie in the buffer.
  int32_t offset;
};

constexpr int32_t kWritable = INT32_MIN;
constexpr int kWatchRead = 1;
constexpr int kWatchWrite = 2;

class Reactor {
 public:
  // Called once a turn with the number of events; must not throw.
  using Turn = void (*)(void* context, size_t events);

  // `input` and `events` stay the caller's and must outlive the reactor.
  Reactor(uint8_t* input, size_t input_bytes, ReactorEvent* events, size_t events_max, Turn turn, void* context);
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // 0, or -errno.
  int Start(uv_loop_t* loop);
  // Takes over a connected socket; returns its slot, or -errno, and then the descriptor is closed.
  int Add(int fd);
  // What to look for from now on: kWatchRead, kWatchWrite, both, or 0.
  void Watch(size_t slot, int watched);
  // Closes the descriptor.
  void Close(size_t slot);
  // The loop forgets the reactor, which deletes itself when the loop has let go of it. No sockets are left.
  void Stop();

 private:
  struct Socket {
    uv_poll_t poll;
    Reactor* reactor;
    int fd;
    int slot;
    int watched;
    // Readable, and not heard yet: it is in queue_.
    bool queued;
  };

  static void OnReady(uv_poll_t* poll, int status, int ready);
  static void OnCheck(uv_check_t* check);
  void Receive(Socket* socket);
  void ReceiveQueued();
  void Report(const Socket* socket, int32_t result, size_t offset);
  void Apply(Socket* socket);

  uint8_t* const input_;
  const size_t input_bytes_;
  ReactorEvent* const events_;
  const size_t events_max_;
  const Turn turn_;
  void* const context_;
  uv_loop_t* loop_ = nullptr;
  uv_check_t check_ = {};
  size_t used_ = 0;
  size_t count_ = 0;
  // Slots of readable sockets, those first that found no room in the turn before.
  std::deque<int> queue_;
  std::vector<Socket*> sockets_;
  std::vector<int> free_slots_;
};

}  // namespace millrace
