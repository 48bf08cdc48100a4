// OrderedPages: items sorted by key, in pages of bounded size, with resident descriptors (nodes) in blocks with partial
// sums. A node is the Row of its page; a block is the Row of its descriptors; the root (the list of blocks, or the
// descriptors themselves while they are few) is bytes that the owner keeps in its head row.
// Used by: types/. Uses: page-tree (finding), page-node, descriptor-block, block-list, tree-root.
//
// Invariants: (1) a page row, its descriptor and the sums above it change together, so root, block and page are touched
// together, before the change; (2) everything that may fail (loading) comes before the first touch; (3) no page in the
// tree is empty between commands; (4) a page above codec.bodyBytesMax holds a single item.
// A node stays valid until its page is removed, which changed() may do to `node` itself (it became empty, or small and
// was merged); indexes are void after every change.

import { assert } from '../base/assert.js'
import { StoreObject } from '../store/row.js'
import type { Rows } from '../store/rows.js'
import {
  BlockBody,
  DescriptorBlock,
  INLINE_BLOCK_NO,
  NODES_INLINE_MAX,
  NODES_PER_BLOCK_MAX,
} from './descriptor-block.js'
import { ascends, type Page, type PageCodec } from './page.js'
import { PAGE_NO_MAX, PageNode } from './page-node.js'
import { PageTree } from './page-tree.js'

export type { PageNode } from './page-node.js'
export type { Position } from './page-tree.js'

/** Pages below this share of the maximum are merged where that is free. */
const MERGE_BELOW = 1 / 4
/** What a merged page or block may fill at most, so that it is not split again at once. */
const MERGED_MAX = 1 / 2
/** Removed nodes kept to be used again. */
const SPARE_NODES_MAX = 16
const NO_SPARES: never[] = []

export class OrderedPages<K, P extends Page<K>> extends PageTree<K, P> {
  readonly #owner: StoreObject
  readonly #onRootChange: () => void
  /**
   * Nodes of removed pages, to be used again under their numbers: a queue that fills and empties all day would leave a
   * row to delete behind for every page it ever had.
   */
  #spares: PageNode<K, P>[] = NO_SPARES

  /**
   * @param root what encodeRoot() gave, or undefined for an empty new tree
   * @param onRootChange called before every change of what encodeRoot() gives: the owner touches its head row there
   * @throws CorruptionError when `root` is damaged
   */
  constructor(rows: Rows, owner: StoreObject, codec: PageCodec<K, P>, onRootChange: () => void, root?: Buffer) {
    super(rows, owner, codec, root)
    this.#owner = owner
    this.#onRootChange = onRootChange
  }

  /** Loads the page, marks the rows dirty, and returns the page ready to be changed. */
  willChange(node: PageNode<K, P>): P {
    const page = this.page(node)
    this.#touch(this.homeOf(node))
    this.rows.touch(node)
    if (node.pin !== undefined) this.#unpin(node)
    if (node.resident === undefined) this.#admit(node, page) // a full cache took it back before it was dirty
    return page
  }

  /**
   * Takes over the page's new count, bytes and summary; splits a page that became too large; removes a page that became
   * empty; merges a page that became very small with a neighbour only when the neighbour is resident and dirty already.
   */
  changed(node: PageNode<K, P>): void {
    const page = node.resident
    assert(page !== undefined, 'a page being changed is resident')
    const bytes = page.bodyBytes
    if (page.count === 0) {
      this.#remove(node)
      return
    }
    const shrank = bytes < node.bodyBytes
    this.#account(node, page)
    if (bytes > this.codec.bodyBytesMax) this.#split(node, page)
    else if (shrank && bytes < this.codec.bodyBytesMax * MERGE_BELOW) this.#mergePages(node)
  }

  /** A new empty page at the end, whose separator is `firstKey`; the caller fills it and calls changed(). */
  appendNode(firstKey: K): PageNode<K, P> {
    const last = this.last()
    assert(last === undefined || ascends(this.codec, last.firstKey, firstKey), 'a page is appended in order')
    if (last === undefined) this.#onRootChange()
    else this.#touch(this.homeOf(last))
    return this.#insert(last, this.codec.separator(undefined, firstKey), this.codec.empty())
  }

