// Reads the primitives of Redis' RDB format from bytes that a client made. Used by: the codecs of this folder.
// Every number is checked against what is left before anything is sized by it, and what a payload may unpack to is
// bounded: a few bytes can stand for very many, compressed or by reference.

import type { StreamId } from '../../base/stream-id.js'
import { PayloadError } from './payload-error.js'
import { decompress } from './lzf.js'

const BITS_6 = 0
const BITS_14 = 1
const SPECIAL = 3
const LENGTH_32 = 0x80
const LENGTH_64 = 0x81
const INT8 = 0
const INT16 = 1
const INT32 = 2
const LZF = 3

export interface ReadLimits {
  /** No string is longer. */
  readonly stringBytesMax: number
  /** All that is unpacked, bookkeeping included, is not more. */
  readonly unpackedBytesMax: number
}

export class RdbReader {
  #at = 0
  #budget: number

  constructor(
    readonly bytes: Buffer,
    readonly limits: ReadLimits,
  ) {
    this.#budget = limits.unpackedBytesMax
  }

  get remaining(): number {
    return this.bytes.length - this.#at
  }

  /** Accounts for `bytes` that are about to be made out of less. @throws PayloadError beyond the limit */
  spend(bytes: number): void {
    this.#budget -= bytes
    if (this.#budget < 0) throw new PayloadError('unpacks to too much')
  }

  u8(): number {
    return this.bytes[this.#take(1)]
  }

  /** The next `length` bytes; a view. */
  raw(length: number): Buffer {
    const at = this.#take(length)
    return this.bytes.subarray(at, at + length)
  }

  /** Eight bytes of two's complement, low byte first. What a double cannot hold is rounded. */
  int64(): number {
    return Number(this.bytes.readBigInt64LE(this.#take(8)))
  }

  /** A length up to 2^53. */
  length(): number {
    const length = this.wide()
    if (length > Number.MAX_SAFE_INTEGER) throw new PayloadError('length beyond reason')
    return Number(length)
  }

  /** A number of items that take at least `itemBytesMin` bytes each: no more than there is room for. */
  count(itemBytesMin: number): number {
    const count = this.length()
    if (count * itemBytesMin > this.remaining) throw new PayloadError('more items than bytes for them')
    return count
  }

  /** An unsigned number of 64 bits, stored as a length. */
  wide(): number | bigint {
    const first = this.u8()
    const kind = first >>> 6
    if (kind === BITS_6) return first
    if (kind === BITS_14) return ((first & 63) << 8) | this.u8()
    if (first === LENGTH_32) return this.bytes.readUInt32BE(this.#take(4))
    if (first === LENGTH_64) return this.bytes.readBigUInt64BE(this.#take(8))
    throw new PayloadError('no length where one is due')
  }

  /** The two numbers of an ID, as lengths. */
  id(): StreamId {
    const ms = BigInt(this.wide())
    const seq = BigInt(this.wide())
    return {
      msHi: Number(ms >> 32n),
      msLo: Number(ms & 0xffffffffn),
      seqHi: Number(seq >> 32n),
      seqLo: Number(seq & 0xffffffffn),
    }
  }

  /** A string; a view where it lies there as it is. */
  string(): Buffer {
    if (this.remaining > 0 && this.bytes[this.#at] >>> 6 === SPECIAL) return this.#special(this.u8() & 63)
    const length = this.length()
    if (length > this.limits.stringBytesMax) throw new PayloadError('string too long')
    return this.raw(length)
  }

  /** As string(), a latin1 string. */
  text(): string {
    return this.string().latin1Slice()
  }

  #special(kind: number): Buffer {
    if (kind === INT8) return digits(this.bytes.readInt8(this.#take(1)))
    if (kind === INT16) return digits(this.bytes.readInt16LE(this.#take(2)))
    if (kind === INT32) return digits(this.bytes.readInt32LE(this.#take(4)))
    if (kind !== LZF) throw new PayloadError('unknown encoding of a string')
    const packed = this.length()
    const length = this.length()
    if (length > this.limits.stringBytesMax) throw new PayloadError('string too long')
    const input = this.raw(packed)
    this.spend(length)
    return decompress(input, length)
  }

  #take(length: number): number {
    const at = this.#at
    if (at + length > this.bytes.length) throw new PayloadError('cut off')
    this.#at = at + length
    return at
  }
}

function digits(value: number): Buffer {
  return Buffer.from(String(value), 'latin1')
}
