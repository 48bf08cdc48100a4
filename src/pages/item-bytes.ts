// The bytes of one item: varint key bytes, varint value bytes, key, value. Comparing and copying them where they lie.
// Used by: item-page, which says where items are.

import { copyBytes } from '../base/copy-bytes.js'
import { LENGTH_BYTES_MAX, lengthAt, putLength, skipLength } from './length-prefix.js'

/**
 * Most keys differ in their first bytes, and most keys and values are short: comparing and copying so many here costs
 * less than the call of a native function. A sorted set's key begins with the eight bytes of its score, which many
 * members may share.
 */
const BYTES_HERE_MAX = 32
/** Bytes of a prefix. */
export const PREFIX_BYTES = 4

/** A value: a latin1 string or bytes. */
export type Content = string | Buffer

/** Bytes of an item at most. */
export function itemBytesMax(key: Buffer, value: Content): number {
  return LENGTH_BYTES_MAX * 2 + key.length + value.length
}

/** Writes an item at `at`; returns the offset behind it. */
export function putItem(bytes: Buffer, at: number, key: Buffer, value: Content): number {
  const to = copyBytes(key, 0, key.length, bytes, putLength(bytes, putLength(bytes, at, key.length), value.length))
  return typeof value === 'string' ? writeText(value, bytes, to) : copyBytes(value, 0, value.length, bytes, to)
}

/** Where the item at `at` ends, or -1 when it does not end within the bytes. */
export function itemEnd(bytes: Uint8Array, at: number): number {
  const to = keyOffset(bytes, at)
  if (to > bytes.length || to - at > LENGTH_BYTES_MAX * 2) return -1
  const end = to + lengthAt(bytes, at) + lengthAt(bytes, skipLength(bytes, at))
  return end <= bytes.length ? end : -1
}

/** Where the key of the item at `at` begins. */
export function keyOffset(bytes: Uint8Array, at: number): number {
  return skipLength(bytes, skipLength(bytes, at))
}

export function keyLength(bytes: Uint8Array, at: number): number {
  return lengthAt(bytes, at)
}

/** Where the value of the item at `at` begins. */
export function valueOffset(bytes: Uint8Array, at: number): number {
  return keyOffset(bytes, at) + lengthAt(bytes, at)
}

export function valueLength(bytes: Uint8Array, at: number): number {
  return lengthAt(bytes, skipLength(bytes, at))
}

/** Below zero when the key of the item at `at` is below `key`, above zero when it is above. */
export function compareKeyAt(bytes: Buffer, at: number, key: Buffer): number {
  const length = lengthAt(bytes, at)
  const from = keyOffset(bytes, at)
  const shorter = Math.min(length, key.length)
  const compared = Math.min(shorter, BYTES_HERE_MAX)
  for (let i = 0; i < compared; i++) {
    const difference = bytes[from + i] - key[i]
    if (difference !== 0) return difference
  }
  if (compared === shorter) return length - key.length
  return bytes.compare(key, compared, key.length, from + compared, from + length)
}

/** How many bytes the keys of two items have in common at their start. */
export function commonKeyBytes(bytes: Uint8Array, a: number, b: number): number {
  const shorter = Math.min(lengthAt(bytes, a), lengthAt(bytes, b))
  const [keyA, keyB] = [keyOffset(bytes, a), keyOffset(bytes, b)]
  let common = 0
  while (common < shorter && bytes[keyA + common] === bytes[keyB + common]) common++
  return common
}

/** True when the key of the item at `a` is below that of the item at `b`. */
export function keyAscends(bytes: Uint8Array, a: number, b: number): boolean {
  const common = commonKeyBytes(bytes, a, b)
  if (common === lengthAt(bytes, b)) return false
  return common === lengthAt(bytes, a) || bytes[keyOffset(bytes, a) + common] < bytes[keyOffset(bytes, b) + common]
}

/** True when the value of the item at `at` is `value`. */
export function valueIs(bytes: Buffer, at: number, value: Content): boolean {
  const { length } = value
  if (valueLength(bytes, at) !== length) return false
  const from = valueOffset(bytes, at)
  if (length > BYTES_HERE_MAX) {
    const other = typeof value === 'string' ? Buffer.from(value, 'latin1') : value
    return bytes.compare(other, 0, length, from, from + length) === 0
  }
  if (typeof value === 'string') {
    for (let i = 0; i < length; i++) if (bytes[from + i] !== value.charCodeAt(i)) return false
    return true
  }
  for (let i = 0; i < length; i++) if (bytes[from + i] !== value[i]) return false
  return true
}

/** The prefix of the key of the item at `at`: its bytes from `skip` on, those that are missing zero, as one number. */
export function prefixAt(bytes: Uint8Array, at: number, skip: number): number {
  return prefixOf(bytes, keyOffset(bytes, at), lengthAt(bytes, at), skip)
}

/** As prefixAt(), of the key in [at, at + length). */
export function prefixOf(bytes: Uint8Array, at: number, length: number, skip: number): number {
  const from = at + skip
  if (length >= skip + PREFIX_BYTES) {
    return ((bytes[from] << 24) | (bytes[from + 1] << 16) | (bytes[from + 2] << 8) | bytes[from + 3]) >>> 0
  }
  let prefix = 0
  for (let i = skip; i < skip + PREFIX_BYTES; i++) prefix = prefix * 256 + (i < length ? bytes[at + i] : 0)
  return prefix
}

/** The order of keys that are no part of a page. */
export function compareKeys(a: Buffer, b: Buffer): number {
  const shorter = Math.min(a.length, b.length)
  const compared = Math.min(shorter, BYTES_HERE_MAX)
  for (let i = 0; i < compared; i++) if (a[i] !== b[i]) return a[i] - b[i]
  return compared === shorter ? a.length - b.length : Buffer.compare(a, b)
}

function writeText(text: string, to: Buffer, at: number): number {
  const { length } = text
  if (length > BYTES_HERE_MAX) to.latin1Write(text, at)
  else for (let i = 0; i < length; i++) to[at + i] = text.charCodeAt(i)
  return at + length
}
