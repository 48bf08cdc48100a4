// Tells LATENCY of the pauses that V8's garbage collector makes, as event `gc`. Used by: memory-control.

import { PerformanceObserver } from 'node:perf_hooks'

export class GcWatch {
  readonly #took: (ms: number) => void
  #observer: PerformanceObserver | undefined

  /** @param took hears of each collection, soon after it */
  constructor(took: (ms: number) => void) {
    this.#took = took
  }

  /** Off unless somebody asked for samples: V8 tells every collection to whoever observes. */
  set on(on: boolean) {
    if (on === (this.#observer !== undefined)) return
    this.#observer?.disconnect()
    this.#observer = undefined
    if (!on) return
    this.#observer = new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) this.#took(duration)
    })
    this.#observer.observe({ entryTypes: ['gc'] })
  }
}
