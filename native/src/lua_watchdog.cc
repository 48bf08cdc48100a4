#include "lua_watchdog.h"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace millrace {
namespace {

// Ignored by default, used by nobody here, and no signal of Node, V8 or libuv.
constexpr int kSignal = SIGURG;
constexpr int64_t kLookMsMin = 5;
constexpr int64_t kLookMsMax = 250;
// Looks without any script after which the thread sleeps until one begins.
constexpr int kIdleLooksMax = 20;

// The one whose script this thread runs. Begin() touches it before a signal can be sent, so the handler finds it made.
thread_local Watchdog* running = nullptr;

}  // namespace

void Watchdog::Start(lua_State* L, lua_Hook hook) {
  state_ = L;
  hook_ = hook;
  interpreter_ = pthread_self();
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, nullptr);
  thread_ = std::thread([this] { Loop(); });
}

void Watchdog::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::Begin() {
  running = this;
  run_.fetch_add(1);
  if (asleep_.load()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    asleep_.store(false);
    wake_.notify_one();
  }
}

void Watchdog::End() {
  // From here on the handler finds another run than the one it is meant for.
  run_.fetch_add(1);
  if (armed_.load()) Disarm();
  running = nullptr;
}

void Watchdog::Rest() { Disarm(); }

void Watchdog::Insist() {
  changing_.store(true);
  Arm();
  changing_.store(false);
}

void Watchdog::Arm() {
  armed_.store(true);
  // Off first: LuaJIT leaves its table of instructions alone when it believes that nothing changes.
  lua_sethook(state_, nullptr, 0, 0);
  lua_sethook(state_, hook_, LUA_MASKCOUNT, 1);
}

void Watchdog::Disarm() {
  changing_.store(true);
  lua_sethook(state_, nullptr, 0, 0);
  armed_.store(false);
  changing_.store(false);
}

void Watchdog::OnSignal(int) {
  Watchdog* dog = running;
  // A signal that comes at the wrong moment is lost: the next look sends another one.
  if (dog == nullptr || dog->changing_.load() || dog->overdue_.load() != dog->run_.load()) return;
  dog->Arm();
}

void Watchdog::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  uint64_t seen = 0;
  int idle = 0;
  auto since = std::chrono::steady_clock::now();
  while (!stopping_) {
    const uint64_t run = run_.load();
    const int64_t threshold = threshold_ms_.load(std::memory_order_relaxed);
    const auto now = std::chrono::steady_clock::now();
    int64_t look = threshold == 0 ? kLookMsMax : std::min(std::max(threshold / 4, kLookMsMin), kLookMsMax);
    if (run != seen) {
      seen = run;
      since = now;
      idle = 0;
    } else if (run % 2 == 0) {
      idle++;
    } else if (threshold > 0 && now - since >= std::chrono::milliseconds(threshold)) {
      look = kLookMsMin;
      overdue_.store(run);
      pthread_kill(interpreter_, kSignal);
    }
    if (idle >= kIdleLooksMax) {
      asleep_.store(true);
      // A script may have begun between the two reads: it would not have seen that we sleep.
      if (run_.load() == seen) wake_.wait(lock, [this] { return stopping_ || !asleep_.load(); });
      asleep_.store(false);
      idle = 0;
      continue;
    }
    wake_.wait_for(lock, std::chrono::milliseconds(look));
  }
}

}  // namespace millrace
