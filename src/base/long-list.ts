// A list that may become very long and is never moved: an array of millions that outgrows its room is copied into a new
// one in one go, while clients wait (20 ms and more for some hundred thousand rows, most of it in fresh memory). Here
// the items lie in segments of bounded size. Used by: store/dirty-rows, store/page-cache.
//
// Invariants: (1) every segment but the last is full, and none is empty; (2) segment i holds the items
// [i * SEGMENT_ITEMS, (i + 1) * SEGMENT_ITEMS).

const SEGMENT_BITS = 12
export const SEGMENT_ITEMS = 1 << SEGMENT_BITS
const SEGMENT_MASK = SEGMENT_ITEMS - 1

export class LongList<T> {
  readonly #segments: T[][] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Returns the place of the item. */
  push(item: T): number {
    const at = this.#length++
    if ((at & SEGMENT_MASK) === 0) this.#segments.push([item])
    else this.#segments[at >>> SEGMENT_BITS].push(item)
    return at
  }

  pop(): T | undefined {
    if (this.#length === 0) return undefined
    const at = --this.#length
    const item = this.#segments[at >>> SEGMENT_BITS].pop()
    if ((at & SEGMENT_MASK) === 0) this.#segments.pop()
    return item
  }

  /** Undefined beyond the last. */
  at(index: number): T | undefined {
    return index < this.#length ? this.#segments[index >>> SEGMENT_BITS][index & SEGMENT_MASK] : undefined
  }

  /** Puts another item in the place of one that is there. */
  set(index: number, item: T): void {
    this.#segments[index >>> SEGMENT_BITS][index & SEGMENT_MASK] = item
  }

  /** Takes out the item at `index`, which is there; costs as much as there are items behind it. */
  remove(index: number): void {
    for (let at = index + 1; at < this.#length; at++) this.set(at - 1, this.at(at)!)
    this.pop()
  }

  /** In order; what is pushed meanwhile comes too. */
  *[Symbol.iterator](): Generator<T> {
    for (let i = 0; i < this.#length; i++) yield this.at(i)!
  }
}
