// Builds the bodies of descriptor blocks and roots. Numbers are varints: seven bits a byte, low bits first, the top bit
// set on all bytes but the last.

import { putU48 } from '../store/row.js'

const VARINT_BYTES_MAX = 8

export class ByteWriter {
  #bytes: Buffer
  #used = 0

  constructor(bytesExpected: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(bytesExpected, 16))
  }

  u8(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#used++] = value
  }

  u48(value: number): void {
    this.#reserve(6)
    putU48(this.#bytes, this.#used, value)
    this.#used += 6
  }

  /** A whole number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.#reserve(VARINT_BYTES_MAX)
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#used++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#used++] = rest
  }

  /** A double, big-endian. */
  f64(value: number): void {
    this.#reserve(8)
    this.#bytes.writeDoubleBE(value, this.#used)
    this.#used += 8
  }

  /** The length as a varint, then the bytes. */
  sized(bytes: Buffer): void {
    this.varint(bytes.length)
    this.#reserve(bytes.length)
    bytes.copy(this.#bytes, this.#used)
    this.#used += bytes.length
  }

  /** As sized(), from a latin1 string. */
  sizedText(text: string): void {
    this.varint(text.length)
    this.#reserve(text.length)
    this.#bytes.latin1Write(text, this.#used)
    this.#used += text.length
  }

  /** What was written. The writer is not used afterwards. */
  done(): Buffer {
    return this.#bytes.subarray(0, this.#used)
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#used + bytes))
    this.#bytes.copy(grown, 0, 0, this.#used)
    this.#bytes = grown
  }
}
