// A page of items with keys and values of any length, in byte order of the keys: hashes, sets, sorted sets.
// Items lie in one buffer in the order they were written; places, in the order of the keys, say where. So an insert
// moves places and not bytes, and bytes handed out never change: replacing or removing an item leaves its bytes behind
// as waste until the page moves to a new buffer. On disk the items lie in key order without waste.
// Beside each offset stands the key's prefix: the bytes behind those that all keys of the page begin with. A search
// goes over these, which lie side by side, and looks at a key only where prefixes are equal.
// Used by: types/. Uses: item-bytes.

import { assert } from '../base/assert.js'
import { copyBytes } from '../base/copy-bytes.js'
import { CorruptionError } from '../base/errors.js'
import { gatherItems, placeItems } from '../native/page-items.js'
import {
  commonKeyBytes,
  compareKeyAt,
  compareKeys,
  itemBytesMax,
  itemEnd,
  keyAscends,
  keyLength,
  keyOffset,
  PREFIX_BYTES,
  prefixAt,
  prefixOf,
  putItem,
  valueIs,
  valueLength,
  valueOffset,
  type Content,
} from './item-bytes.js'
import { PAGE_KIND, type Page, type PageCodec } from './page.js'
import { bodyBytesFilling } from './page-row.js'

export const ITEM_BODY_BYTES_MAX = bodyBytesFilling(2)
const CAPACITY_BYTES_MIN = 256
/**
 * Buffers double up to here, and grow by a quarter beyond, as places do: pages of a large tree change here and there,
 * and what each has to spare is memory that holds nothing.
 */
const DOUBLED_BYTES_MAX = 1024
const DOUBLED_ITEMS_MAX = 64
const GROWTH_SHIFT = 2
const OBJECT_BYTES = 200
/** Places of an item: its prefix, then its offset. */
const WORDS = 2
const OFFSET = 1
const PLACES_MIN = 8
/** A page that moves takes its waste along unless that is more than one part in so many. */
const WASTE_PARTS = 4
/** What a page gets more than it needs when its waste made it move, as a shift: a full one would move each time. */
const ROOM_SHIFT = 3
/** Bytes of a separator's prefix: as many as a double holds exactly. */
const SEPARATOR_PREFIX_BYTES = 6
/** Of the bytes that all keys of a page share, so many are kept beside the page's fields: two words. */
const SHARED_BYTES_KEPT = 2 * PREFIX_BYTES
/** First step away from where a key was expected: as many places as a cache line holds. */
const STEP = 8
/** So many items are gone through by the addon: its call costs as much as a few of them here. */
const AT_ONCE_MIN = 16
const NO_BYTES = Buffer.alloc(0)

export class ItemPage implements Page<Buffer> {
  // What a search looks at comes first, to lie together.
  /** Of each item in key order WORDS numbers; those of the first `count` count. */
  #places: Uint32Array
  count = 0
  /** All keys begin with so many same bytes, which their prefixes leave out. */
  #skip = 0
  /** The first SHARED_BYTES_KEPT bytes of a key, of which those that are skipped count; int32: V8 keeps them here. */
  #shared = 0
  #sharedMore = 0
  /** About the lowest and the highest prefix, as int32: where a search begins depends on them, its outcome does not. */
  #lowest = 0
  #highest = 0
  #bytes: Buffer
  #used: number
  /** Bytes of [0, used) that no place refers to. */
  #wasted = 0

  constructor(bytes: Buffer, itemsExpected: number) {
    this.#places = new Uint32Array(itemsExpected * WORDS)
    this.#bytes = bytes
    this.#used = bytes.length
  }

