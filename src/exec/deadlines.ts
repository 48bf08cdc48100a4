// What must happen at a certain time: a binary heap of deadlines with one timer for the earliest. Removed items stay in
// the heap, dead, until they come up or outnumber the living.

export class Deadline {
  constructor(
    /** Milliseconds of the clock handed to Deadlines. */
    readonly atMs: number,
    readonly expire: () => void,
  ) {}
  cancelled = false
}

export class Deadlines {
  readonly #nowMs: () => number
  #heap: Deadline[] = []
  #living = 0
  #timer: NodeJS.Timeout | undefined
  #timerAtMs = Infinity

  /** @param nowMs a clock that never steps back */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#living
  }

  /** Calls `expire` once, at least `delayMs` from now, unless cancelled before. */
  add(delayMs: number, expire: () => void): Deadline {
    const deadline = new Deadline(this.#nowMs() + delayMs, expire)
    this.#push(deadline)
    this.#living++
    this.#arm()
    return deadline
  }

  cancel(deadline: Deadline): void {
    if (deadline.cancelled) return
    deadline.cancelled = true
    this.#living--
    if (this.#heap.length > 2 * this.#living + DEAD_MAX) this.#sweep()
  }

  /** Runs everything that is due. The timer calls it; tests with a clock of their own may. */
  run(): void {
    const nowMs = this.#nowMs()
    while (this.#heap.length > 0 && (this.#heap[0].cancelled || this.#heap[0].atMs <= nowMs)) {
      const due = this.#pop()
      if (due.cancelled) continue
      due.cancelled = true
      this.#living--
      due.expire()
    }
    this.#arm()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#heap = []
    this.#living = 0
  }

  #arm(): void {
    const first = this.#heap[0]
    if (first === undefined) return
    if (this.#timer !== undefined) {
      if (this.#timerAtMs <= first.atMs) return
      clearTimeout(this.#timer)
    }
    this.#timerAtMs = first.atMs
    const delayMs = Math.min(Math.max(Math.ceil(first.atMs - this.#nowMs()), 0), TIMER_MS_MAX)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.run()
    }, delayMs)
    this.#timer.unref()
  }

  #sweep(): void {
    const living = this.#heap.filter(deadline => !deadline.cancelled)
    this.#heap = []
    for (const deadline of living) this.#push(deadline)
  }

  #push(deadline: Deadline): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(deadline)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent].atMs <= deadline.atMs) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = deadline
  }

  #pop(): Deadline {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()!
    if (heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && heap[child + 1].atMs < heap[child].atMs) child++
      if (heap[child].atMs >= last.atMs) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return top
  }
}

/** Dead items that may lie about before a sweep is worth it. */
const DEAD_MAX = 64
/** setTimeout takes 31 bits; the run after it arms the rest. */
const TIMER_MS_MAX = 2 ** 31 - 1
