// The keys of one slot in a hash table that is three things at once: lookup by name, SCAN order and uniform random
// pick. A table of our own instead of a Map: a Map stops at 2^24 keys, grows by one long pause, and cannot be
// scanned by cursor. Used by: database, lazy-free.
//
// A look-up among many keys costs what it touches that no cache of the processor holds, so a key is told from others
// without a look at it: a group has room for GROUP_SLOTS keys, whose hashes lie in one line of memory and whose entries
// in another. Linear hashing: groups split and merge one at a time, so no call costs more than its own group.
// Invariants: (1) a group holds exactly the entries whose hash addresses it, in its first slots, and what finds no room
// there in its overflow; (2) size / FILL <= groups <= 2 * size / FILL or so, beyond the minimum; (3) at level n a group
// holds the hashes that share their low bits, which is one contiguous range in the order of the bit-reversed hash: SCAN
// walks that order, which no split or merge changes.

import { randomBytes } from 'node:crypto'
import { assert } from '../base/assert.js'
import type { KeyEntry } from './key-entry.js'

/** A cache line of hashes is 16, of entries 8. */
const GROUP_SLOTS = 8
/** Keys per group, about: more would overflow often, since groups that wait for their split hold twice as many. */
const FILL = 4
const SEGMENT_BITS = 12
const SEGMENT_GROUPS = 1 << SEGMENT_BITS
const SEGMENT_MASK = SEGMENT_GROUPS - 1
const HASH_SPACE = 4294967296
/** Groups a SCAN passes per key it was asked for, as Redis does with buckets that are empty. */
const SCAN_GROUPS_PER_KEY = 10
/** random() accepts a place with chance keys / this: uniform for all but absurdly full groups. */
const GROUP_SAMPLED = 24

/** Differs per process, so that nobody can prepare names that share a group. */
const SEED = randomBytes(4).readInt32LE()
const PRIME = 0x01000193

/** 32-bit hash of a name, signed. */
export function hashName(name: string): number {
  let h = SEED
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), PRIME)
  return mixed(h)
}

/** hashName() of the latin1 text bytes[from, from + length). */
function hashBytes(bytes: Buffer, from: number, length: number): number {
  let h = SEED
  for (let i = from, end = from + length; i < end; i++) h = Math.imul(h ^ bytes[i], PRIME)
  return mixed(h)
}

function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

type Slots = (KeyEntry | undefined)[]

const NOTHING = Buffer.alloc(0)

export class KeyTable {
  size = 0
  #groups = 1
  /** Mask of the level that is being filled: #groups <= #mask + 1. */
  #mask = 0
  /** Segments instead of one array each: growing copies nothing. */
  #hashes: Int32Array[] = [new Int32Array(GROUP_SLOTS)]
  #entries: Slots[] = [emptySlots(GROUP_SLOTS)]
  /** By group. */
  readonly #overflow = new Map<number, KeyEntry[]>()
  /** What nameOf() found last: a command asks for the entry of the name that it was given. */
  #named: KeyEntry | undefined

  find(name: string): KeyEntry | undefined {
    const named = this.#named
    return named !== undefined && named.name === name ? named : this.#look(hashName(name), name, NOTHING, 0, 0)
  }

  /**
   * The name of the key whose latin1 name is bytes[from, from + length); undefined when there is none. Who needs the
   * string saves making it, and find() of it costs nothing.
   */
  nameOf(bytes: Buffer, from: number, length: number): string | undefined {
    const entry = this.#look(hashBytes(bytes, from, length), undefined, bytes, from, length)
    if (entry !== undefined) this.#named = entry
    return entry?.name
  }

  /** Looks for `name`, or without one for bytes[from, from + length). */
  #look(hash: number, name: string | undefined, bytes: Buffer, from: number, length: number): KeyEntry | undefined {
    const group = this.#groupOf(hash)
    const entries = this.#entries[group >>> SEGMENT_BITS]
    const hashes = this.#hashes[group >>> SEGMENT_BITS]
    const first = (group & SEGMENT_MASK) * GROUP_SLOTS
    // Asked for at once: else it would be waited for only when a hash has been found.
    const last = entries[first + GROUP_SLOTS - 1]
    for (let i = first; i < first + GROUP_SLOTS; i++) {
      if (hashes[i] !== hash) continue
      const entry = entries[i]
      if (entry === undefined) continue
      if (name === undefined ? isName(entry.name, bytes, from, length) : entry.name === name) return entry
    }
    if (last === undefined || this.#overflow.size === 0) return undefined
    return this.#lookBeyond(group, name ?? bytes.latin1Slice(from, from + length))
  }

