// The page cache's books: what is resident, in how many bytes, and who goes first when the budget is passed. It owns no
// memory itself; each item frees its own in evict(). Used by: store.ts, memory-rows.ts; told by pages/.
//
// Eviction is a clock with a second chance: one hand walks the items, roughly in the order of their admission (the last
// one takes the place of one that goes); what was used since the hand passed it last is skipped once.
// Invariants: (1) bytesUsed is the sum of the sizes of all items; items[i].cacheSlot is i; (2) an item used in the
// present tick is never evicted, so a command may hold a page it has just loaded and change it after touch(); a tick
// ends with the server's tick or when a quarter of the budget was admitted within it, so that one huge command stays
// bounded as well.

import { assert } from '../base/assert.js'
import { LongList } from '../base/long-list.js'
import type { Evictable, PageCache } from './rows.js'

/** Within one tick at least so many items may be admitted before the first of them can go. */
const ITEMS_PER_TICK_MIN = 64
const STEPS_PER_ADMISSION = 64
const STEPS_PER_TICK = 1024
/** When all is dirty a tick's steps are in vain: the next tries wait up to so many ticks. */
const TICKS_OF_REST_MAX = 256

export class ClockCache implements PageCache {
  tick = 1
  bytesUsed = 0
  heldBytes = 0
  #bytesMax: number
  // Not a Set: one that sees the same items come and go fills up with the traces of those that went.
  readonly #items = new LongList<Evictable>()
  #hand = 0
  /** Tick in which the hand began its present turn. */
  #turnTick = 1
  #admittedBytes = 0
  #admittedItems = 0
  /** Ticks to pass before the next try, and how many the last one that was in vain asked for. */
  #rest = 0
  #restAfterFailure = 1
  /** False once shed() has met nothing but dirty items and no other has come since. */
  #maySomeGo = true

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get count(): number {
    return this.#items.length
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    this.#evict(2 * this.#items.length + 2)
  }

  admit(item: Evictable): void {
    item.usedTick = this.tick
    if (item.cacheSlot >= 0) return
    item.cacheSlot = this.#items.push(item)
    this.#maySomeGo = true
    this.bytesUsed += item.cachedBytes
    this.#admittedItems++
    this.#admittedBytes += item.cachedBytes
    if (this.#admittedItems >= ITEMS_PER_TICK_MIN && this.#admittedBytes * 4 >= this.#bytesMax) this.advance()
    else if (this.bytesUsed > this.#bytesMax) this.#evict(STEPS_PER_ADMISSION)
  }

  resized(item: Evictable, delta: number): void {
    if (item.cacheSlot >= 0) this.bytesUsed += delta
  }

  /** The item's `cachedBytes` must still be what the cache was last told. */
  forget(item: Evictable): void {
    if (item.cacheSlot >= 0) this.#takeOut(item, item.cachedBytes)
  }

  #takeOut(item: Evictable, bytes: number): void {
    const last = this.#items.pop()
    assert(last !== undefined, 'what is taken out was an item')
    if (last !== item) {
      last.cacheSlot = item.cacheSlot
      this.#items.set(item.cacheSlot, last)
    }
    item.cacheSlot = -1
    this.bytesUsed -= bytes
  }

  /** Ends a tick: what was used before now may be evicted. */
  advance(): void {
    this.tick++
    this.#admittedBytes = 0
    this.#admittedItems = 0
    if (this.bytesUsed <= this.#bytesMax || this.#rest-- > 0) return
    const before = this.bytesUsed
    this.#evict(STEPS_PER_TICK)
    if (this.bytesUsed < before) return this.cleaned()
    this.#rest = this.#restAfterFailure
    this.#restAfterFailure = Math.min(this.#restAfterFailure * 2, TICKS_OF_REST_MAX)
  }

  /** Items that were dirty have become clean. */
  cleaned(): void {
    this.#maySomeGo = true
    this.#rest = 0
    this.#restAfterFailure = 1
  }

  /**
   * Evicts until so many bytes are free, or nothing clean is left; whatever the budget is. Between commands only: it
   * ends the tick. Returns the bytes freed.
   */
  shed(bytes: number): number {
    if (!this.#maySomeGo) return 0
    this.tick++
    // What stays of an item that goes is held from then on.
    const before = this.bytesUsed + this.heldBytes
    this.#evict(2 * this.#items.length + 2, () => before - this.bytesUsed - this.heldBytes < bytes)
    const freed = before - this.bytesUsed - this.heldBytes
    this.#maySomeGo = freed >= bytes
    return freed
  }

  /** Evicts whatever agrees to go, whenever it was used; for tests and for DEBUG. Returns how many went. */
  evictAll(): number {
    this.advance()
    let evicted = 0
    for (const item of Array.from(this.#items)) if (this.#evictOne(item)) evicted++
    return evicted
  }

  /**
   * At most `stepsMax` steps of the hand: when all is dirty or in use, trying again must not cost O(items) each time.
   */
  #evict(stepsMax: number, tooMuch = () => this.bytesUsed > this.#bytesMax): void {
    let stepsLeft = stepsMax
    while (tooMuch() && stepsLeft-- > 0) {
      const item = this.#items.at(this.#hand)
      if (item === undefined) this.#newTurn()
      else if (item.usedTick >= this.#turnTick || !this.#evictOne(item)) this.#hand++
    }
  }

  #newTurn(): void {
    this.#hand = 0
    this.#turnTick = this.tick
  }

  #evictOne(item: Evictable): boolean {
    if (item.usedTick >= this.tick) return false
    const bytes = item.cachedBytes
    if (!item.evict()) return false
    if (item.cacheSlot >= 0) this.#takeOut(item, bytes)
    return true
  }
}
