// The finding half of OrderedPages: blocks, nodes and pages, loaded when needed. Nothing here changes what is stored.
// See ordered-pages.ts for the whole.

import { assert } from '../base/assert.js'
import { Table, type StoreObject } from '../store/row.js'
import type { RowRef } from '../store/page-misses.js'
import type { Rows } from '../store/rows.js'
import { BlockList } from './block-list.js'
import type { BlockBody, DescriptorBlock } from './descriptor-block.js'
import type { Page, PageCodec } from './page.js'
import type { PageNode, TreeIdentity } from './page-node.js'
import { decodePageOf } from './page-read.js'
import { decodeRoot, encodeRoot } from './tree-root.js'
import { TreeSnapshot } from './tree-snapshot.js'
import type { PageFilter } from './tree-snapshot.js'

export interface Position<K, P extends Page<K>> {
  node: PageNode<K, P>
  index: number
}

export abstract class PageTree<K, P extends Page<K>> {
  protected readonly rows: Rows
  readonly codec: PageCodec<K, P>
  protected tree: TreeIdentity<K, P>
  protected readonly list = new BlockList<K, P>()
  protected itemCount = 0
  protected itemBytes = 0
  protected nodeCount = 0
  /** A number belongs to one node for ever, so that a removed page's row is never taken for another's. */
  protected nextPageNo = 1
  protected nextBlockNo = 1

  protected constructor(rows: Rows, owner: StoreObject, codec: PageCodec<K, P>, root: Buffer | undefined) {
    this.rows = rows
    this.codec = codec
    if (root === undefined) {
      this.tree = { id: rows.newId(), codec, owner }
      return
    }
    const decoded = decodeRoot(root, codec, owner)
    this.tree = decoded.tree
    this.nextPageNo = decoded.nextPageNo
    this.nextBlockNo = decoded.nextBlockNo
    for (const block of decoded.blocks) {
      this.list.insert(this.list.blocks.length, block)
      this.itemCount += block.count
      this.itemBytes += block.bodyBytes
      this.nodeCount += block.nodeCount
    }
  }

  get treeId(): number {
    return this.tree.id
  }

  /** Live items in all pages. */
  get count(): number {
    return this.itemCount
  }

  /** Encoded bytes of all pages. */
  get bodyBytes(): number {
    return this.itemBytes
  }

  /** Of these, those whose pages are in memory; O(pages whose descriptors are). */
  residentBytes(): number {
    let bytes = 0
    for (const { body } of this.list.blocks) {
      for (const node of body?.nodes ?? []) if (node.resident !== undefined) bytes += node.bodyBytes
    }
    return bytes
  }

  get pageCount(): number {
    return this.nodeCount
  }

  /** In order; for checks and repair. */
  get blocks(): readonly DescriptorBlock<K, P>[] {
    return this.list.blocks
  }

  /** The nodes of a block, loaded if need be. @throws CorruptionError */
  nodesOf(block: DescriptorBlock<K, P>): readonly PageNode<K, P>[] {
    return this.bodyOf(block).nodes
  }

  encodeRoot(): Buffer {
    return encodeRoot(this.tree, this.nextPageNo, this.nextBlockNo, this.list)
  }

  /**
   * The page of a node, loaded if need be; notes the use. `items` says how many are wanted from its start on, below
   * zero from its end back: the pages that hold them are fetched with it, should it have to be fetched.
   */
  page(node: PageNode<K, P>, items = 0): P {
    const page = node.resident
    if (page === undefined) return this.#loadPage(node, items)
    node.usedTick = this.rows.cache.tick
    return page
  }

  first(): PageNode<K, P> | undefined {
    const blocks = this.list.blocks
    return blocks.length === 0 ? undefined : this.bodyOf(blocks[0]).nodes[0]
  }

  last(): PageNode<K, P> | undefined {
    const blocks = this.list.blocks
    if (blocks.length === 0) return undefined
    const { nodes } = this.bodyOf(blocks[blocks.length - 1])
    return nodes[nodes.length - 1]
  }

  next(node: PageNode<K, P>): PageNode<K, P> | undefined {
    const body = this.homeOf(node)
    if (node.index + 1 < body.nodes.length) return body.nodes[node.index + 1]
    const next = this.list.blocks[body.block.index + 1]
    return next === undefined ? undefined : this.bodyOf(next).nodes[0]
  }

  previous(node: PageNode<K, P>): PageNode<K, P> | undefined {
    const body = this.homeOf(node)
    if (node.index > 0) return body.nodes[node.index - 1]
    const previous = this.list.blocks[body.block.index - 1]
    if (previous === undefined) return undefined
    const { nodes } = this.bodyOf(previous)
    return nodes[nodes.length - 1]
  }

