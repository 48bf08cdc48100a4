// Sizes of the elements of a listpack, the packing inside Redis' stream nodes. Nothing is packed here. Redis starts a
// new node when the bytes of the open one reach a limit, and clients see those boundaries in every approximate trim.
// Used by: macro-nodes.

import { readInt64 } from '../../base/numbers.js'
import type { StreamId } from '../../base/stream-id.js'

/** Header and terminator of an empty listpack. */
export const LISTPACK_EMPTY_BYTES = 7
/** No listpack of a stream grows beyond this, whatever the configuration says. */
export const LISTPACK_BYTES_MAX = 1024 * 1024 * 1024

const ZERO = 48
const MINUS = 45
const CR = 13
const INT64_BYTES = 9
/** A longer text is never packed as an integer. */
const INTEGER_TEXT_MAX = 20
const SAFE_DIGITS = 15

/** Bytes that tell the length of an element of `bytes` bytes, written behind it for walking backwards. */
function backLengthBytes(bytes: number): number {
  if (bytes <= 127) return 1
  if (bytes < 16383) return 2
  if (bytes < 2097151) return 3
  if (bytes < 268435455) return 4
  return 5
}

/** Bytes of an integer element; exact for integers of 53 bits, and any larger one takes as much as those. */
export function integerElementBytes(value: number): number {
  if (value >= 0 && value <= 127) return 2
  if (value >= -4096 && value <= 4095) return 3
  if (value >= -32768 && value <= 32767) return 4
  if (value >= -8388608 && value <= 8388607) return 5
  if (value >= -2147483648 && value <= 2147483647) return 6
  return INT64_BYTES + 1
}

/** Bytes of the element for `a.ms - b.ms`, a difference of 64 bits that wraps. */
export function msDifferenceBytes(a: StreamId, b: StreamId): number {
  return differenceBytes(a.msHi, a.msLo, b.msHi, b.msLo)
}

/** Bytes of the element for `a.seq - b.seq`, a difference of 64 bits that wraps: negative in a later millisecond. */
export function seqDifferenceBytes(a: StreamId, b: StreamId): number {
  return differenceBytes(a.seqHi, a.seqLo, b.seqHi, b.seqLo)
}

function differenceBytes(aHi: number, aLo: number, bHi: number, bLo: number): number {
  const lo = aLo - bLo
  const hi = (aHi - bHi - (lo < 0 ? 1 : 0)) | 0
  if (hi === 0) return integerElementBytes(lo >>> 0)
  if (hi === -1) return integerElementBytes((lo >>> 0) - 4294967296)
  return INT64_BYTES + 1
}

/** Bytes of the element for `bytes[from, to)`: an integer when that is one in its canonical form, else a string. */
export function elementBytes(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from
  if (length > 0 && length <= INTEGER_TEXT_MAX) {
    const first = bytes[from]
    if ((first >= ZERO && first <= ZERO + 9) || first === MINUS) {
      const integer = integerTextBytes(bytes, from, to)
      if (integer > 0) return integer
    }
  }
  const encoded = length + (length < 64 ? 1 : length < 4096 ? 2 : 5)
  return encoded + backLengthBytes(encoded)
}

function integerTextBytes(bytes: Uint8Array, from: number, to: number): number {
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  const digits = to - first
  if (digits > SAFE_DIGITS) return readInt64(bytes, from, to) === undefined ? 0 : INT64_BYTES + 1
  if (digits === 0 || (bytes[first] === ZERO && (digits > 1 || negative))) return 0
  let value = 0
  for (let i = first; i < to; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return 0
    value = value * 10 + digit
  }
  return integerElementBytes(negative ? -value : value)
}

/** What an entry takes in a listpack, element by element. One object is filled again and again: see measureEntry. */
export class EntryMeasure {
  /** Bytes of all fields and values themselves, unpacked. */
  rawBytes = 0
  /** Packed bytes of the field names. */
  fieldBytes = 0
  /** Packed bytes of the values. */
  valueBytes = 0
  /** The field names are those of `master`, in the same order. */
  sameFields = false
}

/**
 * Measures `pairs` field-value pairs, given as RESP bulk strings from `from` on, and compares their field names with
 * `master`: field names as RESP bulk strings, in a latin1 string.
 */
export function measureEntry(
  measure: EntryMeasure,
  pairs: number,
  bytes: Uint8Array,
  from: number,
  master: string,
): void {
  let at = from
  let masterAt = 0
  let same = true
  let raw = 0
  let fieldBytes = 0
  let valueBytes = 0
  for (let i = 0; i < pairs; i++) {
    const header = at
    let length = 0
    for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at] - ZERO
    at += 2
    fieldBytes += elementBytes(bytes, at, at + length)
    raw += length
    at += length + 2
    if (same) {
      same = matches(bytes, header, at, master, masterAt)
      masterAt += at - header
    }
    length = 0
    for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at] - ZERO
    at += 2
    valueBytes += elementBytes(bytes, at, at + length)
    raw += length
    at += length + 2
  }
  measure.rawBytes = raw
  measure.fieldBytes = fieldBytes
  measure.valueBytes = valueBytes
  measure.sameFields = same && masterAt === master.length
}

function matches(bytes: Uint8Array, from: number, to: number, text: string, textAt: number): boolean {
  if (textAt + to - from > text.length) return false
  for (let i = from, k = textAt; i < to; i++, k++) {
    if (bytes[i] !== text.charCodeAt(k)) return false
  }
  return true
}

/** The field names of `pairs` pairs as RESP bulk strings, in a latin1 string: what measureEntry compares with. */
export function fieldNames(pairs: number, bytes: Buffer, from: number): string {
  let names = ''
  let at = from
  for (let i = 0; i < pairs; i++) {
    const end = bulkEnd(bytes, at)
    names += bytes.toString('latin1', at, end)
    at = bulkEnd(bytes, end)
  }
  return names
}

/** As fieldNames(), of a stored entry: '*2', its ID, '*<2 * pairs>', fields and values. */
export function fieldNamesOfEntry(bytes: Buffer, at: number): string {
  let count = 0
  let digit = bulkEnd(bytes, at + '*2\r\n'.length) + 1
  for (; bytes[digit] !== CR; digit++) count = count * 10 + bytes[digit] - ZERO
  return fieldNames(count / 2, bytes, digit + 2)
}

function bulkEnd(bytes: Uint8Array, header: number): number {
  let at = header + 1
  let length = 0
  for (; bytes[at] !== CR; at++) length = length * 10 + bytes[at] - ZERO
  return at + 2 + length + 2
}
