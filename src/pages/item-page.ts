// A page of items with keys and values of any length, in byte order of the keys: hashes, sets, sorted sets, lists.
// Items lie in one buffer in the order they were written; a sorted array of slots says where. So an insert moves slots
// and not bytes, and bytes handed out never change: replacing or removing an item leaves its bytes behind as waste
// until the page moves to a new buffer.
// Item: varint key bytes, varint value bytes, key, value. On disk the items lie in key order without waste.
// Used by: types/.

import { assert } from '../base/assert.js'
import { CorruptionError } from '../base/errors.js'
import { PAGE_KIND, type Page, type PageCodec } from './page.js'
import { bodyBytesFilling } from './page-row.js'

export const ITEM_BODY_BYTES_MAX = bodyBytesFilling(2)
const CAPACITY_BYTES_MIN = 256
const OBJECT_BYTES = 200
/**
 * Most keys differ in their first bytes, and most keys and values are short: comparing and copying so many here costs
 * less than the call of a native function. A sorted set's key begins with the eight bytes of its score, which many
 * members may share.
 */
const BYTES_COMPARED_HERE = 32
const BYTES_COPIED_HERE = 32
/** A page that moves takes its waste along unless that is more than one part in so many. */
const WASTE_PARTS = 4
/** Lengths up to 2^32. */
const LENGTH_BYTES_MAX = 5
const NO_BYTES = Buffer.alloc(0)

export class ItemPage implements Page<Buffer> {
  #bytes: Buffer
  #used: number
  /** Bytes of [0, used) that no slot refers to. */
  #wasted = 0
  /** Offsets of the items, in key order; the first `count` count. */
  #slots: Uint32Array
  count = 0

  constructor(bytes: Buffer, slotsExpected: number) {
    this.#bytes = bytes
    this.#used = bytes.length
    this.#slots = new Uint32Array(slotsExpected)
  }

  /** A page over `count` items that lie in key order in `body`. @throws CorruptionError unless they do */
  static decode(body: Buffer, count: number): ItemPage {
    // Each item takes two bytes at least: a damaged count must not reserve memory.
    if (count * 2 > body.length) throw new CorruptionError(`${count} items in ${body.length} bytes`)
    const page = new ItemPage(body, count)
    let at = 0
    for (let i = 0; i < count; i++) {
      const end = itemEnd(body, at)
      if (end === -1) throw new CorruptionError(`item ${i} of ${count} is cut off`)
      page.#slots[i] = at
      page.count = i + 1
      if (i > 0 && Buffer.compare(page.keyAt(i - 1), page.keyAt(i)) >= 0)
        throw new CorruptionError('items out of order')
      at = end
    }
    if (at !== body.length) throw new CorruptionError(`more than ${count} items`)
    return page
  }

  get bodyBytes(): number {
    return this.#used - this.#wasted
  }

  get memoryBytes(): number {
    return this.#bytes.length + this.#slots.length * 4 + OBJECT_BYTES
  }

  get summary(): number {
    return 0
  }

  get visibleSummary(): number {
    return 0
  }

