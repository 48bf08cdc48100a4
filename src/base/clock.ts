// The only source of time. Everything else is handed a Clock, so that tests can move it.

export interface Clock {
  /** Unix time in milliseconds, whole. May step backwards, as the machine's clock may. */
  nowMs(): number
  /** Unix time in microseconds, whole. */
  nowUs(): number
  /** Microseconds of a clock that never steps back; only differences mean something. */
  monotonicUs(): number
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  nowUs: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
  monotonicUs: () => performance.now() * 1000,
}

/** A clock that stands still until it is moved; for tests. */
export class FakeClock implements Clock {
  #us: number
  constructor(ms: number) {
    this.#us = ms * 1000
  }
  nowMs(): number {
    return Math.floor(this.#us / 1000)
  }
  nowUs(): number {
    return this.#us
  }
  monotonicUs(): number {
    return this.#us
  }
  /** Moves by `ms` milliseconds; negative steps back. */
  advance(ms: number): void {
    this.#us += ms * 1000
  }
}
