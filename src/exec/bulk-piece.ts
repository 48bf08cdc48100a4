// One or more bulk strings as RESP bytes in a buffer that is used again: what XADD's journal form puts in place of '*'.

import { idTextBytes, writeIdDigits, type StreamId } from '../base/stream-id.js'
import { decimalDigits } from '../resp/request.js'

export class BulkPiece {
  bytes = Buffer.allocUnsafeSlow(256)
  length = 0

  clear(): void {
    this.length = 0
  }

  /** Appends `value` as '$<length>\r\n<bytes>\r\n'. Strings are latin1. */
  add(value: Buffer | string | number): void {
    const body = typeof value === 'number' ? String(value) : value
    this.#reserve(body.length)
    this.bytes[this.length++] = DOLLAR
    this.#digits(body.length)
    this.#lineEnd()
    if (typeof body === 'string') this.#text(body)
    else this.length += body.copy(this.bytes, this.length)
    this.#lineEnd()
  }

  /** As add(), of the ID's text. */
  addId(id: StreamId): void {
    const digits = idTextBytes(id)
    this.#reserve(digits)
    this.bytes[this.length++] = DOLLAR
    this.#digits(digits)
    this.#lineEnd()
    this.length = writeIdDigits(this.bytes, this.length, id)
    this.#lineEnd()
  }

  #text(text: string): void {
    if (text.length > LOOP_MAX) {
      this.length += this.bytes.latin1Write(text, this.length)
      return
    }
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i)
  }

  #digits(value: number): void {
    let at = this.length + decimalDigits(value)
    this.length = at
    let rest = value
    do {
      this.bytes[--at] = 48 + (rest % 10)
      rest = Math.floor(rest / 10)
    } while (rest > 0)
  }

  #lineEnd(): void {
    this.bytes[this.length++] = 13
    this.bytes[this.length++] = 10
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes + OVERHEAD_MAX
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
  }
}

const DOLLAR = 36
/** '$', digits of a length, two line ends. */
const OVERHEAD_MAX = 24
/** Below it a loop is faster than a call into the runtime. */
const LOOP_MAX = 48
