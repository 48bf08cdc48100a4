// The keys of one slot in a hash table that is three things at once: lookup by name, SCAN order and uniform random
// pick. A table of our own instead of a Map: a Map stops at 2^24 keys, grows by one long pause, and cannot be
// scanned by cursor. Used by: database, lazy-free. Linear hashing: buckets split and merge one at a time, so no
// call costs more than its own bucket. Invariants: (1) a bucket holds exactly the entries whose hash addresses it;
// (2) size / 2 <= buckets <= 2 * size beyond the first segment's minimum; (3) at level n a bucket holds the hashes
// that share their low bits, which is one contiguous range in the order of the bit-reversed hash: SCAN walks that
// order, which no split or merge changes.

import { randomBytes } from 'node:crypto'
import { assert } from '../base/assert.js'
import type { KeyEntry } from './key-entry.js'

const SEGMENT_BITS = 10
const SEGMENT_BUCKETS = 1 << SEGMENT_BITS
const SEGMENT_MASK = SEGMENT_BUCKETS - 1
const BUCKETS_MIN = 4
const HASH_SPACE = 4294967296
/** Empty buckets a SCAN passes per key it was asked for, as Redis does. */
const SCAN_BUCKETS_PER_KEY = 10
/** random() accepts a place with chance length / this: uniform for all but absurdly long chains. */
const CHAIN_SAMPLED = 12

/** Differs per process, so that nobody can prepare names that share a bucket. */
const SEED = randomBytes(4).readInt32LE()

