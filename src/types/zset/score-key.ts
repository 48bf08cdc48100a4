// Keys of a sorted set's tree by score: the score in eight bytes whose order is that of the numbers, then the member.
// Frozen (docs/format/zset.md). Minus zero lies where zero does: the two are equal, and members decide between them.

import type { KeyBuffer } from '../../pages/key-buffer.js'

export const SCORE_BYTES = 8
/** Up to so many characters a loop costs less than the call of a native function. */
const WRITTEN_HERE_MAX = 32
const SIGN = 0x80
const NO_MEMBER = ''
const scratch = Buffer.alloc(SCORE_BYTES)

/**
 * The key of a member; with no member, not above any key of this score and above all keys of lower scores.
 * @param keys where it is put; a Buffer of its own without
 */
export function scoreKey(score: number, member: string = NO_MEMBER, keys?: KeyBuffer): Buffer {
  const bytes = SCORE_BYTES + member.length
  const key = keys?.ofLength(bytes) ?? Buffer.allocUnsafe(bytes)
  key.writeDoubleBE(score === 0 ? 0 : score)
  // Positive numbers are in order already, behind the negative ones; those are in reverse order.
  if (key[0] < SIGN) key[0] |= SIGN
  else for (let i = 0; i < SCORE_BYTES; i++) key[i] = ~key[i]
  if (member.length > WRITTEN_HERE_MAX) key.latin1Write(member, SCORE_BYTES)
  else for (let i = 0; i < member.length; i++) key[SCORE_BYTES + i] = member.charCodeAt(i)
  return key
}

/** Above all keys of this score, not above any key of higher ones. */
export function keyAboveScore(score: number): Buffer {
  const key = scoreKey(score)
  // No score's bytes are all 255, so the sum has eight bytes too.
  let i = SCORE_BYTES - 1
  while (key[i] === 255) key[i--] = 0
  key[i]++
  return key
}

export function scoreIn(key: Buffer): number {
  const flip = key[0] >= SIGN ? 0 : 255
  scratch[0] = key[0] ^ (flip || SIGN)
  for (let i = 1; i < SCORE_BYTES; i++) scratch[i] = key[i] ^ flip
  return scratch.readDoubleBE()
}

export function memberIn(key: Buffer): string {
  return key.latin1Slice(SCORE_BYTES)
}
