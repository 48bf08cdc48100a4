// Notices a script that runs for too long. Running scripts carry no count hook, which would slow every instruction:
// a thread of its own looks now and then, and only when the same run has lasted longer than allowed asks the
// interpreter to call the hook. LuaJIT allows lua_sethook to be called while the state runs, as from a signal handler.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include <lua.hpp>

namespace millrace {

class Watchdog {
 public:
  ~Watchdog() { Stop(); }
  // Starts the thread. `hook` is called by the interpreter of `L`, in the thread that runs it.
  void Start(lua_State* L, lua_Hook hook);
  void Stop();
  // Milliseconds after which the hook is wanted; 0 for never.
  void SetThreshold(int64_t ms) { threshold_ms_.store(ms, std::memory_order_relaxed); }
  int64_t ThresholdMs() const { return threshold_ms_.load(std::memory_order_relaxed); }
  void Begin();
  // Takes the hook away again.
  void End();
 private:
  void Loop();

  lua_State* state_ = nullptr;
  lua_Hook hook_ = nullptr;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // Odd while a script runs.
  std::atomic<uint64_t> run_{0};
  std::atomic<int64_t> threshold_ms_{0};
  std::atomic<bool> asleep_{false};
  bool stopping_ = false;
  bool fired_ = false;
};

}  // namespace millrace
