// Reads what ByteWriter wrote, from bytes that may be damaged.

import { CorruptionError } from '../base/errors.js'
import { getU48 } from '../store/row.js'

export class ByteReader {
  #at = 0

  constructor(
    readonly bytes: Buffer,
    /** Names the bytes in errors. */
    readonly what: string,
  ) {}

  u8(): number {
    return this.bytes[this.#take(1)]
  }

  u48(): number {
    return getU48(this.bytes, this.#take(6))
  }

  /** @throws CorruptionError when the number is cut off, longer than it need be, or above 2^53 - 1 */
  varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = this.u8()
      value += (byte & 127) * scale
      if (byte < 128) {
        if (byte === 0 && scale > 1) throw new CorruptionError(`${this.what} has a number with empty digits`)
        if (value > Number.MAX_SAFE_INTEGER) throw new CorruptionError(`${this.what} has a number above 2^53`)
        return value
      }
      scale *= 128
      if (scale > Number.MAX_SAFE_INTEGER) throw new CorruptionError(`${this.what} has a number above 2^53`)
    }
  }

  f64(): number {
    return this.bytes.readDoubleBE(this.#take(8))
  }

  /** A copy, so that a key kept from it does not hold the whole row in memory. */
  sized(): Buffer {
    const length = this.varint()
    const at = this.#take(length)
    return Buffer.from(this.bytes.subarray(at, at + length))
  }

  /** As sized(), as a latin1 string. */
  sizedText(): string {
    const length = this.varint()
    const at = this.#take(length)
    return this.bytes.latin1Slice(at, at + length)
  }

  /** @throws CorruptionError when there is more */
  end(): void {
    if (this.#at !== this.bytes.length) throw new CorruptionError(`${this.what} has bytes behind its end`)
  }

  #take(length: number): number {
    const at = this.#at
    if (at + length > this.bytes.length) throw new CorruptionError(`${this.what} is cut off`)
    this.#at = at + length
    return at
  }
}
