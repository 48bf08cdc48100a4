// Where a field lies in a large hash or set: by a keyed 64-bit hash of its name, then by the name. The key is drawn for
// each tree, so that nobody can prepare names that share a place, and stored with it: the order on the disk depends on
// it. The function is frozen with it (docs/format/hash.md).

import { KeyBuffer } from '../../pages/key-buffer.js'

export const SEED_BYTES = 8
/** Bytes of the hash before the name in a tree's key. */
export const HASH_BYTES = 8
/** Places of a scan are the top 53 bits of a hash: more would lose bits in clients that keep cursors as doubles. */
const LOW_BITS_DROPPED = 11
const LOW_SPAN = 2 ** (32 - LOW_BITS_DROPPED)
/** Above every place. */
export const PLACE_END = 2 ** 53

const keys = new KeyBuffer()

export class FieldHash {
  readonly #a: number
  readonly #b: number

  /** @param seed SEED_BYTES bytes */
  constructor(seed: Buffer) {
    this.#a = seed.readInt32BE(0)
    this.#b = seed.readInt32BE(4)
  }

  /** The key of a field in the tree: hash, then name. Valid until the next call. */
  keyOf(field: string): Buffer {
    const { length } = field
    const key = keys.ofLength(HASH_BYTES + length)
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < length; i++) {
      const c = field.charCodeAt(i)
      key[HASH_BYTES + i] = c
      a = Math.imul(a ^ c, 0x01000193)
      b = Math.imul(b ^ c, 0x5bd1e995)
      b = (b << 13) | (b >>> 19)
    }
    a = mixed(a ^ b)
    b = mixed(b + a)
    key.writeInt32BE(a, 0)
    key.writeInt32BE(b, 4)
    return key
  }
}

/** All bits of the result depend on all bits of `value`. */
function mixed(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** The name in a tree's key. */
export function fieldIn(key: Buffer): string {
  return key.latin1Slice(HASH_BYTES)
}

/** Where a scan meets a key: 0 to PLACE_END - 1. */
export function placeOf(key: Buffer): number {
  return key.readUInt32BE(0) * LOW_SPAN + (key.readUInt32BE(4) >>> LOW_BITS_DROPPED)
}

/** Not above any key of this place, above all keys of the places before. */
export function keyAtPlace(place: number): Buffer {
  const key = Buffer.allocUnsafe(HASH_BYTES)
  key.writeUInt32BE(Math.floor(place / LOW_SPAN), 0)
  key.writeUInt32BE((place % LOW_SPAN) * 2 ** LOW_BITS_DROPPED, 4)
  return key
}
