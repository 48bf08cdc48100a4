// RESP bulk strings: the form in which streams hold their fields and values. Built from what a dump has, and walked
// over to write a dump. Used by: stream-node-rdb.

import type { ListpackReader } from './listpack.js'

const CR = 13
const ZERO = 48
/** '$', up to ten digits, CR LF twice. */
const FRAME_BYTES_MAX = 15

/** Bulk strings one after the other, in memory that is used again and again. */
export class WireFields {
  bytes: Buffer = Buffer.allocUnsafeSlow(1024)
  length = 0

  clear(): void {
    this.length = 0
  }

  /** The element that `listpack` passed last, as a bulk string. */
  element(listpack: ListpackReader): void {
    const { integer } = listpack
    if (integer !== undefined) {
      const text = String(integer)
      this.#frame(text.length)
      this.length += this.bytes.latin1Write(text, this.length)
    } else {
      this.#frame(listpack.to - listpack.from)
      this.length += listpack.bytes.copy(this.bytes, this.length, listpack.from, listpack.to)
    }
    this.length += this.bytes.latin1Write('\r\n', this.length)
  }

  /** Bytes that are bulk strings already. */
  copy(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from)
    this.length += source.copy(this.bytes, this.length, from, to)
  }

  #frame(length: number): void {
    this.#reserve(length + FRAME_BYTES_MAX)
    this.length += this.bytes.latin1Write(`$${length}\r\n`, this.length)
  }

  #reserve(more: number): void {
    const end = this.length + more
    if (end <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, end))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }
}

/** Walks over stored RESP, which is well formed. */
export class WireCursor {
  /** The bulk string that bulk() passed last is bytes[from, to). */
  from = 0
  to = 0

  constructor(
    readonly bytes: Buffer,
    public at: number,
  ) {}

  /** Passes '*<n>' or '$<n>' and its line end; n. */
  header(): number {
    const { bytes } = this
    let at = this.at + 1
    let value = 0
    for (; bytes[at] !== CR; at++) value = value * 10 + bytes[at] - ZERO
    this.at = at + 2
    return value
  }

  bulk(): void {
    const length = this.header()
    this.from = this.at
    this.to = this.from + length
    this.at = this.to + 2
  }
}
