// Removes expired keys nobody asks for, and works off what FLUSHALL left behind, in slices bounded by time, `hz` times
// a second. When more is waiting than a slice could do, the next one comes sooner and takes a larger share.

import type { Clock } from '../base/clock.js'
import type { Keyspace } from '../types/keyspace.js'

export interface ExpireCycleHost {
  readonly clock: Clock
  /** The present one: a reload brings another. */
  keyspace(): Keyspace
  /** Runs a slice between commands, its effects in one record. */
  background(work: () => void): void
  /** False while nothing may expire: loading, paused writes, a journal that cannot be written, DEBUG. */
  mayExpire(): boolean
  /** Notes how long a slice took. */
  took(ms: number): void
}

/** Keys or objects between two looks at the clock. */
const BATCH = 32
const SLICE_US_MIN = 1_000
/** Longest slice: a part of the pause that commands may see. */
const SLICE_US_MAX = 10_000
/** Rest between slices while more is waiting. */
const HURRY_MS = 20

export class ExpireCycle {
  /** hz. */
  roundsPerSecond = 10
  /** active-expire-effort, 1 to 10. */
  effort = 1
  readonly #host: ExpireCycleHost
  #timer: NodeJS.Timeout | undefined
  /** Grows while work is left over, shrinks when not. */
  #sliceUs = SLICE_US_MIN
  #nextDatabase = 0

  constructor(host: ExpireCycleHost) {
    this.#host = host
  }

  start(): void {
    this.#schedule(1000 / this.roundsPerSecond)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** One slice. Says whether more is waiting. */
  run(): boolean {
    const { clock } = this.#host
    const keyspace = this.#host.keyspace()
    const startUs = clock.monotonicUs()
    const untilUs = startUs + Math.min(this.#sliceUs * this.effort, SLICE_US_MAX)
    let more = false
    this.#host.background(() => {
      if (this.#host.mayExpire()) more = this.#expire(untilUs)
      while (keyspace.lazyFreePending > 0) {
        if (!keyspace.lazyFreeSome(BATCH)) break
        if (clock.monotonicUs() < untilUs) continue
        more = true
        break
      }
    })
    this.#sliceUs = more ? Math.min(this.#sliceUs * 2, SLICE_US_MAX) : SLICE_US_MIN
    this.#host.took((clock.monotonicUs() - startUs) / 1000)
    return more
  }

  /** Goes round the databases, so that a busy one does not starve the others. */
  #expire(untilUs: number): boolean {
    const { clock } = this.#host
    const { databases } = this.#host.keyspace()
    for (let looked = 0; looked < databases.length; looked++) {
      const db = databases[this.#nextDatabase % databases.length]
      // Also when the time is up inside it: the next slice begins with another.
      this.#nextDatabase = (this.#nextDatabase + 1) % databases.length
      if (db.expiringCount > 0) {
        while (db.expireSome(BATCH).more) if (clock.monotonicUs() >= untilUs) return true
      }
      if (db.expiringFieldsCount > 0) {
        while (db.expireFieldsSome(BATCH)) if (clock.monotonicUs() >= untilUs) return true
      }
    }
    return false
  }

  #schedule(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const more = this.run()
      this.#schedule(more ? HURRY_MS : 1000 / this.roundsPerSecond)
    }, delayMs)
    this.#timer.unref()
  }
}