/** 32-bit hash of a name, signed. */
export function hashName(name: string): number {
  let h = SEED
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

type Segment = (KeyEntry | undefined)[]

export class KeyTable {
  size = 0
  #buckets = BUCKETS_MIN
  /** Mask of the level that is being filled: #buckets <= #mask + 1. */
  #mask = BUCKETS_MIN - 1
  /** Segments instead of one array: growing copies nothing. */
  #segments: Segment[] = [newSegment(BUCKETS_MIN)]

  find(name: string): KeyEntry | undefined {
    const hash = hashName(name)
    const bucket = this.#bucketOf(hash)
    let entry = this.#segments[bucket >>> SEGMENT_BITS][bucket & SEGMENT_MASK]
    while (entry !== undefined && (entry.hash !== hash || entry.name !== name)) entry = entry.next
    return entry
  }

  /** The name must not be in the table; not checked, because loading a directory would pay for it. */
  insert(entry: KeyEntry): void {
    const bucket = this.#bucketOf(entry.hash)
    const segment = this.#segments[bucket >>> SEGMENT_BITS]
    entry.next = segment[bucket & SEGMENT_MASK]
    segment[bucket & SEGMENT_MASK] = entry
    this.size++
    if (this.size > this.#buckets) this.#split()
  }

  remove(entry: KeyEntry): void {
    const bucket = this.#bucketOf(entry.hash)
    const segment = this.#segments[bucket >>> SEGMENT_BITS]
    const head = segment[bucket & SEGMENT_MASK]
    if (head === entry) {
      segment[bucket & SEGMENT_MASK] = entry.next
    } else {
      let before = head
      while (before !== undefined && before.next !== entry) before = before.next
      assert(before !== undefined, 'the entry is in its bucket')
      before.next = entry.next
    }
    entry.next = undefined
    this.size--
    while (this.#buckets > BUCKETS_MIN && this.#buckets > this.size * 2) this.#merge()
  }

  /** All entries, in no order. The table must not change meanwhile. */
  *entries(): Generator<KeyEntry> {
    for (let bucket = 0; bucket < this.#buckets; bucket++) {
      let entry = this.#segments[bucket >>> SEGMENT_BITS][bucket & SEGMENT_MASK]
      while (entry !== undefined) {
        const next: KeyEntry | undefined = entry.next
        yield entry
        entry = next
      }
    }
  }

  /**
   * Adds at least `count` entries from `cursor` on to `out` (fewer at the end or in a sparse table); returns the next
   * cursor, 0 at the end. A cursor is a place in the order of bit-reversed hashes: whatever else happens to the table,
   * a key that stays is met by the scan that passes its place.
   */
  scan(cursor: number, count: number, out: KeyEntry[]): number {
    let place = cursor
    let bucketsLeft = count * SCAN_BUCKETS_PER_KEY
    const enough = out.length + count
    while (place < HASH_SPACE) {
      const bucket = this.#bucketOf(reverseBits(place))
      let entry = this.#segments[bucket >>> SEGMENT_BITS][bucket & SEGMENT_MASK]
      for (; entry !== undefined; entry = entry.next) if (reverseBits(entry.hash) >= place) out.push(entry)
      const span = HASH_SPACE / this.#levelSize(bucket)
      place = place - (place % span) + span
      if (out.length >= enough || --bucketsLeft <= 0) break
    }
    return place < HASH_SPACE ? place : 0
  }

  /** A key picked with equal chances; `pick` gives [0, 1). Undefined when there is none. */
  random(pick: () => number): KeyEntry | undefined {
    if (this.size === 0) return undefined
    for (;;) {
      const bucket = Math.floor(pick() * this.#buckets)
      let place = Math.floor(pick() * CHAIN_SAMPLED)
      let entry = this.#segments[bucket >>> SEGMENT_BITS][bucket & SEGMENT_MASK]
      while (entry !== undefined && place-- > 0) entry = entry.next
      if (entry !== undefined) return entry
    }
  }

  #bucketOf(hash: number): number {
    const bucket = hash & this.#mask
    return bucket < this.#buckets ? bucket : hash & (this.#mask >>> 1)
  }

  /** Number of buckets of the level that `bucket` is at: the coarser one while its partner does not exist. */
  #levelSize(bucket: number): number {
    const half = (this.#mask >>> 1) + 1
    return bucket >= half || bucket + half < this.#buckets ? half * 2 : half
  }

  #split(): void {
    const added = this.#buckets
    if (added > this.#mask) this.#mask = this.#mask * 2 + 1
    const from = added & (this.#mask >>> 1)
    if (added >>> SEGMENT_BITS === this.#segments.length) this.#segments.push(newSegment(SEGMENT_BUCKETS))
    let stays: KeyEntry | undefined
    let moves: KeyEntry | undefined
    let entry = this.#segments[from >>> SEGMENT_BITS][from & SEGMENT_MASK]
    while (entry !== undefined) {
      const next: KeyEntry | undefined = entry.next
      if ((entry.hash & this.#mask) === added) {
        entry.next = moves
        moves = entry
      } else {
        entry.next = stays
        stays = entry
      }
      entry = next
    }
    this.#segments[from >>> SEGMENT_BITS][from & SEGMENT_MASK] = stays
    this.#segments[added >>> SEGMENT_BITS][added & SEGMENT_MASK] = moves
    this.#buckets++
  }

  #merge(): void {
    const last = --this.#buckets
    const to = last & (this.#mask >>> 1)
    const segment = this.#segments[to >>> SEGMENT_BITS]
    let entry = this.#segments[last >>> SEGMENT_BITS][last & SEGMENT_MASK]
    this.#segments[last >>> SEGMENT_BITS][last & SEGMENT_MASK] = undefined
    while (entry !== undefined) {
      const next: KeyEntry | undefined = entry.next
      entry.next = segment[to & SEGMENT_MASK]
      segment[to & SEGMENT_MASK] = entry
      entry = next
    }
    if ((last & SEGMENT_MASK) === 0 && last > 0) this.#segments.pop()
    if (this.#buckets === (this.#mask >>> 1) + 1) this.#mask >>>= 1
  }
}

/** The first segment starts small, because most databases are empty; it grows as an array does. */
function newSegment(buckets: number): Segment {
  const segment: Segment = []
  for (let i = 0; i < buckets; i++) segment.push(undefined)
  return segment
}

/** The 32 bits of `value` in reverse, unsigned. */
export function reverseBits(value: number): number {
  let v = value
  v = ((v >>> 1) & 0x55555555) | ((v & 0x55555555) << 1)
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2)
  v = ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4)
  v = ((v >>> 8) & 0x00ff00ff) | ((v & 0x00ff00ff) << 8)
  return ((v >>> 16) | (v << 16)) >>> 0
}
