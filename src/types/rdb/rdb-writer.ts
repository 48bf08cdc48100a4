// Writes the primitives of Redis' RDB format, up to a bound. Used by: the codecs of this folder.

import { ReplyError } from '../../base/errors.js'
import { readInt64 } from '../../base/numbers.js'
import { putId, STREAM_ID_BYTES } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'

/** Longer texts are no integer of 32 bits. */
const INTEGER_CHARS_MAX = 11
const START_BYTES = 256
const TOO_LONG = 'ERR the value is too large for one reply (proto-max-bulk-len)'

export class RdbWriter {
  #bytes: Buffer = Buffer.allocUnsafe(START_BYTES)
  #used = 0

  /** @param bytesMax what does not fit is refused with a ReplyError */
  /** Of RDB: what is written needs this one at least. */
  version = 10

  constructor(readonly bytesMax: number) {}

  needsVersion(version: number): void {
    this.version = Math.max(this.version, version)
  }

  u8(value: number): void {
    const at = this.#room(1)
    this.#bytes[at] = value
  }

  /** Two bytes, low one first. */
  u16(value: number): void {
    const at = this.#room(2)
    this.#bytes.writeUInt16LE(value, at)
  }

  /** Eight bytes, low one first. */
  int64(value: number | bigint): void {
    const at = this.#room(8)
    this.#bytes.writeBigInt64LE(BigInt(value), at)
  }

  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** An unsigned number of 64 bits, as lengths are stored. */
  length(value: number | bigint): void {
    if (value < 64) this.u8(Number(value))
    else if (value < 16384) {
      const at = this.#room(2)
      this.#bytes.writeUInt16BE(0x4000 | Number(value), at)
    } else if (value <= 0xffffffff) {
      this.u8(0x80)
      const at = this.#room(4)
      this.#bytes.writeUInt32BE(Number(value), at)
    } else {
      this.u8(0x81)
      const at = this.#room(8)
      this.#bytes.writeBigUInt64BE(BigInt(value), at)
    }
  }

  /** A string, as an integer where Redis stores it so. */
  string(bytes: Buffer): void {
    if (bytes.length <= INTEGER_CHARS_MAX && this.#integer(readInt64(bytes, 0, bytes.length))) return
    this.length(bytes.length)
    this.raw(bytes)
  }

  /** As string(), from a latin1 string. */
  text(text: string): void {
    this.string(Buffer.from(text, 'latin1'))
  }

  /** The ID as it is in keys: 16 bytes, high one first. */
  rawId(id: StreamId): void {
    const at = this.#room(STREAM_ID_BYTES)
    putId(this.#bytes, at, id)
  }

  /** The two numbers of an ID as lengths. */
  id(id: StreamId): void {
    this.length((BigInt(id.msHi) << 32n) | BigInt(id.msLo))
    this.length((BigInt(id.seqHi) << 32n) | BigInt(id.seqLo))
  }

  /** What was written. The writer is not used afterwards. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  #integer(value: number | bigint | undefined): boolean {
    if (typeof value !== 'number' || value !== (value | 0)) return false
    if (value >= -0x80 && value <= 0x7f) {
      this.u8(0xc0)
      const at = this.#room(1)
      this.#bytes.writeInt8(value, at)
    } else if (value >= -0x8000 && value <= 0x7fff) {
      this.u8(0xc1)
      const at = this.#room(2)
      this.#bytes.writeInt16LE(value, at)
    } else {
      this.u8(0xc2)
      const at = this.#room(4)
      this.#bytes.writeInt32LE(value, at)
    }
    return true
  }

  /** Where the next `bytes` go. The buffer may be another one afterwards: look at it after the call. */
  #room(bytes: number): number {
    const at = this.#used
    const end = at + bytes
    if (end > this.#bytes.length) {
      if (end > this.bytesMax) throw new ReplyError(TOO_LONG)
      const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(this.#bytes.length * 2, end), this.bytesMax))
      this.#bytes.copy(grown, 0, 0, at)
      this.#bytes = grown
    }
    this.#used = end
    return at
  }
}
