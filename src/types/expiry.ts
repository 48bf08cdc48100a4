// Which keys expire when: a binary heap of the keys of one slot that have an expiry, soonest first. Memory only for
// those. Used by: database. Invariant: heap[i].index === i, and no deadline lies before its parent's.

import type { KeyEntry } from './key-entry.js'

/** Deadlines looked at for the mean time to live: an estimate is enough, as in Redis. */
const MEAN_SAMPLES_MAX = 128

/** The expiry of one key. */
export class Deadline {
  index = -1
  constructor(
    readonly entry: KeyEntry,
    /** Unix ms; may lie in the past. */
    public atMs: number,
  ) {}
}

export class ExpiryHeap {
  readonly #heap: Deadline[] = []

  get size(): number {
    return this.#heap.length
  }

  /** One of them, in no order; undefined beyond the last. */
  at(index: number): Deadline | undefined {
    return this.#heap[index]
  }

  soonest(): Deadline | undefined {
    return this.#heap[0]
  }

  add(deadline: Deadline): void {
    this.#heap.push(deadline)
    this.#up(this.#heap.length - 1, deadline)
  }

  remove(deadline: Deadline): void {
    const at = deadline.index
    deadline.index = -1
    const last = this.#heap.pop()
    if (last === undefined || last === deadline) return
    this.#place(at, last)
  }

  /** Gives `deadline` another time. */
  move(deadline: Deadline, atMs: number): void {
    deadline.atMs = atMs
    this.#place(deadline.index, deadline)
  }

  /** Mean ms from `nowMs` to the deadlines, by a sample; past ones count as 0. 0 when there are none. */
  meanTtlMs(nowMs: number): number {
    const length = this.#heap.length
    if (length === 0) return 0
    const step = Math.ceil(length / MEAN_SAMPLES_MAX)
    let sum = 0
    let samples = 0
    for (let i = 0; i < length; i += step) {
      sum += Math.max(0, this.#heap[i].atMs - nowMs)
      samples++
    }
    return Math.round(sum / samples)
  }

  /** Puts `deadline` at `at` and lets it find its place. */
  #place(at: number, deadline: Deadline): void {
    if (at > 0 && this.#heap[(at - 1) >>> 1].atMs > deadline.atMs) this.#up(at, deadline)
    else this.#down(at, deadline)
  }

  #up(from: number, deadline: Deadline): void {
    let at = from
    while (at > 0) {
      const parent = this.#heap[(at - 1) >>> 1]
      if (parent.atMs <= deadline.atMs) break
      this.#set(at, parent)
      at = (at - 1) >>> 1
    }
    this.#set(at, deadline)
  }

  #down(from: number, deadline: Deadline): void {
    const length = this.#heap.length
    let at = from
    for (;;) {
      let child = at * 2 + 1
      if (child >= length) break
      if (child + 1 < length && this.#heap[child + 1].atMs < this.#heap[child].atMs) child++
      if (this.#heap[child].atMs >= deadline.atMs) break
      this.#set(at, this.#heap[child])
      at = child
    }
    this.#set(at, deadline)
  }

  #set(at: number, deadline: Deadline): void {
    this.#heap[at] = deadline
    deadline.index = at
  }
}
