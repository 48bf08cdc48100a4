// Bit arithmetic over byte strings: counting, finding, combining. Bits are numbered from the most significant of the
// first byte. Pure. Used by: commands/bitmap.

import { allocate } from '../../base/allocation.js'

const BYTE_BITS = new Uint8Array(256)
for (let i = 1; i < 256; i++) BYTE_BITS[i] = BYTE_BITS[i >> 1] + (i & 1)

/** Number of ones among bits [from, to). */
export function countBits(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to) return 0
  const first = Math.floor(from / 8)
  const last = Math.floor((to - 1) / 8)
  const headMask = 0xff >>> (from % 8)
  const tailMask = (0xff << (7 - ((to - 1) % 8))) & 0xff
  if (first === last) return BYTE_BITS[bytes[first] & headMask & tailMask]
  let count = BYTE_BITS[bytes[first] & headMask] + BYTE_BITS[bytes[last] & tailMask]
  for (let i = first + 1; i < last; i++) count += BYTE_BITS[bytes[i]]
  return count
}

/** Number of the first bit equal to `bit` among bits [from, to), or -1. */
export function findBit(bytes: Uint8Array, bit: number, from: number, to: number): number {
  const skip = bit === 1 ? 0 : 0xff
  let at = from
  while (at < to) {
    const byte = bytes[Math.floor(at / 8)]
    if (at % 8 === 0 && byte === skip) {
      at += 8
      continue
    }
    if (((byte >> (7 - (at % 8))) & 1) === bit) return at
    at++
  }
  return -1
}

export type BitOperation = 'and' | 'or' | 'xor' | 'not'

/** The operands combined byte by byte, as if all were as long as the longest; 'not' takes one operand. */
export function combineBits(operation: BitOperation, operands: readonly Uint8Array[]): Buffer {
  const length = operands.reduce((longest, one) => Math.max(longest, one.length), 0)
  const result = allocate(length)
  result.set(operands[0])
  result.fill(0, operands[0].length)
  if (operation === 'not') for (let i = 0; i < length; i++) result[i] = ~result[i]
  for (let k = 1; k < operands.length; k++) {
    const other = operands[k]
    if (operation === 'or') for (let i = 0; i < other.length; i++) result[i] |= other[i]
    else if (operation === 'xor') for (let i = 0; i < other.length; i++) result[i] ^= other[i]
    else {
      for (let i = 0; i < other.length; i++) result[i] &= other[i]
      result.fill(0, other.length)
    }
  }
  return result
}
