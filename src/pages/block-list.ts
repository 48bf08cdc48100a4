// The blocks of a tree in order, with the running sum of their items. The sums are kept up to the first block that
// changed since they were used, so that appends cost nothing and a rank costs one pass over what changed.

import type { DescriptorBlock } from './descriptor-block.js'
import type { Page, PageCodec } from './page.js'
import { GUESSED_MIN, placeGuess } from './place-guess.js'

const NO_SUMS = new Float64Array(1)
const NO_BLOCKS: never[] = []

export class BlockList<K, P extends Page<K>> {
  #blocks: DescriptorBlock<K, P>[] = NO_BLOCKS
  /** before[i] is the number of items in blocks [0, i); right for i <= #valid. */
  #before = NO_SUMS
  #valid = 0

  get blocks(): readonly DescriptorBlock<K, P>[] {
    return this.#blocks
  }

  insert(at: number, block: DescriptorBlock<K, P>): void {
    // An array of just one: of very many small trees most never have another, and a push makes room for seventeen.
    if (this.#blocks.length === 0) this.#blocks = [block]
    else this.#blocks.splice(at, 0, block)
    this.#renumber(at)
  }

  remove(at: number): void {
    this.#blocks.splice(at, 1)
    this.#renumber(at)
  }

  replace(at: number, block: DescriptorBlock<K, P>): void {
    block.index = at
    this.#blocks[at] = block
  }

  clear(): void {
    this.#blocks = NO_BLOCKS
    this.#before = NO_SUMS
    this.#valid = 0
  }

  /** Must be called when the item count of block `at` changed. */
  countChanged(at: number): void {
    if (at < this.#valid) this.#valid = at
  }

  /** Items in blocks [0, at). */
  countBefore(at: number): number {
    if (at > this.#valid) this.#sumUpTo(at)
    return this.#before[at]
  }

  /** The block with the item of `rank`, which must be below the number of all items. */
  indexAtRank(rank: number): number {
    let low = 0
    let high = this.blocks.length - 1
    if (high > this.#valid) this.#sumUpTo(high)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#before[middle] <= rank) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The last block whose first key is <= `key`; the first block when there is none. */
  indexFor(key: K, codec: PageCodec<K, P>): number {
    const blocks = this.blocks
    const prefix = codec.prefix?.(key) ?? 0
    let low = 0
    let high = blocks.length - 1
    if (high > GUESSED_MIN && codec.prefix !== undefined) {
      let at = placeGuess(blocks[0].prefix, blocks[high].prefix, prefix, blocks.length)
      if (isAtMost(blocks[at], prefix, key, codec)) {
        low = at
        for (let step = 1; (at += step) <= high; step *= 2) {
          if (isAtMost(blocks[at], prefix, key, codec)) low = at
          else high = at - 1
        }
      } else {
        high = at - 1
        for (let step = 1; (at -= step) > low; step *= 2) {
          if (isAtMost(blocks[at], prefix, key, codec)) low = at
          else high = at - 1
        }
      }
    }
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (isAtMost(blocks[middle], prefix, key, codec)) low = middle
      else high = middle - 1
    }
    return low
  }

  #sumUpTo(at: number): void {
    if (at >= this.#before.length) {
      const grown = new Float64Array(Math.max(16, at * 2))
      grown.set(this.#before)
      this.#before = grown
    }
    const before = this.#before
    const blocks = this.blocks
    for (let i = this.#valid; i < at; i++) before[i + 1] = before[i] + blocks[i].count
    this.#valid = at
  }

  #renumber(from: number): void {
    const blocks = this.blocks
    for (let i = from; i < blocks.length; i++) blocks[i].index = i
    if (from < this.#valid) this.#valid = from
  }
}

function isAtMost<K, P extends Page<K>>(
  block: DescriptorBlock<K, P>,
  prefix: number,
  key: K,
  codec: PageCodec<K, P>,
): boolean {
  return block.prefix === prefix ? codec.compare(block.firstKey, key) <= 0 : block.prefix < prefix
}
