// What the turns of an event loop take of the processor: how long they would keep others waiting if nobody else wanted
// it. Other processes of a busy machine do not disturb the figure; what the thread waits for without working, such as a
// device, is not in it.
//
// Looks at most once a millisecond, before the loop sleeps; short turns between two looks count as one.
#pragma once

#include <uv.h>

#include <cstddef>
#include <cstdint>

namespace millrace {

class TurnMeter {
 public:
  // counts: of looks by nanoseconds of processor time, in the layout of src/exec/latency-histogram.ts.
  TurnMeter(uint32_t* counts, size_t counters) : counts_(counts), counters_(counters) {}

  // 0, or -errno. Begins on the loop's own thread, which is the one that is measured.
  int Start(uv_loop_t* loop);
  // Deletes itself once the loop has let go of it.
  void Stop();

  // The counter of a time.
  static size_t CounterOf(uint64_t ns);

 private:
  static void OnPrepare(uv_prepare_t* prepare);
  void Look();

  uint32_t* counts_;
  size_t counters_;
  uv_prepare_t prepare_ = {};
  uint64_t seen_ = 0;
  uint64_t used_ = 0;
};

}  // namespace millrace
