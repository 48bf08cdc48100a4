// How long the event loop keeps others waiting: everything that a command, a checkpoint's slice or the garbage
// collector takes in one go is a delay for whoever is ready. For INFO. Used by: server.ts.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { IntervalHistogram } from 'node:perf_hooks'

/** The loop is looked at so often; shorter delays are seen in part only. */
const RESOLUTION_MS = 5
const NS_PER_US = 1000

export class LoopDelay {
  readonly #histogram: IntervalHistogram

  constructor(histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })) {
    this.#histogram = histogram
  }

  start(): void {
    this.#histogram.enable()
  }

  stop(): void {
    this.#histogram.disable()
  }

  reset(): void {
    this.#histogram.reset()
  }

  /** Microseconds beyond the time it should have taken, since the start or the last reset. */
  percentileUs(percent: number): number {
    return this.#beyond(this.#histogram.percentile(percent))
  }

  get maxUs(): number {
    // Before the first look it has no sensible value.
    return this.#histogram.count === 0 ? 0 : this.#beyond(this.#histogram.max)
  }

  #beyond(ns: number): number {
    return Math.max(0, Math.round(ns / NS_PER_US) - RESOLUTION_MS * 1000)
  }
}
