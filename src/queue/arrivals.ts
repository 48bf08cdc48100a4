// Tells those who wait at a queue that messages came. Used by: queue.
//
// One subscription serves all waits of a handle and outlives the last of them for a while: a consumer that is faster
// than its producers waits for every message, and would pay for a subscription each time.

import type { Bell } from '../client/waiting.js'

type Unsubscribe = () => Promise<void>

const KEPT_MS = 10_000

export class Arrivals {
  readonly #bells = new Set<Bell>()
  #subscription: Promise<Unsubscribe> | undefined
  #timer: NodeJS.Timeout | undefined
  #lives = false

  /** @param subscribe begins to call `wake` for whatever arrives */
  constructor(private readonly subscribe: (wake: () => void) => Promise<Unsubscribe>) {}

  /** Whether what arrives from now on rings at once: a look at the queue after `listen` misses nothing. */
  get lives(): boolean {
    return this.#lives
  }

  /** Rings `bell` for whatever arrives once this has resolved. @returns what ends that. @throws as `subscribe` does */
  async listen(bell: Bell): Promise<() => void> {
    clearTimeout(this.#timer)
    this.#bells.add(bell)
    try {
      this.#subscription ??= this.subscribe(() => this.#ring())
      await this.#subscription
      this.#lives = true
    } catch (error) {
      this.#subscription = undefined
      this.#bells.delete(bell)
      throw error
    }
    return () => {
      this.#bells.delete(bell)
      if (this.#bells.size > 0) return
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#end(), KEPT_MS).unref()
    }
  }

  #ring(): void {
    for (const bell of this.#bells) bell.ring()
  }

  #end(): void {
    const subscription = this.#subscription
    this.#subscription = undefined
    this.#lives = false
    void subscription?.then(unsubscribe => unsubscribe()).catch(() => undefined)
  }
}
