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
  /** What the wall clock is ahead of the other by, since it was stepped. */
  #steppedUs = 0
  constructor(ms: number) {
    this.#us = ms * 1000
  }
  nowMs(): number {
    return Math.floor(this.nowUs() / 1000)
  }
  nowUs(): number {
    return this.#us + this.#steppedUs
  }
  monotonicUs(): number {
    return this.#us
  }
  /** Lets `ms` milliseconds pass. */
  advance(ms: number): void {
    this.#us += ms * 1000
  }
  /** Sets the wall clock by `ms` milliseconds, back if negative, as an operator may. */
  step(ms: number): void {
    this.#steppedUs += ms * 1000
  }
}
