// Bits of string values, whole or in pieces: what the bitmap commands ask of a value. Uses: types/string/bits, which
// knows one Buffer. Used by: bitmap.

import { combineBits, countBits, findBit } from '../types/string/bits.js'
import type { BitOperation } from '../types/string/bits.js'
import { PiecedString } from '../types/string/pieced-string.js'
import type { AnyString } from './string-store.js'

const EMPTY: Buffer = Buffer.alloc(0)

/** The byte at `at`; 0 behind the end. */
export function bitByteAt(value: AnyString, at: number): number {
  return value instanceof PiecedString ? value.byteAt(at) : (value.bytes()[at] ?? 0)
}

/** Bits [from, to) of a value, in runs: bits [first, end) of `bytes`, the first of which is bit `at` of the value. */
function eachRun(
  value: AnyString,
  from: number,
  to: number,
  visit: (bytes: Buffer, first: number, end: number, at: number) => boolean,
): void {
  if (from >= to) return
  if (!(value instanceof PiecedString)) return void visit(value.bytes(), from, to, from)
  value.visit(Math.floor(from / 8), Math.ceil(to / 8), (bytes, byteFrom) => {
    const begin = byteFrom * 8
    const first = Math.max(from - begin, 0)
    return visit(bytes, first, Math.min(to - begin, bytes.length * 8), begin + first)
  })
}

/** Number of ones among bits [from, to). */
export function countIn(value: AnyString, from: number, to: number): number {
  let count = 0
  eachRun(value, from, to, (bytes, first, end) => {
    count += countBits(bytes, first, end)
    return false
  })
  return count
}

/** Number of the first bit equal to `bit` among bits [from, to), or -1. */
export function findIn(value: AnyString, bit: number, from: number, to: number): number {
  let position = -1
  eachRun(value, from, to, (bytes, first, end, at) => {
    const found = findBit(bytes, bit, first, end)
    if (found >= 0) position = at - first + found
    return found >= 0
  })
  return position
}

/** All bytes of a value; of one in pieces a copy. */
export function bytesOf(value: AnyString | undefined): Buffer {
  return value === undefined ? EMPTY : value.bytes()
}

/**
 * The values combined byte by byte, as if all were `length` long, which the longest is; in pieces of `pieceBytes`.
 * @throws ReplyError when there is no memory
 */
export function combinedPieces(
  operation: BitOperation,
  values: readonly (AnyString | undefined)[],
  length: number,
  pieceBytes: number,
): Buffer[] {
  const wholes = values.map(value => (value instanceof PiecedString ? value : bytesOf(value)))
  const pieces: Buffer[] = []
  for (let at = 0; at < length; at += pieceBytes) {
    const end = Math.min(at + pieceBytes, length)
    const parts = wholes.map(whole => partOf(whole, at, end))
    pieces.push(combineBits(operation, parts))
  }
  return pieces
}

/** Bytes [from, to) as far as there are any, for reading. */
function partOf(whole: PiecedString | Buffer, from: number, to: number): Buffer {
  if (!(whole instanceof PiecedString)) return whole.subarray(from, to)
  const end = Math.min(to, whole.length)
  if (from >= end) return EMPTY
  let part: Buffer = EMPTY
  whole.visit(from, end, bytes => {
    part = bytes
    return true
  })
  return part.length === end - from ? part : whole.bytes(from, end)
}