  /** As appendNode(), at the start; the tree has a page, and all its keys are above `firstKey`. */
  prependNode(firstKey: K): PageNode<K, P> {
    const first = this.first()
    assert(first !== undefined && ascends(this.codec, firstKey, first.firstKey), 'a page is prepended in order')
    const separator = this.codec.separator(undefined, firstKey)
    let body = this.homeOf(first)
    this.#touch(body)
    if (body.nodes.length === NODES_PER_BLOCK_MAX) body = this.#newBlock(0, separator)
    return this.#insertAt(body, 0, separator, this.codec.empty())
  }

  /**
   * For an insert of `key`: nodeFor(key), or a first page when the tree is empty; passed through willChange() already.
   */
  nodeForInsert(key: K): PageNode<K, P> {
    const node = this.nodeFor(key) ?? this.appendNode(key)
    this.willChange(node)
    if (this.isBefore(key, node)) this.homeOf(node).beginAt(this.codec.separator(undefined, key))
    return node
  }

  /** Removes a whole page without reading it. */
  removeNode(node: PageNode<K, P>): void {
    const body = this.homeOf(node)
    this.bodyOf(body.block)
    this.#touch(body)
    this.rows.touch(node)
    this.#remove(node)
  }

  /**
   * Removes everything, O(pages resident); rows are deleted by the store in the background. The tree goes on under a
   * new id, so that those deletions cannot meet new pages.
   */
  clear(): void {
    if (this.nodeCount === 0) return
    this.#onRootChange()
    this.release()
    const { tree } = this
    // The rows already dirty follow their tree into an object of its own, whose death the store can record.
    tree.owner = new StoreObject(tree.id)
    this.rows.drop(tree.owner, [tree.id])
    this.tree = { id: this.rows.newId(), codec: this.codec, owner: this.#owner }
    this.list.clear()
    this.#spares = NO_SPARES
    this.itemCount = 0
    this.itemBytes = 0
    this.nodeCount = 0
    this.nextPageNo = 1
    this.nextBlockNo = 1
  }

  /**
   * Takes all pages out of the page cache; for an owner that was or will be dropped whole (rows.drop with treeId). The
   * tree is not used afterwards.
   */
  release(): void {
    const { cache } = this.rows
    for (const block of this.list.blocks) {
      const { body } = block
      if (body === undefined) continue
      for (const node of body.nodes) if (node.resident !== undefined) cache.forget(node)
      if (!block.inline) cache.forget(block)
    }
  }

  /** Says that the descriptors in `body` are about to change, and with them their block's sums and the root. */
  #touch(body: BlockBody<K, P>): void {
    this.#onRootChange()
    const { block } = body
    if (block.inline) return
    this.rows.touch(block)
    if (block.body === undefined) this.#admitBlock(block, body)
  }

