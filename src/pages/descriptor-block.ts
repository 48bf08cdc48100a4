// A block: the descriptors of up to NODES_PER_BLOCK_MAX neighbouring pages, one row of the table Blocks. Its sums (a
// BlockSummary) live in the root, so that rank and seek over blocks never load another block's descriptors.
// A tree of few pages has one block that is part of the root and no row of its own (inline).
//
// The descriptors (BlockBody) of a clean block may be evicted. A caller may still hold one of its nodes then, so the
// block remembers the body weakly: as long as anybody has a node, loading the block gives back the same nodes.

import { assert } from '../base/assert.js'
import { CorruptionError } from '../base/errors.js'
import { numberedKey, Row, Table, type StoreObject } from '../store/row.js'
import type { Evictable } from '../store/rows.js'
import { ByteReader } from './byte-reader.js'
import { ByteWriter } from './byte-writer.js'
import { ascends, PAGE_KIND, type Page } from './page.js'
import {
  DESCRIPTOR_BYTES_EXPECTED,
  readDescriptor,
  writeDescriptor,
  type PageNode,
  type TreeIdentity,
} from './page-node.js'
import { decodePageRow, encodePageRow } from './page-row.js'
import { GUESSED_MIN, placeGuess } from './place-guess.js'

/** With 16-byte keys a full block is just under 4,096 bytes on disk. */
export const NODES_PER_BLOCK_MAX = 128
/** A tree of at most so many pages keeps its descriptors in the root. */
export const NODES_INLINE_MAX = 8
/** Number of the inline block; rows begin at 1. */
export const INLINE_BLOCK_NO = 0
/** What a node, its key and its place in the arrays take in memory; an estimate. */
const NODE_MEMORY_BYTES = 280

const NO_NODES: never[] = []
const NO_NUMBERS: number[] = []

export class BlockBody<K, P extends Page<K>> {
  nodes: PageNode<K, P>[] = NO_NODES
  // Side by side: gone through far faster than through the objects. Most bodies are of very many small trees and have
  // one node for ever: they do without, until a second node comes.
  /** nodes[i].count. */
  #counts: number[] = NO_NUMBERS
  /** nodes[i].summary. */
  #summaries: number[] = NO_NUMBERS
  /** The prefix of nodes[i].firstKey; empty when the codec has none. */
  #prefixes: number[] = NO_NUMBERS

  constructor(public block: DescriptorBlock<K, P>) {}

