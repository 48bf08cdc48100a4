// Bytes to latin1 strings for short arguments. Names of keys, fields and members come again and again, and making a
// string costs a call out of JavaScript: what was seen twice is kept, and found by a hash of its bytes.
// Used by: request. A cache of fixed size that forgets by overwriting; it holds no more than TEXT_BYTES_MAX per slot.

/** Longer texts are made anew: comparing them would cost what is saved. */
const TEXT_BYTES_MAX = 32
const SLOTS = 1 << 14

const texts: string[] = Array.from({ length: SLOTS }, () => '')
const lengths = new Uint8Array(SLOTS)
/** Of what is kept: most names that only share a slot are told apart without a look at their bytes. */
const hashes = new Int32Array(SLOTS)
const contents = new Uint8Array(SLOTS * TEXT_BYTES_MAX)
/** Hash of the last text that was not found in a slot: only what comes twice moves in, so that names that never return
 * cost nothing but their own string. */
const missed = new Int32Array(SLOTS)

/** Bytes [from, from + length) as a latin1 string: one character per byte. */
export function shortText(bytes: Buffer, from: number, length: number): string {
  if (length > TEXT_BYTES_MAX || length === 0) return bytes.latin1Slice(from, from + length)
  let hash = length
  for (let i = from, end = from + length; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0
  hash = Math.imul(hash, 0x9e3779b1)
  const slot = hash >>> 18
  if (hashes[slot] === hash && lengths[slot] === length && sameBytes(slot * TEXT_BYTES_MAX, bytes, from, length))
    return texts[slot]
  const text = bytes.latin1Slice(from, from + length)
  if (missed[slot] !== hash) {
    missed[slot] = hash
    return text
  }
  texts[slot] = text
  hashes[slot] = hash
  lengths[slot] = length
  for (let i = 0, at = slot * TEXT_BYTES_MAX; i < length; i++) contents[at + i] = bytes[from + i]
  return text
}

function sameBytes(at: number, bytes: Buffer, from: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (contents[at + i] !== bytes[from + i]) return false
  return true
}
