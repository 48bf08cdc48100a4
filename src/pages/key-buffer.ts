// Buffers for keys that are looked up and not kept: one of each short length, used again and again, because a Buffer of
// its own costs more than the look-up's first steps. Used by: types/hashed, types/zset.

const LENGTH_MAX = 128

export class KeyBuffer {
  readonly #buffers: (Buffer | undefined)[] = []

  /** A buffer of exactly `length` bytes, with anything in them; valid until the next call with that length. */
  ofLength(length: number): Buffer {
    if (length > LENGTH_MAX) return Buffer.allocUnsafe(length)
    return (this.#buffers[length] ??= Buffer.allocUnsafeSlow(length))
  }
}
