// Seeded randomness: a failing run prints its seed, and SEED=<n> repeats it.

/** Small, fast generator (xorshift over 32 bits); quality is ample for choosing test cases. */
export class Seeded {
  #state: number
  constructor(readonly seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.fraction() * below)
  }

  /** A whole number in [min, max]. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1)
  }

  /** A number in [0, 1). */
  fraction(): number {
    let x = this.#state
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#state = x >>> 0
    return this.#state / 4294967296
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]
  }

  /** `length` random bytes. */
  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    for (let i = 0; i < length; i++) bytes[i] = this.below(256)
    return bytes
  }
}

/**
 * The generator of this run: SEED from the environment, else one derived from the process; print `seed` in the test.
 */
export function seeded(): Seeded {
  const given = process.env.SEED
  if (given !== undefined) return new Seeded(Number(given))
  return new Seeded((process.pid * 2654435761 + Math.floor(performance.timeOrigin)) >>> 0)
}