  /** The node whose page holds `key` or would take it; undefined only when the tree has no page. */
  nodeFor(key: K): PageNode<K, P> | undefined {
    const blocks = this.list.blocks
    if (blocks.length === 0) return undefined
    const block = blocks.length === 1 ? blocks[0] : blocks[this.list.indexFor(key, this.codec)]
    return this.bodyOf(block).nodeFor(key)
  }

  /**
   * The first item with key >= `key`, never past the end of a page; undefined when there is none. `items` as for
   * page().
   */
  seek(key: K, items = 0): Position<K, P> | undefined {
    const node = this.nodeFor(key)
    if (node === undefined) return undefined
    if (this.codec.compare(key, node.firstKey) <= 0) return { node, index: 0 }
    const index = this.page(node, items).lowerBound(key)
    if (index < node.count) return { node, index }
    const next = this.next(node)
    return next === undefined ? undefined : { node: next, index: 0 }
  }

  /** The last item with key <= `key`; undefined when there is none. `items` (below zero) as for page(). */
  seekLast(key: K, items = 0): Position<K, P> | undefined {
    const node = this.nodeFor(key)
    if (node === undefined || this.codec.compare(key, node.firstKey) < 0) return undefined
    const page = this.page(node, items)
    const index = page.lowerBound(key)
    if (index < page.count && this.codec.compare(page.keyAt(index), key) === 0) return { node, index }
    if (index > 0) return { node, index: index - 1 }
    const previous = this.previous(node)
    return previous === undefined ? undefined : { node: previous, index: previous.count - 1 }
  }

  /** The item with exactly this key. */
  find(key: K): Position<K, P> | undefined {
    const node = this.nodeFor(key)
    if (node === undefined || this.isBefore(key, node)) return undefined
    const page = this.page(node)
    const index = page.lowerBound(key)
    return index < page.count && page.isAt(index, key) ? { node, index } : undefined
  }

  /** True when `key`, whose nodeFor() is `node`, lies below its separator: so it may with the tree's first page. */
  protected isBefore(key: K, node: PageNode<K, P>): boolean {
    if (node.index !== 0 || this.homeOf(node).block.index !== 0) return false
    return this.codec.compare(key, node.firstKey) < 0
  }

  /** Number of items with key < `key`. Loads at most one page. */
  rank(key: K): number {
    const node = this.nodeFor(key)
    if (node === undefined) return 0
    const before = this.countBefore(node)
    return this.codec.compare(key, node.firstKey) <= 0 ? before : before + this.page(node).lowerBound(key)
  }

  /** Number of items in the pages before `node`. Loads none. */
  countBefore(node: PageNode<K, P>): number {
    const body = this.homeOf(node)
    return this.list.countBefore(body.block.index) + body.countBefore(node.index)
  }

  /** Number of items with from <= key < to. Loads at most two pages. */
  countBetween(from: K, to: K): number {
    return this.codec.compare(from, to) < 0 ? this.rank(to) - this.rank(from) : 0
  }

  /** The item at `rank` (0-based), or undefined past the end. Loads no page. */
  at(rank: number): Position<K, P> | undefined {
    if (rank < 0 || rank >= this.itemCount) return undefined
    const at = this.list.indexAtRank(rank)
    const body = this.bodyOf(this.list.blocks[at])
    const place = body.placeOf(rank - this.list.countBefore(at))
    return { node: body.nodes[place.at], index: place.index }
  }

  /**
   * The items of ranks [from, to), of which there must be some, as they are now, to be read while the tree changes; the
   * last first with `backwards`. With a filter, which goes forwards, pages it does not want are passed over.
   */
  snapshot(from: number, to: number, backwards = false, filter?: PageFilter<K>): TreeSnapshot<K, P> {
    assert(from >= 0 && from < to && to <= this.itemCount, 'a snapshot is of items that are there')
    const { list } = this
    const first = list.indexAtRank(from)
    const last = list.indexAtRank(to - 1)
    const blocks = list.blocks.slice(first, last + 1)
    const skip = backwards ? list.countBefore(last) + list.blocks[last].count - to : from - list.countBefore(first)
    return new TreeSnapshot(this.rows.view(), blocks, skip, to - from, backwards, filter)
  }

  /**
   * The first node behind `node` (of the tree when undefined) whose summary is <= `bound`. Skips whole blocks by their
   * lower bound, and raises the bound of a block in which it found nothing: what acknowledged entries leave behind.
   */
  nextWithSummaryAtMost(node: PageNode<K, P> | undefined, bound: number): PageNode<K, P> | undefined {
    const blocks = this.list.blocks
    let blockIndex = 0
    let from = 0
    if (node !== undefined) {
      blockIndex = this.homeOf(node).block.index
      from = node.index + 1
    }
    for (; blockIndex < blocks.length; blockIndex++, from = 0) {
      const block = blocks[blockIndex]
      if (block.summaryMin > bound) continue
      const body = this.bodyOf(block)
      const found = body.firstWithSummaryAtMost(from, bound)
      if (found !== undefined) return found
      if (from === 0) block.summaryMin = lowest(body.nodes, one => one.summary)
    }
    return undefined
  }