  /** A page over `count` items that lie in key order in `body`. @throws CorruptionError unless they do */
  static decode(body: Buffer, count: number): ItemPage {
    // Each item takes two bytes at least: a damaged count must not reserve memory.
    if (count * 2 > body.length) throw new CorruptionError(`${count} items in ${body.length} bytes`)
    const page = new ItemPage(body, count)
    if (count >= AT_ONCE_MIN && page.#placed(body, count)) return page
    let at = 0
    let before = 0
    for (let i = 0; i < count; i++) {
      const end = itemEnd(body, at)
      if (end === -1) throw new CorruptionError(`item ${i} of ${count} is cut off`)
      if (i > 0 && !keyAscends(body, before, at)) throw new CorruptionError('items out of order')
      page.#places[i * WORDS + OFFSET] = at
      before = at
      at = end
    }
    if (at !== body.length) throw new CorruptionError(`more than ${count} items`)
    page.count = count
    page.#setPrefixes()
    return page
  }

  get bodyBytes(): number {
    return this.#used - this.#wasted
  }

  get memoryBytes(): number {
    return this.#bytes.length + this.#places.length * 4 + OBJECT_BYTES
  }

  get summary(): number {
    return 0
  }

  get visibleSummary(): number {
    return 0
  }

  lowerBound(key: Buffer): number {
    const { count } = this
    if (this.#skip > 0) {
      const side = this.#sideOf(key)
      if (side !== 0) return side < 0 ? 0 : count
    }
    const prefix = prefixOf(key, 0, key.length, this.#skip)
    let low = 0
    let high = count
    if (count > STEP) {
      let at = this.#guess(prefix)
      if (this.#isBelow(at, prefix, key)) {
        low = at + 1
        for (let step = STEP; (at += step) < count; step *= 2) {
          if (!this.#isBelow(at, prefix, key)) {
            high = at
            break
          }
          low = at + 1
        }
      } else {
        high = at
        for (let step = STEP; (at -= step) >= 0; step *= 2) {
          if (this.#isBelow(at, prefix, key)) {
            low = at + 1
            break
          }
          high = at
        }
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBelow(middle, prefix, key)) low = middle + 1
      else high = middle
    }
    return low
  }

  isAt(index: number, key: Buffer): boolean {
    return this.#compareAt(index, key) === 0
  }

  /** The item with this key, or -1. */
  indexOf(key: Buffer): number {
    const index = this.lowerBound(key)
    return index < this.count && this.isAt(index, key) ? index : -1
  }

  /** A view of the page's bytes, which never change. */
  keyAt(index: number): Buffer {
    const bytes = this.#bytes
    const at = this.#offset(index)
    const key = keyOffset(bytes, at)
    return bytes.subarray(key, key + keyLength(bytes, at))
  }

  /** A view of the page's bytes, which never change. */
  valueAt(index: number): Buffer {
    const bytes = this.#bytes
    const at = this.#offset(index)
    const value = valueOffset(bytes, at)
    return bytes.subarray(value, value + valueLength(bytes, at))
  }

  /** True when the item's value is `value`. */
  holds(index: number, value: Content): boolean {
    return valueIs(this.#bytes, this.#offset(index), value)
  }

  /** The value, of eight bytes, as a double, big-endian. */
  numberAt(index: number): number {
    return this.#bytes.readDoubleBE(valueOffset(this.#bytes, this.#offset(index)))
  }

  /** Writes a number over a value that numberAt() gives, and that nobody was handed a view of. */
  putNumber(index: number, value: number): void {
    this.#bytes.writeDoubleBE(value, valueOffset(this.#bytes, this.#offset(index)))
  }

  get(key: Buffer): Buffer | undefined {
    const index = this.indexOf(key)
    return index === -1 ? undefined : this.valueAt(index)
  }

  /** Adds the item or replaces its value; says whether it is new. */
  set(key: Buffer, value: Content): boolean {
    const index = this.lowerBound(key)
    const isNew = index === this.count || !this.isAt(index, key)
    if (isNew) this.insert(index, key, value)
    else this.replace(index, value)
    return isNew
  }

  /** Adds an item at `index`, which lowerBound(key) gave; the key must be new. */
  insert(index: number, key: Buffer, value: Content): void {
    const { count } = this
    const at = this.#write(key, value)
    if (count * WORDS === this.#places.length) this.#growPlaces()
    const places = this.#places
    if (index < count) places.copyWithin((index + 1) * WORDS, index * WORDS, count * WORDS)
    places[index * WORDS] = prefixOf(key, 0, key.length, this.#skip)
    places[index * WORDS + OFFSET] = at
    this.count = count + 1
    // Between two keys that share their first bytes every key does.
    if (index === 0 || index === count) this.#sharesLess()
  }

  replace(index: number, value: Content): void {
    const key = this.keyAt(index)
    this.#waste(index)
    this.count-- // the item must not be carried along should the bytes move
    this.#places.copyWithin(index * WORDS, (index + 1) * WORDS, (this.count + 1) * WORDS)
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
    this.#places.copyWithin(from * WORDS, to * WORDS, this.count * WORDS)
    const isEnd = from === 0 || to === this.count
    this.count -= to - from
    if (isEnd) this.#setEnds()
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
      const at = this.#offset(i)
      rest -= itemEnd(this.#bytes, at) - at
      if (rest < 0) return i
    }
    return this.count
  }

  encodeBody(): Buffer {
    const body = Buffer.allocUnsafe(this.bodyBytes)
    this.putBody(body, 0)
    return body
  }

  putBody(to: Buffer, at: number): void {
    const end = this.#copyItems(to, at)
    assert(end === at + this.bodyBytes, 'waste and items make up the page')
  }

  #offset(index: number): number {
    return this.#places[index * WORDS + OFFSET]
  }

  #compareAt(index: number, key: Buffer): number {
    return compareKeyAt(this.#bytes, this.#offset(index), key)
  }

  /** True when the key of the item is below `key`, whose prefix is `prefix`. */
  #isBelow(index: number, prefix: number, key: Buffer): boolean {
    const other = this.#places[index * WORDS]
    return other < prefix || (other === prefix && this.#compareAt(index, key) < 0)
  }

  /** The item where a key of this prefix would be, were all prefixes evenly spread. There are items. */
  #guess(prefix: number): number {
    const { count } = this
    const lowest = this.#lowest >>> 0
    const span = (this.#highest >>> 0) - lowest
    if (span <= 0) return count >>> 1
    if (prefix <= lowest) return 0
    return Math.min(Math.floor(((prefix - lowest) / span) * count), count - 1)
  }

  /** Where `key` lies beside all keys of the page by the bytes these share: 0 when it shares them too. */
  #sideOf(key: Buffer): number {
    const skip = this.#skip
    const { length } = key
    if (skip > SHARED_BYTES_KEPT || length < SHARED_BYTES_KEPT) return this.#compareSkipped(key)
    const first = prefixOf(key, 0, length, 0)
    const shared = this.#shared >>> 0
    if (skip <= PREFIX_BYTES) {
      const unshared = 8 * (PREFIX_BYTES - skip)
      return (first >>> unshared) - (shared >>> unshared)
    }
    if (first !== shared) return first - shared
    const unshared = 8 * (SHARED_BYTES_KEPT - skip)
    return (prefixOf(key, 0, length, PREFIX_BYTES) >>> unshared) - (this.#sharedMore >>> unshared)
  }

  /** As #sideOf(), from the bytes themselves. */
  #compareSkipped(key: Buffer): number {
    if (this.count === 0) return 0
    const bytes = this.#bytes
    const from = keyOffset(bytes, this.#offset(0))
    const compared = Math.min(this.#skip, key.length)
    for (let i = 0; i < compared; i++) if (key[i] !== bytes[from + i]) return key[i] - bytes[from + i]
    return compared === this.#skip ? 0 : -1
  }

  /** Has the prefixes begin where the keys differ, should a key at either end have come that shares less. */
  #sharesLess(): void {
    const shared = commonKeyBytes(this.#bytes, this.#offset(0), this.#offset(this.count - 1))
    if (this.count === 1 || shared < this.#skip) this.#setPrefixes()
    else this.#setEnds()
  }

  #setPrefixes(): void {
    const { count } = this
    this.#skip = count === 0 ? 0 : commonKeyBytes(this.#bytes, this.#offset(0), this.#offset(count - 1))
    for (let i = 0; i < count; i++) this.#places[i * WORDS] = prefixAt(this.#bytes, this.#offset(i), this.#skip)
    if (count > 0) this.#setShared()
  }

  /** Has the addon do what decode() does; false where it does not, also because it refuses. */
  #placed(body: Buffer, count: number): boolean {
    const skip = placeItems?.(body, this.#places, count) ?? -1
    if (skip < 0) return false
    this.count = count
    this.#skip = skip
    this.#setShared()
    return true
  }

  /** The prefixes are there; what lies beside them follows from them and from the first key. */
  #setShared(): void {
    this.#shared = prefixAt(this.#bytes, this.#offset(0), 0) | 0
    this.#sharedMore = prefixAt(this.#bytes, this.#offset(0), PREFIX_BYTES) | 0
    this.#setEnds()
  }

  /** The first or the last item is another one. */
  #setEnds(): void {
    if (this.count === 0) return
    this.#lowest = this.#places[0] | 0
    this.#highest = this.#places[(this.count - 1) * WORDS] | 0
  }

  #growPlaces(): void {
    const { count } = this
    const items = count + (count <= DOUBLED_ITEMS_MAX ? count : count >> GROWTH_SHIFT)
    const places = new Uint32Array(Math.max(PLACES_MIN, items) * WORDS)
    places.set(this.#places)
    this.#places = places
  }

  /** Copies the items to `to` at `start`, in key order; returns the offset behind them. */
  #copyItems(to: Buffer, start = 0): number {
    const bytes = this.#bytes
    if (gatherItems !== undefined && this.count >= AT_ONCE_MIN) {
      const end = gatherItems(bytes, this.#places, this.count, to, start)
      assert(end > start, 'items lie within their page')
      return end
    }
    let used = start
    let from = 0
    let end = 0
    // Neighbours that lie side by side go in one copy.
    for (let i = 0; i < this.count; i++) {
      const at = this.#offset(i)
      if (at !== end) {
        used = copyBytes(bytes, from, end, to, used)
        from = at
      }
      end = itemEnd(bytes, at)
    }
    return copyBytes(bytes, from, end, to, used)
  }

  #write(key: Buffer, value: Content): number {
    const needed = itemBytesMax(key, value)
    if (this.#used + needed > this.#bytes.length) this.#rewrite(needed)
    const at = this.#used
    this.#used = putItem(this.#bytes, at, key, value)
    return at
  }

  #waste(index: number): void {
    const at = this.#offset(index)
    this.#wasted += itemEnd(this.#bytes, at) - at
  }

  /** Moves the items to a new buffer with room for `bytes` more; with 0, to one of exactly their size. */
  #rewrite(bytes: number): void {
    // Leaving waste behind costs a look at each item: it is done when there is much, or when nothing else is left.
    const isFull = this.#used * 2 > ITEM_BODY_BYTES_MAX
    const asItIs = bytes > 0 && (this.#wasted === 0 || (!isFull && this.#wasted * WASTE_PARTS <= this.#used))
    const needed = (asItIs ? this.#used : this.bodyBytes) + bytes
    const room = asItIs || bytes === 0 ? 0 : Math.min(needed, ITEM_BODY_BYTES_MAX) >> ROOM_SHIFT
    const grown = needed + (needed <= DOUBLED_BYTES_MAX ? needed : needed >> GROWTH_SHIFT)
    const roomy = bytes === 0 ? 0 : Math.max(Math.min(grown, ITEM_BODY_BYTES_MAX), CAPACITY_BYTES_MIN)
    const fresh = Buffer.allocUnsafeSlow(Math.max(needed + room, roomy))
    if (asItIs) this.#bytes.copy(fresh, 0, 0, this.#used)
    else {
      this.#used = this.#copyItems(fresh)
      this.#wasted = 0
      this.#offsetsInOrder(fresh)
    }
    this.#bytes = fresh
  }

  /** The items lie in key order at the start of `bytes`. */
  #offsetsInOrder(bytes: Buffer): void {
    let at = 0
    for (let i = 0; i < this.count; i++) {
      this.#places[i * WORDS + OFFSET] = at
      at = itemEnd(bytes, at)
    }
  }

  /** Adds copies of items [from, count) of `other` behind its own. */
  #take(other: ItemPage, from: number): void {
    for (let i = from; i < other.count; i++) this.insert(this.count, other.keyAt(i), other.valueAt(i))
  }
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

/** The first bytes, a shorter key's with zeros behind it, as one number. */
function separatorPrefix(key: Buffer): number {
  let prefix = prefixOf(key, 0, key.length, 0)
  for (let i = PREFIX_BYTES; i < SEPARATOR_PREFIX_BYTES; i++) prefix = prefix * 256 + (i < key.length ? key[i] : 0)
  return prefix
}

/** `kind` tells the trees of different types apart; PAGE_KIND.items and above. */
export function itemCodec(kind: number = PAGE_KIND.items): PageCodec<Buffer, ItemPage> {
  return {
    kind,
    bodyBytesMax: ITEM_BODY_BYTES_MAX,
    compare: compareKeys,
    prefix: separatorPrefix,
    encodeKey: key => key,
    decodeKey: bytes => bytes,
    separator: shortestAbove,
    empty: () => new ItemPage(NO_BYTES, 0),
    decode: (body, count) => ItemPage.decode(body, count),
  }
}
