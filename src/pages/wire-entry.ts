// One stream entry as the RESP bytes a reader receives, written and read back:
//   *2\r\n  $<len>\r\n<ms>-<seq>\r\n  *<2 * pairs>\r\n  then $<len>\r\n<bytes>\r\n for each field and value.
// Numbers are plain decimal without leading zeros. Used by: wire-page, wire-index.

import { CorruptionError } from '../base/errors.js'
import { parseU64, STREAM_ID_TEXT_BYTES_MAX, type StreamId } from '../base/stream-id.js'

const CR = 13
const LF = 10
const ARRAY = 42
const BULK = 36
const DASH = 45
const ZERO = 48
const TWO_32 = 4294967296
const SAFE_HI_MAX = 0x1fffff
const DIGITS_EXACT_MAX = 15
/** Longest number of a RESP header: no array or bulk string is longer than 2^32. */
const LENGTH_DIGITS_MAX = 10
const PAIR_COUNT_DIGITS_MAX = 10

/** '*2\r\n', '$41\r\n', the ID, '\r\n', '*n\r\n'. */
export const ENTRY_HEADER_BYTES_MAX = 4 + 5 + STREAM_ID_TEXT_BYTES_MAX + 2 + (1 + PAIR_COUNT_DIGITS_MAX + 2)

/** Writes everything of an entry before its first field; returns the offset behind it. */
export function putEntryHeader(bytes: Uint8Array, at: number, id: StreamId, pairs: number): number {
  const msDigits = digitsOfU64(id.msHi, id.msLo)
  const seqDigits = digitsOfU64(id.seqHi, id.seqLo)
  bytes[at] = ARRAY
  bytes[at + 1] = ZERO + 2
  bytes[at + 2] = CR
  bytes[at + 3] = LF
  let to = putHeader(bytes, at + 4, BULK, msDigits + 1 + seqDigits)
  putU64(bytes, to, id.msHi, id.msLo, msDigits)
  to += msDigits
  bytes[to++] = DASH
  putU64(bytes, to, id.seqHi, id.seqLo, seqDigits)
  to += seqDigits
  bytes[to++] = CR
  bytes[to++] = LF
  return putHeader(bytes, to, ARRAY, pairs * 2)
}

function putHeader(bytes: Uint8Array, at: number, type: number, length: number): number {
  const digits = digitsOf(length)
  bytes[at] = type
  putDecimal(bytes, at + 1, length, digits)
  bytes[at + 1 + digits] = CR
  bytes[at + 2 + digits] = LF
  return at + 3 + digits
}

function digitsOfU64(hi: number, lo: number): number {
  return hi <= SAFE_HI_MAX ? digitsOf(hi * TWO_32 + lo) : bigText(hi, lo).length
}

function putU64(bytes: Uint8Array, at: number, hi: number, lo: number, digits: number): void {
  if (hi <= SAFE_HI_MAX) {
    putDecimal(bytes, at, hi * TWO_32 + lo, digits)
    return
  }
  const text = bigText(hi, lo)
  for (let i = 0; i < digits; i++) bytes[at + i] = text.charCodeAt(i)
}

function bigText(hi: number, lo: number): string {
  return String((BigInt(hi) << 32n) | BigInt(lo))
}

/** Decimal digits of a whole number below 2^53. */
function digitsOf(value: number): number {
  if (value < 10) return 1
  if (value >= 1e12 && value < 1e13) return 13 // Unix milliseconds of this era
  let digits = 2
  for (let limit = 100; value >= limit; limit *= 10) digits++
  return digits
}

/** Writes exactly `digits` digits. Works on 31-bit integers, since dividing doubles is slow. */
function putDecimal(bytes: Uint8Array, at: number, value: number, digits: number): void {
  let end = at + digits
  let rest = value
  if (rest > 0x7fffffff) {
    const high = Math.floor(rest / 1e8)
    end = putTail(bytes, end, (rest - high * 1e8) | 0, 8)
    rest = high // below 2^53 / 10^8, which is a small integer again
  }
  putTail(bytes, end, rest | 0, end - at)
}

function putTail(bytes: Uint8Array, end: number, value: number, digits: number): number {
  let rest = value
  let at = end
  for (let i = 0; i < digits; i++) {
    const tenth = (rest / 10) | 0
    bytes[--at] = ZERO + rest - tenth * 10
    rest = tenth
  }
  return at
}

/** Walks over entries in bytes that may be damaged. After next() the four halves are the ID of the entry passed. */
export class EntryCursor {
  msHi = 0
  msLo = 0
  seqHi = 0
  seqLo = 0

  constructor(
    readonly bytes: Buffer,
    public at: number,
    /** Where the entries end. */
    readonly end: number,
  ) {}

  /** Passes one entry. @throws CorruptionError unless it is well formed and complete */
  next(): void {
    if (this.#header(ARRAY) !== 2) throw this.#malformed('entry')
    const idBytes = this.#header(BULK)
    this.#id(this.at + idBytes)
    this.#lineEnd()
    const strings = this.#header(ARRAY)
    if (strings < 2 || strings % 2 !== 0) throw this.#malformed('number of fields')
    for (let i = 0; i < strings; i++) {
      const length = this.#header(BULK)
      this.at += length
      this.#lineEnd()
    }
  }

  /** Passes '<type><digits>\r\n' and returns the number. */
  #header(type: number): number {
    const bytes = this.bytes
    const from = this.at + 1
    if (bytes[this.at] !== type) throw this.#malformed('type')
    let at = from
    let value = 0
    for (let d = bytes[at] - ZERO; d >= 0 && d <= 9; d = bytes[++at] - ZERO) value = value * 10 + d
    const digits = at - from
    if (digits === 0 || digits > LENGTH_DIGITS_MAX || (digits > 1 && bytes[from] === ZERO)) {
      throw this.#malformed('length')
    }
    this.at = at
    this.#lineEnd()
    return value
  }

  #lineEnd(): void {
    if (this.at + 2 > this.end || this.bytes[this.at] !== CR || this.bytes[this.at + 1] !== LF) {
      throw this.#malformed('line end')
    }
    this.at += 2
  }

  #id(to: number): void {
    if (to > this.end || to - this.at > STREAM_ID_TEXT_BYTES_MAX) throw this.#malformed('ID')
    let dash = this.at
    while (dash < to && this.bytes[dash] !== DASH) dash++
    this.#u64(this.at, dash)
    this.msHi = this.seqHi
    this.msLo = this.seqLo
    this.#u64(dash + 1, to)
    this.at = to
  }

  /** Leaves the number in the halves of the sequence. */
  #u64(from: number, to: number): void {
    const digits = to - from
    if (digits < 1 || (digits > 1 && this.bytes[from] === ZERO)) throw this.#malformed('ID')
    if (digits > DIGITS_EXACT_MAX) {
      const wide = parseU64(this.bytes, from, to)
      if (wide === undefined) throw this.#malformed('ID')
      this.seqHi = wide.hi
      this.seqLo = wide.lo
      return
    }
    let value = 0
    for (let i = from; i < to; i++) {
      const d = this.bytes[i] - ZERO
      if (d < 0 || d > 9) throw this.#malformed('ID')
      value = value * 10 + d
    }
    this.seqHi = Math.floor(value / TWO_32)
    this.seqLo = value >>> 0
  }

  #malformed(what: string): CorruptionError {
    return new CorruptionError(`stored stream entry with a malformed ${what} at byte ${this.at}`)
  }
}