  /** Leaves the page as it is to the replies that hold it, before it changes. */
  #unpin(node: PageNode<K, P>): void {
    node.pin?.keep(this.codec)
    node.pin = undefined
  }

  #admit(node: PageNode<K, P>, page: P): void {
    node.resident = page
    node.cachedBytes = page.memoryBytes
    this.rows.cache.admit(node)
  }

  #admitBlock(block: DescriptorBlock<K, P>, body: BlockBody<K, P>): void {
    block.body = body
    block.cachedBytes = block.memoryBytes
    this.rows.cache.admit(block)
  }

  #account(node: PageNode<K, P>, page: P): void {
    const body = this.homeOf(node)
    const { block } = body
    const { count, bodyBytes, summary, visibleSummary, memoryBytes } = page
    const countDelta = count - node.count
    if (countDelta !== 0) {
      body.setCount(node.index, count)
      block.count += countDelta
      this.itemCount += countDelta
      this.list.countChanged(block.index)
    }
    const bytesDelta = bodyBytes - node.bodyBytes
    node.bodyBytes = bodyBytes
    block.bodyBytes += bytesDelta
    this.itemBytes += bytesDelta
    body.setSummary(node.index, summary)
    if (summary < block.summaryMin) block.summaryMin = summary
    node.visibleSummary = visibleSummary
    if (visibleSummary < block.visibleMin) block.visibleMin = visibleSummary
    const memoryDelta = memoryBytes - node.cachedBytes
    if (memoryDelta !== 0) {
      node.cachedBytes = memoryBytes
      this.rows.cache.resized(node, memoryDelta)
    }
  }

  /**
   * Splits until every page fits or holds one item. The last page of the tree keeps all it can: it grows by appends.
   */
  #split(node: PageNode<K, P>, page: P): void {
    const max = this.codec.bodyBytesMax
    if (page.count < 2 || page.bodyBytes <= max) return
    const wanted = page.indexAtBytes(this.#isLast(node) ? max : page.bodyBytes / 2)
    const at = Math.min(Math.max(wanted, 1), page.count - 1)
    const before = page.keyAt(at - 1)
    const right = page.splitOff(at) as P
    this.#account(node, page)
    const rightNode = this.#insert(node, this.codec.separator(before, right.keyAt(0)), right)
    this.#split(node, page)
    this.#split(rightNode, right)
  }

  #isLast(node: PageNode<K, P>): boolean {
    const body = this.homeOf(node)
    return node.index === body.nodes.length - 1 && body.block.index === this.list.blocks.length - 1
  }

  /** Makes the node of `page` and puts it behind `before`, whose rows are touched; at the start of an empty tree. */
  #insert(before: PageNode<K, P> | undefined, firstKey: K, page: P): PageNode<K, P> {
    const body = before === undefined ? this.#firstBody(firstKey) : this.#bodyWithRoom(before)
    return this.#insertAt(body, before !== undefined && before.body === body ? before.index + 1 : 0, firstKey, page)
  }

  /** Puts the node of a new page at place `at` of `body`, which is touched and has room. */
  #insertAt(body: BlockBody<K, P>, at: number, firstKey: K, page: P): PageNode<K, P> {
    const node = this.#spares.pop() ?? this.#newNode(firstKey)
    this.rows.touch(node)
    node.reuse(firstKey)
    body.insert(at, node)
    if (at === 0) body.block.firstKey = firstKey
    this.nodeCount++
    this.#nodesChanged(body.block, 1)
    this.#admit(node, page)
    this.#account(node, page)
    if (body.block.inline && body.nodes.length > NODES_INLINE_MAX) this.#giveRow(body)
    return node
  }

  #newNode(firstKey: K): PageNode<K, P> {
    assert(this.nextPageNo <= PAGE_NO_MAX, 'page numbers are left')
    return new PageNode<K, P>(this.tree, this.nextPageNo++, firstKey)
  }

  #firstBody(firstKey: K): BlockBody<K, P> {
    const block = new DescriptorBlock<K, P>(this.tree, INLINE_BLOCK_NO, firstKey)
    block.body = new BlockBody(block)
    this.list.insert(0, block)
    return block.body
  }

  /** The body that takes a node behind `before`: its own, half of it, or a new one when the tree grows at its end. */
  #bodyWithRoom(before: PageNode<K, P>): BlockBody<K, P> {
    const body = this.homeOf(before)
    if (body.nodes.length < NODES_PER_BLOCK_MAX) return body
    const at = this.#isLast(before) ? body.nodes.length : body.nodes.length / 2
    const right = this.#newBlock(body.block.index + 1, before.firstKey)
    if (at < body.nodes.length) this.#moveNodes(body, at, right)
    return right.nodes.length === 0 || before.body === right ? right : body
  }

  #newBlock(at: number, firstKey: K): BlockBody<K, P> {
    const block = new DescriptorBlock<K, P>(this.tree, this.nextBlockNo++, firstKey)
    this.rows.touch(block)
    const body = new BlockBody(block)
    this.list.insert(at, block)
    this.#admitBlock(block, body)
    return body
  }

  /** Moves nodes [at, end) of `source` behind those of `target`, sums and all. Both blocks are touched. */
  #moveNodes(source: BlockBody<K, P>, at: number, target: BlockBody<K, P>): void {
    let count = 0
    let bodyBytes = 0
    let { summaryMin, visibleMin } = target.block
    for (let i = at; i < source.nodes.length; i++) {
      count += source.nodes[i].count
      bodyBytes += source.nodes[i].bodyBytes
      summaryMin = Math.min(summaryMin, source.nodes[i].summary)
      visibleMin = Math.min(visibleMin, source.nodes[i].visibleSummary)
    }
    const moved = source.nodes.length - at
    source.moveTo(target, at)
    target.block.firstKey = target.nodes[0].firstKey
    target.block.summaryMin = summaryMin
    target.block.visibleMin = visibleMin
    for (const [block, sign] of [
      [source.block, -1],
      [target.block, 1],
    ] as const) {
      block.count += sign * count
      block.bodyBytes += sign * bodyBytes
      this.#nodesChanged(block, sign * moved)
      this.list.countChanged(block.index)
    }
  }

  #nodesChanged(block: DescriptorBlock<K, P>, delta: number): void {
    block.nodeCount += delta
    if (block.inline) return
    const memoryDelta = block.memoryBytes - block.cachedBytes
    block.cachedBytes += memoryDelta
    this.rows.cache.resized(block, memoryDelta)
  }

  /** The inline block has become too large for the root: it gets a row of its own. */
  #giveRow(body: BlockBody<K, P>): void {
    const block = new DescriptorBlock<K, P>(this.tree, this.nextBlockNo++, body.block.firstKey)
    this.rows.touch(block)
    this.#replaceBlock(body, block)
    this.#admitBlock(block, body)
  }

  /** The only block has become small: its descriptors go into the root. */
  #takeRow(body: BlockBody<K, P>): void {
    const { block } = body
    this.#replaceBlock(body, new DescriptorBlock<K, P>(this.tree, INLINE_BLOCK_NO, block.firstKey))
    this.#removeBlockRow(block)
  }

  #replaceBlock(body: BlockBody<K, P>, block: DescriptorBlock<K, P>): void {
    const old = body.block
    block.nodeCount = old.nodeCount
    block.count = old.count
    block.bodyBytes = old.bodyBytes
    block.summaryMin = old.summaryMin
    block.visibleMin = old.visibleMin
    block.body = body
    body.block = block
    this.list.replace(old.index, block)
  }

  /** Takes a touched node out of the tree. */
  #remove(node: PageNode<K, P>): void {
    const body = this.homeOf(node)
    const { block } = body
    const { cache } = this.rows
    if (node.resident !== undefined) cache.forget(node)
    node.resident = undefined
    node.removed = true
    node.body = undefined
    if (this.#spares === NO_SPARES) this.#spares = [node]
    else if (this.#spares.length < SPARE_NODES_MAX) this.#spares.push(node)
    block.count -= node.count
    block.bodyBytes -= node.bodyBytes
    this.itemCount -= node.count
    this.itemBytes -= node.bodyBytes
    this.nodeCount--
    body.remove(node.index)
    this.list.countChanged(block.index)
    this.#nodesChanged(block, -1)
    if (body.nodes.length === 0) this.#removeBlock(block)
    else {
      block.firstKey = body.nodes[0].firstKey
      if (!block.inline) this.#mergeBlocks(body)
    }
    this.#shrinkToInline()
  }

  #removeBlock(block: DescriptorBlock<K, P>): void {
    this.list.remove(block.index)
    if (!block.inline) this.#removeBlockRow(block)
  }

  /** The block is touched. */
  #removeBlockRow(block: DescriptorBlock<K, P>): void {
    this.rows.cache.forget(block)
    block.body = undefined
    block.removed = true
  }

  #shrinkToInline(): void {
    const { blocks } = this.list
    if (blocks.length !== 1 || blocks[0].inline || blocks[0].nodeCount > NODES_INLINE_MAX / 2) return
    const { body } = blocks[0]
    if (body === undefined) return // not worth a read now; the next removal in it comes here again
    this.rows.touch(blocks[0])
    this.#takeRow(body)
  }

  /** Joins a sparse block with a neighbour that is at hand. */
  #mergeBlocks(body: BlockBody<K, P>): void {
    if (body.nodes.length >= NODES_PER_BLOCK_MAX * MERGE_BELOW) return
    const { blocks } = this.list
    const { index } = body.block
    for (const leftIndex of [index - 1, index]) {
      const left = blocks[leftIndex]?.body
      const right = blocks[leftIndex + 1]?.body
      if (left === undefined || right === undefined) continue
      if (left.nodes.length + right.nodes.length > NODES_PER_BLOCK_MAX * MERGED_MAX) continue
      this.rows.touch(left.block)
      this.rows.touch(right.block)
      this.#moveNodes(right, 0, left)
      this.#removeBlock(right.block)
      return
    }
  }

  /** Joins a small page with a neighbour in its block, when that costs neither a read nor another dirty page. */
  #mergePages(node: PageNode<K, P>): void {
    const { nodes } = this.homeOf(node)
    for (const leftIndex of [node.index - 1, node.index]) {
      const left = nodes[leftIndex]
      const right = nodes[leftIndex + 1]
      if (left?.resident === undefined || right?.resident === undefined) continue
      if (left.dirtyEpoch === 0 || right.dirtyEpoch === 0) continue
      if (left.bodyBytes + right.bodyBytes > this.codec.bodyBytesMax * MERGED_MAX) continue
      this.rows.touch(left)
      this.rows.touch(right)
      this.#unpin(left)
      left.resident.absorb(right.resident)
      this.#account(left, left.resident)
      this.#remove(right)
      return
    }
  }
}
