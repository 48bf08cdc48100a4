// How long the event loop keeps others waiting: everything that a command, a checkpoint's slice or the garbage
// collector takes in one go is a delay for whoever is ready. For INFO. Used by: server.ts.
//
// Measured twice: what a timer sees, whoever is to blame, and what the turns of the loop take of the processor, which
// other processes of a busy machine do not disturb.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { IntervalHistogram } from 'node:perf_hooks'
import { TurnMeter } from '../native/turn-meter.js'
import { COUNTERS, LatencyHistogram } from './latency-histogram.js'

/** The loop is looked at so often; shorter delays are seen in part only. */
const RESOLUTION_MS = 5
const NS_PER_US = 1000

export class LoopDelay {
  readonly #histogram: IntervalHistogram
  readonly #meter = new TurnMeter(COUNTERS)
  #metered = false

  constructor(histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })) {
    this.#histogram = histogram
  }

  start(): void {
    this.#histogram.enable()
    this.#metered = this.#meter.start()
  }

  stop(): void {
    this.#histogram.disable()
    this.#meter.stop()
  }

  reset(): void {
    this.#histogram.reset()
    this.#meter.counts.fill(0)
  }

  /** Microseconds beyond the time it should have taken, since the start or the last reset. */
  percentileUs(percent: number): number {
    return this.#beyond(this.#histogram.percentile(percent))
  }

  get maxUs(): number {
    // Before the first look it has no sensible value.
    return this.#histogram.count === 0 ? 0 : this.#beyond(this.#histogram.max)
  }

  /**
   * Microseconds of processor time that the turns of the loop took, those within a millisecond together; 100 gives
   * the longest, of one second at most. Undefined where it is not measured.
   */
  busyUs(percents: readonly number[]): number[] | undefined {
    if (!this.#metered) return undefined
    const histogram = LatencyHistogram.of(this.#meter.counts)
    return percents.map(percent => Math.round(histogram.percentile(percent) ?? 0))
  }

  #beyond(ns: number): number {
    return Math.max(0, Math.round(ns / NS_PER_US) - RESOLUTION_MS * 1000)
  }
}