  lowerBound(key: Buffer): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareAt(middle, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The item with this key, or -1. */
  indexOf(key: Buffer): number {
    const index = this.lowerBound(key)
    return index < this.count && this.#compareAt(index, key) === 0 ? index : -1
  }

  /** A view of the page's bytes, which never change. */
  keyAt(index: number): Buffer {
    const bytes = this.#bytes
    const key = skipLengths(bytes, this.#slots[index])
    return bytes.subarray(key, key + lengthAt(bytes, this.#slots[index]))
  }

  /** A view of the page's bytes, which never change. */
  valueAt(index: number): Buffer {
    const bytes = this.#bytes
    const at = this.#slots[index]
    const value = skipLengths(bytes, at) + lengthAt(bytes, at)
    return bytes.subarray(value, value + lengthAt(bytes, skipLength(bytes, at)))
  }

  get(key: Buffer): Buffer | undefined {
    const index = this.indexOf(key)
    return index === -1 ? undefined : this.valueAt(index)
  }

  /** Adds the item or replaces its value; says whether it is new. */
  set(key: Buffer, value: Buffer): boolean {
    const index = this.lowerBound(key)
    const isNew = index === this.count || this.#compareAt(index, key) !== 0
    if (isNew) this.insert(index, key, value)
    else this.replace(index, value)
    return isNew
  }

  /** Adds an item at `index`, which lowerBound(key) gave; the key must be new. */
  insert(index: number, key: Buffer, value: Buffer): void {
    const at = this.#write(key, value)
    if (this.count === this.#slots.length) {
      const slots = new Uint32Array(Math.max(8, this.count * 2))
      slots.set(this.#slots)
      this.#slots = slots
    }
    this.#slots.copyWithin(index + 1, index, this.count)
    this.#slots[index] = at
    this.count++
  }

  replace(index: number, value: Buffer): void {
    const key = this.keyAt(index)
    this.#waste(index)
    this.count-- // the item must not be carried along should the bytes move
    this.#slots.copyWithin(index, index + 1, this.count + 1)
    this.insert(index, key, value)
  }

  /** Removes the item with this key; says whether there was one. */
  remove(key: Buffer): boolean {
    const index = this.indexOf(key)
    if (index !== -1) this.removeRange(index, index + 1)
    return index !== -1
  }

  removeRange(from: number, to: number): void {
    assert(from >= 0 && to <= this.count, 'the items to remove are there')
    if (from >= to) return
    for (let i = from; i < to; i++) this.#waste(i)
    this.#slots.copyWithin(from, to, this.count)
    this.count -= to - from
  }

  splitOff(at: number): ItemPage {
    const right = new ItemPage(NO_BYTES, this.count - at)
    right.#take(this, at)
    this.removeRange(at, this.count)
    this.#rewrite(0)
    return right
  }

  absorb(next: ItemPage): void {
    this.#take(next, 0)
  }

  indexAtBytes(bytes: number): number {
    let rest = bytes
    for (let i = 0; i < this.count; i++) {
      rest -= itemEnd(this.#bytes, this.#slots[i]) - this.#slots[i]
      if (rest < 0) return i
    }
    return this.count
  }

  encodeBody(): Buffer {
    const body = Buffer.allocUnsafe(this.bodyBytes)
    let to = 0
    for (let i = 0; i < this.count; i++) {
      const at = this.#slots[i]
      to += this.#bytes.copy(body, to, at, itemEnd(this.#bytes, at))
    }
    assert(to === body.length, 'waste and items make up the page')
    return body
  }

  #compareAt(index: number, key: Buffer): number {
    const bytes = this.#bytes
    const at = skipLengths(bytes, this.#slots[index])
    const end = at + lengthAt(bytes, this.#slots[index])
    const compared = Math.min(end - at, key.length, BYTES_COMPARED_HERE)
    for (let i = 0; i < compared; i++) {
      const difference = bytes[at + i] - key[i]
      if (difference !== 0) return difference
    }
    return bytes.compare(key, compared, key.length, at + compared, end)
  }

  #write(key: Buffer, value: Buffer): number {
    const needed = LENGTH_BYTES_MAX * 2 + key.length + value.length
    if (this.#used + needed > this.#bytes.length) this.#rewrite(needed)
    const at = this.#used
    const bytes = this.#bytes
    let to = putLength(bytes, at, key.length)
    to = putLength(bytes, to, value.length)
    to = copyAll(key, bytes, to)
    this.#used = copyAll(value, bytes, to)
    return at
  }

  #waste(index: number): void {
    const at = this.#slots[index]
    this.#wasted += itemEnd(this.#bytes, at) - at
  }

  /** Moves the items to a new buffer with room for `bytes` more; with 0, to one of exactly their size. */
  #rewrite(bytes: number): void {
    const old = this.#bytes
    const asItIs = bytes > 0 && this.#wasted * WASTE_PARTS <= this.#used
    const needed = (asItIs ? this.#used : this.bodyBytes) + bytes
    const doubled = Math.max(needed, Math.min(needed * 2, ITEM_BODY_BYTES_MAX), bytes === 0 ? 0 : CAPACITY_BYTES_MIN)
    this.#bytes = Buffer.allocUnsafeSlow(doubled)
    if (asItIs) {
      old.copy(this.#bytes, 0, 0, this.#used)
      return
    }
    this.#used = 0
    this.#wasted = 0
    for (let i = 0; i < this.count; i++) {
      const at = this.#slots[i]
      this.#slots[i] = this.#used
      this.#used += old.copy(this.#bytes, this.#used, at, itemEnd(old, at))
    }
  }

  /** Adds copies of items [from, count) of `other` behind its own. */
  #take(other: ItemPage, from: number): void {
    for (let i = from; i < other.count; i++) this.insert(this.count, other.keyAt(i), other.valueAt(i))
  }
}

/** Copies all of `from` to `to` at `at`; returns the offset behind it. */
function copyAll(from: Uint8Array, to: Uint8Array, at: number): number {
  const { length } = from
  if (length > BYTES_COPIED_HERE) to.set(from, at)
  else for (let i = 0; i < length; i++) to[at + i] = from[i]
  return at + length
}

function putLength(bytes: Uint8Array, at: number, length: number): number {
  let rest = length
  let to = at
  while (rest >= 128) {
    bytes[to++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  bytes[to++] = rest
  return to
}

function lengthAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] < 128) return bytes[at]
  let length = 0
  let scale = 1
  for (let i = at; ; i++, scale *= 128) {
    length += (bytes[i] & 127) * scale
    if (bytes[i] < 128) return length
  }
}

function skipLength(bytes: Uint8Array, at: number): number {
  let to = at
  while (bytes[to] >= 128) to++
  return to + 1
}

function skipLengths(bytes: Uint8Array, at: number): number {
  return skipLength(bytes, skipLength(bytes, at))
}

/** Where the item at `at` ends, or -1 when it does not end within the bytes. */
function itemEnd(bytes: Uint8Array, at: number): number {
  const to = skipLengths(bytes, at)
  if (to > bytes.length || to - at > LENGTH_BYTES_MAX * 2) return -1
  const end = to + lengthAt(bytes, at) + lengthAt(bytes, skipLength(bytes, at))
  return end <= bytes.length ? end : -1
}

function compareKeys(a: Buffer, b: Buffer): number {
  const compared = Math.min(a.length, b.length, BYTES_COMPARED_HERE)
  for (let i = 0; i < compared; i++) if (a[i] !== b[i]) return a[i] - b[i]
  return Buffer.compare(a, b)
}

/** The shortest prefix of `key` that is above `before`, in bytes of its own. */
function shortestAbove(before: Buffer | undefined, key: Buffer): Buffer {
  let common = 0
  if (before === undefined) common = key.length
  else while (common < before.length && before[common] === key[common]) common++
  const length = Math.min(common + 1, key.length)
  // Not from Node's pool, here and in pages: what lives long would keep the whole slab that it is cut from.
  const separator = Buffer.allocUnsafeSlow(length)
  key.copy(separator, 0, 0, length)
  return separator
}

/** `kind` tells the trees of different types apart; PAGE_KIND.items and above. */
export function itemCodec(kind: number = PAGE_KIND.items): PageCodec<Buffer, ItemPage> {
  return {
    kind,
    bodyBytesMax: ITEM_BODY_BYTES_MAX,
    compare: compareKeys,
    encodeKey: key => key,
    decodeKey: bytes => bytes,
    separator: shortestAbove,
    empty: () => new ItemPage(NO_BYTES, 0),
    decode: (body, count) => ItemPage.decode(body, count),
  }
}
