// Brings the data back at a start while clients are answered already: in slices between the turns of the event loop, so
// that -LOADING, INFO and SHUTDOWN do not wait. Knows how far it is: for INFO and the log. Used by: server.ts.
//
// Invariant: the steps are given up between two of them only, never in the middle of a record.

import type { Clock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import type { Log } from '../base/log.js'

/** What is done between two turns of the event loop. */
const SLICE_US = 10_000
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 8
const REPORT_US = 1_000_000

/** How much there is to read. */
export interface LoadSizes {
  readonly directoryRows: number
  readonly directoryBytes: number
  readonly journalBytes: number
}

export class Loading {
  /** Unix ms. */
  readonly #startedAtMs: number
  readonly #startedUs: number
  readonly #clock: Clock
  readonly #log: Log
  readonly #sizes: LoadSizes
  #loadedBytes = 0
  #keys = 0
  #reportedUs: number
  #cancelled = false

  constructor(sizes: LoadSizes, clock: Clock, log: Log) {
    this.#sizes = sizes
    this.#clock = clock
    this.#log = log
    this.#startedAtMs = clock.nowMs()
    this.#startedUs = clock.monotonicUs()
    this.#reportedUs = this.#startedUs
  }

  get totalBytes(): number {
    return this.#sizes.directoryBytes + this.#sizes.journalBytes
  }

  get loadedBytes(): number {
    return this.#loadedBytes
  }

  /** 0 to 100. */
  get percent(): number {
    return this.totalBytes === 0 ? 100 : (this.#loadedBytes / this.totalBytes) * 100
  }

  /** So many keys of the directory were read. */
  keysLoaded(keys: number): void {
    const { directoryRows, directoryBytes } = this.#sizes
    this.#keys = keys
    this.#loadedBytes = directoryRows === 0 ? 0 : Math.min(keys / directoryRows, 1) * directoryBytes
  }

  /** The whole directory, and so many bytes of the journal. */
  journalRead(bytes: number): void {
    this.#loadedBytes = this.#sizes.directoryBytes + Math.min(bytes, this.#sizes.journalBytes)
  }

  /** Nothing more is loaded: run() rejects before the next step. */
  cancel(): void {
    this.#cancelled = true
  }

  /** Runs all steps, others in between. Rejects with what a step throws, and with UsageError after cancel(). */
  run(steps: Iterator<unknown>): Promise<void> {
    return new Promise((resolve, reject) => {
      const slice = (): void => {
        try {
          if (this.#cancelled) throw new UsageError('the server was told to end while it was loading')
          if (this.#slice(steps)) return resolve()
        } catch (error) {
          steps.return?.()
          return reject(error as Error)
        }
        setImmediate(slice)
      }
      slice()
    })
  }

  /** True when there is nothing left. */
  #slice(steps: Iterator<unknown>): boolean {
    const untilUs = this.#clock.monotonicUs() + SLICE_US
    for (let step = 1; ; step++) {
      if (steps.next().done === true) return true
      if (step % STEPS_PER_LOOK !== 0) continue
      const nowUs = this.#clock.monotonicUs()
      this.#report(nowUs)
      if (nowUs >= untilUs) return false
    }
  }

  #report(nowUs: number): void {
    if (nowUs - this.#reportedUs < REPORT_US) return
    this.#reportedUs = nowUs
    const seconds = ((nowUs - this.#startedUs) / 1e6).toFixed(1)
    this.#log.notice(`Loading: ${this.percent.toFixed(1)}% after ${seconds} s, ${this.#keys} keys in the directory`)
  }

  /** Redis' fields of INFO persistence while it loads. */
  infoFields(): Record<string, string | number> {
    const elapsedS = (this.#clock.monotonicUs() - this.#startedUs) / 1e6
    const left = this.totalBytes - this.#loadedBytes
    return {
      loading_start_time: Math.floor(this.#startedAtMs / 1000),
      loading_total_bytes: Math.round(this.totalBytes),
      loading_rdb_used_mem: 0,
      loading_loaded_bytes: Math.round(this.#loadedBytes),
      loading_loaded_perc: this.percent.toFixed(2),
      loading_eta_seconds: this.#loadedBytes === 0 ? 1 : Math.round((elapsedS / this.#loadedBytes) * left),
    }
  }
}
