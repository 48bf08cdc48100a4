#include "lua_watchdog.h"

#include <algorithm>
#include <chrono>

namespace millrace {
namespace {

constexpr int64_t kLookMsMin = 5;
constexpr int64_t kLookMsMax = 250;
// Looks without any script after which the thread sleeps until one begins.
constexpr int kIdleLooksMax = 20;
// Instructions between two calls of the hook once it is wanted.
constexpr int kHookInstructions = 10000;

}  // namespace

void Watchdog::Start(lua_State* L, lua_Hook hook) {
  state_ = L;
  hook_ = hook;
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
  run_.fetch_add(1);
  if (asleep_.load()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    asleep_.store(false);
    wake_.notify_one();
  }
}

void Watchdog::End() {
  run_.fetch_add(1);
  // The thread sets hook and flag under the mutex and only while the run is odd, so nothing is set after this.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!fired_) return;
  fired_ = false;
  lua_sethook(state_, nullptr, 0, 0);
}

void Watchdog::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  uint64_t seen = 0;
  int idle = 0;
  auto since = std::chrono::steady_clock::now();
  while (!stopping_) {
    const int64_t threshold = threshold_ms_.load();
    const uint64_t run = run_.load();
    const auto now = std::chrono::steady_clock::now();
    if (run != seen) {
      seen = run;
      since = now;
      idle = 0;
    } else if (run % 2 == 0) {
      idle++;
    } else if (threshold > 0 && now - since >= std::chrono::milliseconds(threshold)) {
      // Again at each look: the interpreter's own change of its flags may have swallowed the last one.
      fired_ = true;
      lua_sethook(state_, hook_, LUA_MASKCOUNT, kHookInstructions);
    }
    if (idle >= kIdleLooksMax) {
      asleep_.store(true);
      // A script may have begun between the two reads: it would not have seen that we sleep.
      if (run_.load() == seen) wake_.wait(lock, [this] { return stopping_ || !asleep_.load(); });
      asleep_.store(false);
      idle = 0;
      continue;
    }
    const int64_t look = std::min(std::max(threshold / 4, kLookMsMin), kLookMsMax);
    wake_.wait_for(lock, std::chrono::milliseconds(threshold == 0 ? kLookMsMax : look));
  }
}

}  // namespace millrace
