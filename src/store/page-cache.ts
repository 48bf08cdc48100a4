// The page cache's books: what is resident, in how many bytes, and who goes first when the budget is passed. It owns no
// memory itself; each item frees its own in evict(). Used by: store.ts, memory-rows.ts; told by pages/.
//
// Eviction is a clock with a second chance: one hand walks the items in the order of their admission; what was used
// since the hand passed it last is skipped once.
// Invariants: (1) bytesUsed is the sum of the sizes of all items; (2) an item used in the present tick is never
// evicted, so a command may hold a page it has just loaded and change it after touch(); a tick ends with the server's
// tick or when a quarter of the budget was admitted within it, so that one huge command stays bounded as well.

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
  #bytesMax: number
  readonly #items = new Set<Evictable>()
  #hand: Iterator<Evictable>
  /** Tick in which the hand began its present turn. */
  #turnTick = 1
  #admittedBytes = 0
  #admittedItems = 0
  /** Ticks to pass before the next try, and how many the last one that was in vain asked for. */
  #rest = 0
  #restAfterFailure = 1

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#hand = this.#items.values()
  }

  get count(): number {
    return this.#items.size
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    this.#evict(2 * this.#items.size + 2)
  }

  admit(item: Evictable): void {
    item.usedTick = this.tick
    if (this.#items.has(item)) return
    this.#items.add(item)
    this.bytesUsed += item.cachedBytes
    this.#admittedItems++
    this.#admittedBytes += item.cachedBytes
    if (this.#admittedItems >= ITEMS_PER_TICK_MIN && this.#admittedBytes * 4 >= this.#bytesMax) this.advance()
    else if (this.bytesUsed > this.#bytesMax) this.#evict(STEPS_PER_ADMISSION)
  }

  resized(item: Evictable, delta: number): void {
    if (!this.#items.has(item)) return
    this.bytesUsed += delta
  }

  /** The item's `cachedBytes` must still be what the cache was last told. */
  forget(item: Evictable): void {
    if (this.#items.delete(item)) this.bytesUsed -= item.cachedBytes
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
    this.#rest = 0
    this.#restAfterFailure = 1
  }

  /** Evicts whatever agrees to go, whenever it was used; for tests and for DEBUG. Returns how many went. */
  evictAll(): number {
    this.advance()
    let evicted = 0
    for (const item of this.#items) if (this.#evictOne(item)) evicted++
    return evicted
  }

  /**
   * At most `stepsMax` steps of the hand: when all is dirty or in use, trying again must not cost O(items) each time.
   */
  #evict(stepsMax: number): void {
    let stepsLeft = stepsMax
    while (this.bytesUsed > this.#bytesMax && stepsLeft-- > 0) {
      const step = this.#hand.next()
      if (step.done === true) this.#newTurn()
      else if (step.value.usedTick < this.#turnTick) this.#evictOne(step.value)
    }
  }

  #newTurn(): void {
    this.#hand = this.#items.values()
    this.#turnTick = this.tick
  }

  #evictOne(item: Evictable): boolean {
    if (item.usedTick >= this.tick) return false
    const bytes = item.cachedBytes
    if (!item.evict()) return false
    if (this.#items.delete(item)) this.bytesUsed -= bytes
    return true
  }
}
