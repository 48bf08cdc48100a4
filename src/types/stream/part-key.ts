// Keys of the rows in Table.Parts: the object they belong to, a letter for their kind, and what tells them apart. Used
// by: consumer, group, producer. Frozen, see docs/format/stream.md.

import { putU48 } from '../../store/row.js'
import type { StoreObject } from '../../store/row.js'

export const PART = { consumer: 0x63, group: 0x67, producer: 0x70 } as const
export type PartLetter = (typeof PART)[keyof typeof PART]

/** Bytes of the object's id and the letter. */
export const PART_PREFIX_BYTES = 7
const NUMBER_BYTES = 4
const ID_BYTES = 6

/** What the keys of all parts of a kind begin with. */
export function partPrefix(object: StoreObject, letter: PartLetter): Buffer {
  return keyOf(object, letter, 0)
}

/** The key of a part that has a number of 32 bits within its object. */
export function numberedPartKey(object: StoreObject, letter: PartLetter, number: number): Buffer {
  const key = keyOf(object, letter, NUMBER_BYTES)
  key.writeUInt32BE(number, PART_PREFIX_BYTES)
  return key
}

/** The number in such a key. */
export function partNumberOf(key: Buffer): number {
  return key.readUInt32BE(PART_PREFIX_BYTES)
}

/** The key of a part that is an object itself. */
export function objectPartKey(object: StoreObject, letter: PartLetter, id: number): Buffer {
  const key = keyOf(object, letter, ID_BYTES)
  putU48(key, PART_PREFIX_BYTES, id)
  return key
}

function keyOf(object: StoreObject, letter: PartLetter, moreBytes: number): Buffer {
  const key = Buffer.allocUnsafe(PART_PREFIX_BYTES + moreBytes)
  putU48(key, 0, object.id)
  key[PART_PREFIX_BYTES - 1] = letter
  return key
}