  insert(at: number, node: PageNode<K, P>): void {
    const { codec } = node.tree
    node.body = this
    if (this.nodes.length === 0) {
      // Arrays of just one: of very many small trees most never have another, and a push makes room for seventeen.
      node.index = 0
      this.nodes = [node]
      this.#counts = NO_NUMBERS
      this.#summaries = NO_NUMBERS
      this.#prefixes = NO_NUMBERS
      return
    }
    if (this.#isSingle) this.#layOut()
    if (at === this.nodes.length) {
      node.index = at
      this.nodes.push(node)
      this.#counts.push(node.count)
      this.#summaries.push(node.summary)
      if (codec.prefix !== undefined) this.#prefixes.push(codec.prefix(node.firstKey))
      return
    }
    this.nodes.splice(at, 0, node)
    this.#counts.splice(at, 0, node.count)
    this.#summaries.splice(at, 0, node.summary)
    if (codec.prefix !== undefined) this.#prefixes.splice(at, 0, codec.prefix(node.firstKey))
    this.#renumber(at)
  }

  remove(at: number): void {
    this.nodes.splice(at, 1)
    if (this.#isSingle) return
    this.#counts.splice(at, 1)
    this.#summaries.splice(at, 1)
    this.#prefixes.splice(at, 1)
    this.#renumber(at)
  }

  /** The node at `at` has another count. */
  setCount(at: number, count: number): void {
    this.nodes[at].count = count
    if (!this.#isSingle) this.#counts[at] = count
  }

  /** The node at `at` has another summary. */
  setSummary(at: number, summary: number): void {
    this.nodes[at].summary = summary
    if (!this.#isSingle) this.#summaries[at] = summary
  }

  /** The first node from `from` on whose summary is <= `bound`. */
  firstWithSummaryAtMost(from: number, bound: number): PageNode<K, P> | undefined {
    const { nodes } = this
    if (this.#isSingle) return from < nodes.length && nodes[from].summary <= bound ? nodes[from] : undefined
    const summaries = this.#summaries
    for (let i = from; i < summaries.length; i++) if (summaries[i] <= bound) return nodes[i]
    return undefined
  }

  /** Index of the node with the item of `rank`, and that item's index in it. There is such an item. */
  placeOf(rank: number): { at: number; index: number } {
    if (this.#isSingle) return { at: 0, index: rank }
    const counts = this.#counts
    let index = rank
    let at = 0
    while (index >= counts[at]) index -= counts[at++]
    return { at, index }
  }

  /** Whether there is one node at most, and nothing beside it. */
  get #isSingle(): boolean {
    return this.#counts === NO_NUMBERS
  }

  #layOut(): void {
    const { nodes } = this
    const { codec } = nodes[0].tree
    this.#counts = nodes.map(node => node.count)
    this.#summaries = nodes.map(node => node.summary)
    this.#prefixes = codec.prefix === undefined ? [] : nodes.map(node => codec.prefix!(node.firstKey))
  }

  /** Gives the first node another separator. */
  beginAt(firstKey: K): void {
    const node = this.nodes[0]
    const { codec } = node.tree
    node.firstKey = firstKey
    this.block.firstKey = firstKey
    if (codec.prefix !== undefined && !this.#isSingle) this.#prefixes[0] = codec.prefix(firstKey)
  }

  /** The last node whose separator is <= `key`; the first node when there is none. */
  nodeFor(key: K): PageNode<K, P> {
    const { nodes } = this
    if (nodes.length === 1) return nodes[0]
    const { codec } = nodes[0].tree
    if (codec.prefix !== undefined) return nodes[this.#indexByPrefix(key, codec.prefix(key))]
    let low = 0
    let high = nodes.length - 1
    // Most keys that are looked for belong into the last page.
    if (codec.compare(nodes[high].firstKey, key) <= 0) return nodes[high]
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (codec.compare(nodes[middle].firstKey, key) <= 0) low = middle
      else high = middle - 1
    }
    return nodes[low]
  }

  #indexByPrefix(key: K, prefix: number): number {
    const prefixes = this.#prefixes
    let low = 0
    let high = prefixes.length - 1
    // Most IDs of streams that are looked for belong into the last page.
    if (this.#isAtMost(high, key, prefix)) return high
    high--
    if (high > GUESSED_MIN) {
      let at = Math.min(placeGuess(prefixes[0], prefixes[high + 1], prefix, high + 2), high)
      if (this.#isAtMost(at, key, prefix)) {
        low = at
        for (let step = 1; (at += step) <= high; step *= 2) {
          if (this.#isAtMost(at, key, prefix)) low = at
          else high = at - 1
        }
      } else {
        high = at - 1
        for (let step = 1; (at -= step) > low; step *= 2) {
          if (this.#isAtMost(at, key, prefix)) low = at
          else high = at - 1
        }
      }
    }
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#isAtMost(middle, key, prefix)) low = middle
      else high = middle - 1
    }
    return low
  }

  #isAtMost(at: number, key: K, prefix: number): boolean {
    const other = this.#prefixes[at]
    return other === prefix ? this.#beginsAtMost(at, key) : other < prefix
  }

  #beginsAtMost(at: number, key: K): boolean {
    const node = this.nodes[at]
    return node.tree.codec.compare(node.firstKey, key) <= 0
  }

  /** Moves nodes [at, end) behind the nodes of `target`. */
  moveTo(target: BlockBody<K, P>, at: number): void {
    const moved = this.nodes.splice(at)
    if (!this.#isSingle) {
      this.#counts.splice(at)
      this.#summaries.splice(at)
      this.#prefixes.splice(at)
    }
    for (const node of moved) target.insert(target.nodes.length, node)
  }

  /** Items in nodes [0, at). */
  countBefore(at: number): number {
    if (this.#isSingle) return at === 0 ? 0 : this.nodes[0].count
    const counts = this.#counts
    let sum = 0
    for (let i = 0; i < at; i++) sum += counts[i]
    return sum
  }

  #renumber(from: number): void {
    const nodes = this.nodes
    for (let i = from; i < nodes.length; i++) nodes[i].index = i
  }
}

export class DescriptorBlock<K, P extends Page<K>> extends Row implements Evictable {
  usedTick = 0
  cacheSlot = -1
  cachedBytes = 0
  nodeCount = 0
  count = 0
  bodyBytes = 0
  /** Lower bound of the summaries of its pages. */
  summaryMin: number = Number.MAX_SAFE_INTEGER
  /** As summaryMin, of their visible summaries; in memory only. */
  visibleMin: number = Number.MAX_SAFE_INTEGER
  body: BlockBody<K, P> | undefined = undefined
  /** Place in the tree's list of blocks. */
  index = -1
  #evicted: WeakRef<BlockBody<K, P>> | undefined = undefined
  #firstKey: K
  /** As codec.prefix says of its first key; 0 when it says nothing. */
  prefix: number

  constructor(
    readonly tree: TreeIdentity<K, P>,
    readonly number: number,
    firstKey: K,
  ) {
    super()
    this.#firstKey = firstKey
    this.prefix = this.#prefixOf(firstKey)
  }

  /** The separator of its first page. */
  get firstKey(): K {
    return this.#firstKey
  }

  set firstKey(key: K) {
    this.#firstKey = key
    this.prefix = this.#prefixOf(key)
  }

  #prefixOf(key: K): number {
    return this.tree.codec.prefix?.(key) ?? 0
  }

  get table(): Table {
    return Table.Blocks
  }

  get owner(): StoreObject {
    return this.tree.owner
  }

  get inline(): boolean {
    return this.number === INLINE_BLOCK_NO
  }

  get memoryBytes(): number {
    return this.nodeCount * NODE_MEMORY_BYTES
  }

  rowKey(): Buffer {
    return numberedKey(this.tree.id, this.number)
  }

  encodeRow(): Buffer {
    const body = this.body
    assert(body !== undefined, 'a dirty block is resident')
    const writer = new ByteWriter(body.nodes.length * DESCRIPTOR_BYTES_EXPECTED)
    for (const node of body.nodes) writeDescriptor(writer, node)
    return encodePageRow(PAGE_KIND.descriptors, body.nodes.length, writer.done())
  }

  rowBytes(): number {
    return this.nodeCount * DESCRIPTOR_BYTES_EXPECTED
  }

  evict(): boolean {
    const body = this.body
    if (this.dirtyEpoch !== 0 || body === undefined) return false
    for (const node of body.nodes) if (node.resident !== undefined) return false
    this.#evicted = new WeakRef(body)
    this.body = undefined
    return true
  }

  /** The body that was evicted, if somebody still holds a node of it. */
  revived(): BlockBody<K, P> | undefined {
    const body = this.#evicted?.deref()
    this.#evicted = undefined
    return body
  }

  /** @throws CorruptionError when the row contradicts itself or the sums in the root */
  decodeRow(value: Buffer | undefined): BlockBody<K, P> {
    const what = `descriptor block ${this.number} of tree ${this.tree.id}`
    const reader = new ByteReader(decodePageRow(value, PAGE_KIND.descriptors, this.nodeCount, what), what)
    const body = bodyOf(this, readNodes(reader, this.tree, this.nodeCount))
    reader.end()
    const first = body.nodes[0]
    if (first === undefined || this.tree.codec.compare(first.firstKey, this.firstKey) !== 0) {
      throw new CorruptionError(`${what} does not begin where the root says`)
    }
    let bytes = 0
    for (const node of body.nodes) bytes += node.bodyBytes
    if (body.countBefore(body.nodes.length) !== this.count || bytes !== this.bodyBytes) {
      throw new CorruptionError(`${what} does not hold what the root says`)
    }
    return body
  }
}

/** Reads `nodeCount` descriptors. @throws CorruptionError when their separators do not ascend */
export function readNodes<K, P extends Page<K>>(
  reader: ByteReader,
  tree: TreeIdentity<K, P>,
  nodeCount: number,
): PageNode<K, P>[] {
  const nodes: PageNode<K, P>[] = []
  for (let i = 0; i < nodeCount; i++) {
    const node = readDescriptor(reader, tree)
    if (i > 0 && !ascends(tree.codec, nodes[i - 1].firstKey, node.firstKey)) {
      throw new CorruptionError(`${reader.what} has separators out of order`)
    }
    nodes.push(node)
  }
  return nodes
}

/** The body of `block` with these nodes, in order. */
export function bodyOf<K, P extends Page<K>>(
  block: DescriptorBlock<K, P>,
  nodes: readonly PageNode<K, P>[],
): BlockBody<K, P> {
  const body = new BlockBody(block)
  for (const [i, node] of nodes.entries()) body.insert(i, node)
  return body
}