  #lookBeyond(group: number, name: string): KeyEntry | undefined {
    return this.#overflow.get(group)?.find(entry => entry.name === name)
  }

  /** The name must not be in the table; not checked, because loading a directory would pay for it. */
  insert(entry: KeyEntry): void {
    const hash = hashName(entry.name)
    this.#place(this.#groupOf(hash), hash, entry)
    this.size++
    if (this.size > this.#groups * FILL) this.#split()
  }

  remove(entry: KeyEntry): void {
    if (this.#named === entry) this.#named = undefined
    const group = this.#groupOf(hashName(entry.name))
    const entries = this.#entries[group >>> SEGMENT_BITS]
    const hashes = this.#hashes[group >>> SEGMENT_BITS]
    const first = (group & SEGMENT_MASK) * GROUP_SLOTS
    const end = first + GROUP_SLOTS
    let at = first
    while (at < end && entries[at] !== entry) at++
    const moved = this.#takeOverflow(group, at < end ? undefined : entry)
    if (at === end) {
      assert(moved === entry, 'the entry is in its group')
    } else if (moved !== undefined) {
      entries[at] = moved
      hashes[at] = hashName(moved.name)
    } else {
      // The slots stay filled from the first one on.
      let last = at
      while (last + 1 < end && entries[last + 1] !== undefined) last++
      entries[at] = entries[last]
      hashes[at] = hashes[last]
      entries[last] = undefined
    }
    this.size--
    while (this.#groups > 1 && this.#groups * FILL > this.size * 2) this.#merge()
  }

  /** All entries, in no order. The table must not change meanwhile. */
  *entries(): Generator<KeyEntry> {
    const held: KeyEntry[] = []
    for (let group = 0; group < this.#groups; group++) {
      held.length = 0
      this.#gather(group, held)
      yield* held
    }
  }

  /**
   * Adds at least `count` entries from `cursor` on to `out` (fewer at the end or in a sparse table); returns the next
   * cursor, 0 at the end. A cursor is a place in the order of bit-reversed hashes: whatever else happens to the table,
   * a key that stays is met by the scan that passes its place.
   */
  scan(cursor: number, count: number, out: KeyEntry[]): number {
    let place = cursor
    let groupsLeft = count * SCAN_GROUPS_PER_KEY
    const enough = out.length + count
    const held: KeyEntry[] = []
    while (place < HASH_SPACE) {
      const group = this.#groupOf(reverseBits(place))
      const span = HASH_SPACE / this.#levelSize(group)
      held.length = 0
      this.#gather(group, held)
      for (const entry of held) {
        if (place % span === 0 || reverseBits(hashName(entry.name)) >= place) out.push(entry)
      }
      place = place - (place % span) + span
      if (out.length >= enough || --groupsLeft <= 0) break
    }
    return place < HASH_SPACE ? place : 0
  }

  /** A key picked with equal chances; `pick` gives [0, 1). Undefined when there is none. */
  random(pick: () => number): KeyEntry | undefined {
    if (this.size === 0) return undefined
    for (;;) {
      const group = Math.floor(pick() * this.#groups)
      const place = Math.floor(pick() * GROUP_SAMPLED)
      const entry =
        place < GROUP_SLOTS
          ? this.#entries[group >>> SEGMENT_BITS][(group & SEGMENT_MASK) * GROUP_SLOTS + place]
          : this.#overflow.get(group)?.[place - GROUP_SLOTS]
      if (entry !== undefined) return entry
    }
  }

  #groupOf(hash: number): number {
    const group = hash & this.#mask
    return group < this.#groups ? group : hash & (this.#mask >>> 1)
  }

  /** Number of groups of the level that `group` is at: the coarser one while its partner does not exist. */
  #levelSize(group: number): number {
    const half = (this.#mask + 1) >>> 1
    if (half === 0) return 1
    return group >= half || group + half < this.#groups ? half * 2 : half
  }

  #place(group: number, hash: number, entry: KeyEntry): void {
    const entries = this.#entries[group >>> SEGMENT_BITS]
    const first = (group & SEGMENT_MASK) * GROUP_SLOTS
    for (let i = first; i < first + GROUP_SLOTS; i++) {
      if (entries[i] !== undefined) continue
      entries[i] = entry
      this.#hashes[group >>> SEGMENT_BITS][i] = hash
      return
    }
    const others = this.#overflow.get(group)
    if (others === undefined) this.#overflow.set(group, [entry])
    else others.push(entry)
  }

  /** Takes `entry` or any other one out of the group's overflow; undefined when there is none. */
  #takeOverflow(group: number, entry: KeyEntry | undefined): KeyEntry | undefined {
    const others = this.#overflow.get(group)
    if (others === undefined) return undefined
    const at = entry === undefined ? 0 : others.indexOf(entry)
    if (at < 0) return undefined
    const [taken] = others.splice(at, 1)
    if (others.length === 0) this.#overflow.delete(group)
    return taken
  }

  #gather(group: number, out: KeyEntry[]): void {
    const entries = this.#entries[group >>> SEGMENT_BITS]
    const first = (group & SEGMENT_MASK) * GROUP_SLOTS
    for (let i = first; i < first + GROUP_SLOTS; i++) {
      const entry = entries[i]
      if (entry === undefined) return
      out.push(entry)
    }
    const others = this.#overflow.get(group)
    if (others !== undefined) out.push(...others)
  }

  #split(): void {
    const added = this.#groups
    if (added > this.#mask) this.#mask = this.#mask * 2 + 1
    const from = added & (this.#mask >>> 1)
    this.#makeRoom(added)
    this.#groups++
    this.#deal(from)
  }

  #merge(): void {
    const last = --this.#groups
    if (this.#groups === (this.#mask + 1) >>> 1) this.#mask >>>= 1
    this.#deal(last)
    if ((last & SEGMENT_MASK) === 0 && last > 0) {
      this.#hashes.pop()
      this.#entries.pop()
    }
  }

  /** Empties the group and puts its entries where they belong now. */
  #deal(group: number): void {
    const entries = this.#entries[group >>> SEGMENT_BITS]
    const hashes = this.#hashes[group >>> SEGMENT_BITS]
    const first = (group & SEGMENT_MASK) * GROUP_SLOTS
    const others = this.#overflow.get(group)
    this.#overflow.delete(group)
    // An entry that stays is put into a slot that was looked at already.
    for (let i = first; i < first + GROUP_SLOTS; i++) {
      const entry = entries[i]
      if (entry === undefined) break
      entries[i] = undefined
      this.#place(this.#groupOf(hashes[i]), hashes[i], entry)
    }
    if (others === undefined) return
    for (const entry of others) {
      const hash = hashName(entry.name)
      this.#place(this.#groupOf(hash), hash, entry)
    }
  }

  /** The first segment starts small, because most databases are empty, and doubles. */
  #makeRoom(group: number): void {
    const segment = group >>> SEGMENT_BITS
    if (segment === this.#entries.length) {
      this.#hashes.push(new Int32Array(SEGMENT_GROUPS * GROUP_SLOTS))
      this.#entries.push(emptySlots(SEGMENT_GROUPS * GROUP_SLOTS))
    } else if ((group & SEGMENT_MASK) * GROUP_SLOTS === this.#hashes[segment].length) {
      const { length } = this.#hashes[segment]
      const wider = new Int32Array(length * 2)
      wider.set(this.#hashes[segment])
      this.#hashes[segment] = wider
      for (let i = 0; i < length; i++) this.#entries[segment].push(undefined)
    }
  }
}

function emptySlots(count: number): Slots {
  const slots: Slots = []
  for (let i = 0; i < count; i++) slots.push(undefined)
  return slots
}

function isName(name: string, bytes: Buffer, from: number, length: number): boolean {
  if (name.length !== length) return false
  for (let i = 0; i < length; i++) if (name.charCodeAt(i) !== bytes[from + i]) return false
  return true
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
