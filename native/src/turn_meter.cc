#include "turn_meter.h"

#include <time.h>

#include <algorithm>

namespace millrace {
namespace {

// Asking for a thread's time is a call of the system: turns may be shorter than it.
constexpr uint64_t kLookNs = 1'000'000;
constexpr uint64_t kNsMax = 1'000'000'000;
constexpr uint64_t kSteps = 128;

// Nanoseconds of processor time that the calling thread has used.
uint64_t Used() {
  timespec used = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

}  // namespace

size_t TurnMeter::CounterOf(uint64_t ns) {
  const uint64_t value = std::clamp<uint64_t>(ns, 1, kNsMax);
  if (value < 2 * kSteps) return static_cast<size_t>(value);
  const int shift = 63 - __builtin_clzll(value) - 7;
  return static_cast<size_t>(static_cast<uint64_t>(shift + 1) * kSteps + ((value >> shift) - kSteps));
}

int TurnMeter::Start(uv_loop_t* loop) {
  const int status = uv_prepare_init(loop, &prepare_);
  if (status != 0) return status;
  prepare_.data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(&prepare_));
  seen_ = uv_hrtime();
  used_ = Used();
  return uv_prepare_start(&prepare_, OnPrepare);
}

void TurnMeter::Stop() {
  uv_prepare_stop(&prepare_);
  uv_close(reinterpret_cast<uv_handle_t*>(&prepare_),
           [](uv_handle_t* handle) { delete static_cast<TurnMeter*>(handle->data); });
}

void TurnMeter::OnPrepare(uv_prepare_t* prepare) { static_cast<TurnMeter*>(prepare->data)->Look(); }

void TurnMeter::Look() {
  const uint64_t now = uv_hrtime();
  if (now - seen_ < kLookNs) return;
  seen_ = now;
  const uint64_t used = Used();
  const size_t counter = CounterOf(used - used_);
  if (counter < counters_) counts_[counter]++;
  used_ = used;
}

}  // namespace millrace