  /**
   * Takes over summaries that the resident page has worked out anew. A bound is only made tighter, so no row is
   * touched: what is stored stays right, and finds its way back here when it is loaded again.
   */
  summaryRefreshed(node: PageNode<K, P>): void {
    const page = node.resident
    if (page === undefined) return
    if (page.summary > node.summary) this.homeOf(node).setSummary(node.index, page.summary)
    if (page.visibleSummary > node.visibleSummary) node.visibleSummary = page.visibleSummary
  }

  /** As summaryRefreshed(), of a block: its bounds become the lowest of its nodes' bounds. */
  blockRefreshed(block: DescriptorBlock<K, P>): void {
    const { nodes } = this.bodyOf(block)
    block.summaryMin = lowest(nodes, node => node.summary)
    block.visibleMin = lowest(nodes, node => node.visibleSummary)
  }

  /** Lower bound of the visible summaries of all pages; O(blocks). */
  visibleMin(): number {
    return lowest(this.list.blocks, block => block.visibleMin)
  }

  /** Forgets what was hidden: all bounds are again those of all items. @param unhide of a resident page */
  unhide(unhide: (page: P) => void): void {
    for (const block of this.list.blocks) {
      block.visibleMin = block.summaryMin
      for (const node of block.body?.nodes ?? []) {
        if (node.resident !== undefined) unhide(node.resident)
        node.visibleSummary = node.summary
      }
    }
  }

  /** The descriptors of a block, loaded if need be. */
  protected bodyOf(block: DescriptorBlock<K, P>): BlockBody<K, P> {
    const body = block.body
    if (body === undefined) return this.#loadBlock(block)
    block.usedTick = this.rows.cache.tick
    return body
  }

  /** The body a node lives in; refuses nodes that were removed. */
  protected homeOf(node: PageNode<K, P>): BlockBody<K, P> {
    const { body } = node
    assert(body !== undefined && !node.removed, 'the page is still part of its tree')
    return body
  }

  /** Rows of the pages behind `node` (before it when `items` < 0) in its block that hold so many items with it. */
  #pagesBeside(node: PageNode<K, P>, items: number): RowRef[] {
    const { nodes } = this.homeOf(node)
    const step = items < 0 ? -1 : 1
    const rows: RowRef[] = []
    let left = Math.abs(items) - node.count
    let bytesLeft = Math.min(AHEAD_BYTES_MAX, this.rows.cache.bytesMax * AHEAD_OF_CACHE_MAX) - node.bodyBytes
    for (let i = node.index + step; left > 0 && i >= 0 && i < nodes.length; i += step) {
      const beside = nodes[i]
      left -= beside.count
      if (beside.resident !== undefined) continue
      bytesLeft -= beside.bodyBytes
      if (bytesLeft < 0 || rows.length === AHEAD_PAGES_MAX) break
      rows.push({ table: Table.Pages, key: beside.rowKey(), load: () => this.#loadAhead(beside) })
    }
    return rows
  }

  #loadBlock(block: DescriptorBlock<K, P>): BlockBody<K, P> {
    const body = block.revived() ?? block.decodeRow(this.rows.read(Table.Blocks, block.rowKey()))
    block.body = body
    block.cachedBytes = block.memoryBytes
    this.rows.cache.admit(block)
    return body
  }

  #loadPage(node: PageNode<K, P>, items: number): P {
    const { block } = this.homeOf(node)
    // A resident page keeps its block resident: without this a later look-up would make a second node for the page.
    this.bodyOf(block)
    const { misses } = this.rows
    if (misses.armed && Math.abs(items) > node.count) {
      misses.expect(this.#pagesBeside(node, items), () => this.#loadAhead(node))
    }
    const page = decodePageOf(node, this.rows.read(Table.Pages, node.rowKey()), node.count, node.bodyBytes)
    node.resident = page
    node.cachedBytes = page.memoryBytes
    this.rows.cache.admit(node)
    return page
  }

  /** Loads the page of a node that was in the tree a while ago. */
  #loadAhead(node: PageNode<K, P>): void {
    const { body } = node
    if (node.resident !== undefined || node.removed || node.owner.droppedEpoch !== 0) return
    // Whoever looks it up would read the block anew, and find another node there.
    if (body === undefined || body.block.body !== body) return
    this.#loadPage(node, 0)
  }
}

/** Pages read ahead, and their bytes at most: so that they are still there when the command comes to them. */
const AHEAD_PAGES_MAX = 64
const AHEAD_BYTES_MAX = 1 << 20
const AHEAD_OF_CACHE_MAX = 1 / 4

function lowest<N>(nodes: readonly N[], bound: (node: N) => number): number {
  let low: number = Number.MAX_SAFE_INTEGER
  for (const node of nodes) low = Math.min(low, bound(node))
  return low
}
