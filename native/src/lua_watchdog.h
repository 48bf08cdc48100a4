// Notices a script that runs for too long. Running scripts carry no count hook, which would slow every instruction: a
// thread of its own looks now and then, and when the same run has lasted longer than allowed sends a signal to the
// interpreter's thread, again at every look. The handler asks the interpreter to call the hook at its next
// instruction, and the hook takes itself away until the next signal.
//
// The state is changed by the interpreter's thread only, in the handler or outside of it. From another thread,
// lua_sethook loses against the interpreter's own changes of the same flags; and a hook that counts many instructions
// is never called when its count is set anew before slow instructions have used it up.
#pragma once

#include <pthread.h>

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
  // Called in the thread that will run `L`, where `hook` will be called.
  void Start(lua_State* L, lua_Hook hook);
  void Stop();
  // Milliseconds after which the hook is wanted; 0 for never.
  void SetThreshold(int64_t ms) { threshold_ms_.store(ms, std::memory_order_relaxed); }
  void Begin();
  // Takes the hook away.
  void End();
  // From the hook: not again before the next look.
  void Rest();
  // From the hook: at every instruction, until the end of the run.
  void Insist();
  // The hook is due and has not been called yet: for loops that run no instruction of Lua.
  bool Due() const { return armed_.load(std::memory_order_relaxed); }

 private:
  static void OnSignal(int);
  void Arm();
  void Disarm();
  void Loop();

  lua_State* state_ = nullptr;
  lua_Hook hook_ = nullptr;
  pthread_t interpreter_ = {};
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  // Odd while a script runs.
  std::atomic<uint64_t> run_{0};
  // The run that the signal is meant for: it may be delivered when that one is over.
  std::atomic<uint64_t> overdue_{0};
  std::atomic<int64_t> threshold_ms_{0};
  std::atomic<bool> asleep_{false};
  std::atomic<bool> armed_{false};
  // The interpreter's thread changes its hook itself: the handler must keep off.
  std::atomic<bool> changing_{false};
  bool stopping_ = false;
};

}  // namespace millrace
