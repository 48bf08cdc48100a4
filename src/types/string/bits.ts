// Bit arithmetic over byte strings: counting, finding, combining. Bits are numbered from the most significant of the
// first byte. Pure. Used by: commands/bitmap.

import { allocate } from '../../base/allocation.js'

const BYTE_BITS = new Uint8Array(256)
for (let i = 1; i < 256; i++) BYTE_BITS[i] = BYTE_BITS[i >> 1] + (i & 1)
/** A word is 32 bits; its place in memory must be a multiple of its bytes. */
const WORD_BYTES = 4

/** Number of ones among bits [from, to). */
export function countBits(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to) return 0
  const first = Math.floor(from / 8)
  const last = Math.floor((to - 1) / 8)
  const headMask = 0xff >>> (from % 8)
  const tailMask = (0xff << (7 - ((to - 1) % 8))) & 0xff
  if (first === last) return BYTE_BITS[bytes[first] & headMask & tailMask]
  let count = BYTE_BITS[bytes[first] & headMask] + BYTE_BITS[bytes[last] & tailMask]
  const { begin, words, end } = wordsWithin(bytes, first + 1, last)
  for (let i = first + 1; i < begin; i++) count += BYTE_BITS[bytes[i]]
  for (let i = 0; i < words.length; i++) {
    let word = words[i]
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  for (let i = end; i < last; i++) count += BYTE_BITS[bytes[i]]
  return count
}

/** Number of the first bit equal to `bit` among bits [from, to), or -1. */
export function findBit(bytes: Uint8Array, bit: number, from: number, to: number): number {
  const wholeFrom = Math.ceil(from / 8)
  const wholeTo = Math.floor(to / 8)
  if (wholeFrom >= wholeTo) return findAmong(bytes, bit, from, to)
  const before = findAmong(bytes, bit, from, wholeFrom * 8)
  if (before !== -1) return before
  const at = skipBytes(bytes, bit === 1 ? 0 : 0xff, wholeFrom, wholeTo)
  return findAmong(bytes, bit, at * 8, Math.min(at * 8 + 8, to))
}

/** As findBit(), bit by bit. */
function findAmong(bytes: Uint8Array, bit: number, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (((bytes[Math.floor(at / 8)] >> (7 - (at % 8))) & 1) === bit) return at
  }
  return -1
}

/** The first byte of [from, to) that is not `skip`, or `to`. */
function skipBytes(bytes: Uint8Array, skip: number, from: number, to: number): number {
  const { begin, words } = wordsWithin(bytes, from, to)
  let at = from
  while (at < begin && bytes[at] === skip) at++
  if (at < begin) return at
  const skipWord = skip === 0 ? 0 : -1
  let i = 0
  while (i < words.length && words[i] === skipWord) i++
  at = begin + i * WORD_BYTES
  while (at < to && bytes[at] === skip) at++
  return at
}

/** The words that lie wholly in bytes [from, to), and the bytes [begin, end) that they are. */
function wordsWithin(bytes: Uint8Array, from: number, to: number): { begin: number; words: Int32Array; end: number } {
  const away = (bytes.byteOffset + from) % WORD_BYTES
  const begin = Math.min(to, away === 0 ? from : from + WORD_BYTES - away)
  const length = Math.floor((to - begin) / WORD_BYTES)
  // Without words there may be no aligned place to begin at.
  const words = length === 0 ? NO_WORDS : new Int32Array(bytes.buffer, bytes.byteOffset + begin, length)
  return { begin, words, end: begin + length * WORD_BYTES }
}

const NO_WORDS = new Int32Array(0)

export type BitOperation = 'and' | 'or' | 'xor' | 'not'

/** The operands combined byte by byte, as if all were as long as the longest; 'not' takes one operand. */
export function combineBits(operation: BitOperation, operands: readonly Uint8Array[]): Buffer {
  const length = operands.reduce((longest, one) => Math.max(longest, one.length), 0)
  const result = allocate(length)
  result.set(operands[0])
  result.fill(0, operands[0].length)
  if (operation === 'not') invert(result)
  for (let k = 1; k < operands.length; k++) {
    combineInto(operation, result, operands[k])
    if (operation === 'and') result.fill(0, operands[k].length)
  }
  return result
}

type Cells = Uint8Array | Int32Array

function invert(result: Buffer): void {
  const { words, end } = wordsWithin(result, 0, result.length)
  for (let i = 0; i < words.length; i++) words[i] = ~words[i]
  for (let i = end; i < result.length; i++) result[i] = ~result[i]
}

/** Word by word where both lie so in memory, `result` being a Buffer of its own; else byte by byte. */
function combineInto(operation: BitOperation, result: Buffer, other: Uint8Array): void {
  const mine = wordsWithin(result, 0, other.length)
  const theirs = wordsWithin(other, 0, other.length)
  let done = 0
  if (mine.begin === 0 && theirs.begin === 0) {
    combineCells(operation, mine.words, theirs.words)
    done = mine.end
  }
  combineCells(operation, result.subarray(done), other.subarray(done))
}

function combineCells(operation: BitOperation, result: Cells, other: Cells): void {
  const { length } = other
  if (operation === 'or') for (let i = 0; i < length; i++) result[i] |= other[i]
  else if (operation === 'xor') for (let i = 0; i < length; i++) result[i] ^= other[i]
  else for (let i = 0; i < length; i++) result[i] &= other[i]
}
