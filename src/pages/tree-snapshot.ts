// The items of a range of ranks of a tree as they were at one moment, a page at a time, while the tree changes. Made in
// O(blocks + changed pages) and holding no more than that: pages that are clean are read again when their turn comes,
// from the view of the store opened with it; changed pages are in memory anyway and are pinned. Nothing is admitted to
// the page cache: a reply over everything does not drive out what others use.
// Used by: page-tree (makes), types/ (long reads). Uses: page-pin, RowsView.
//
// Invariants: (1) a page is given out for the time until the next call only; (2) what is in memory stands for a stored
// row only while the view says that it has not changed; (3) after close() nothing is read.

import { assert } from '../base/assert.js'
import { Table } from '../store/row.js'
import type { RowsView } from '../store/rows.js'
import { DescriptorBlock } from './descriptor-block.js'
import type { Page } from './page.js'
import type { PageNode } from './page-node.js'
import { PagePin } from './page-pin.js'
import { decodePageOf } from './page-read.js'

/** Bytes of pages that are fetched at a time, and how many pages at most. */
const WINDOW_BYTES = 512 * 1024
const WINDOW_PAGES = 64

/** Items [from, to) of a page. */
export interface PageSpan<P> {
  readonly page: P
  readonly from: number
  readonly to: number
}

/** A page as its descriptor said at that moment. */
interface PageRef<K, P extends Page<K>> {
  /** Of the tree, or one that was read again for this snapshot alone. */
  readonly node: PageNode<K, P>
  readonly count: number
  readonly bodyBytes: number
  readonly pin: PagePin<P> | undefined
}

/** A block: its pages, or, when it was clean, what is needed to read it again. */
interface BlockRef<K, P extends Page<K>> {
  readonly live: DescriptorBlock<K, P>
  readonly count: number
  readonly pages: readonly PageRef<K, P>[] | undefined
  /** With the sums of that moment, and no body; of a clean block. */
  readonly twin: DescriptorBlock<K, P> | undefined
}

interface SpanRef<K, P extends Page<K>> {
  readonly ref: PageRef<K, P>
  readonly from: number
  readonly to: number
}

interface Window<K, P extends Page<K>> {
  readonly spans: SpanRef<K, P>[]
  /** Undefined when nothing has to be fetched, or it has been. */
  ready: Promise<void> | undefined
}

/** Says whether pages that begin at `first` and end before `next` (undefined: the end) are wanted. */
export type PageFilter<K> = (first: K, next: K | undefined) => boolean

export class TreeSnapshot<K, P extends Page<K>> {
  readonly #view: RowsView
  readonly #blocks: BlockRef<K, P>[] = []
  readonly #backwards: boolean
  readonly #filter: PageFilter<K> | undefined
  /** Items to pass over before the first one wanted, and items still to come. */
  #skip: number
  #rest: number
  /** The next block, and the next page in it: counted from the end when going backwards. */
  #block = 0
  #page = 0
  #pages: readonly PageRef<K, P>[] | undefined
  #window: Window<K, P> = { spans: [], ready: undefined }
  #ahead: Window<K, P> | undefined
  /** Bytes of changed pages that are held. */
  pinnedBytes = 0
  #closed = false

  /**
   * @param blocks those with items [from, to) in them
   * @param skip items of the first block (the last, when going backwards) before the range
   */
  constructor(
    view: RowsView,
    blocks: readonly DescriptorBlock<K, P>[],
    skip: number,
    items: number,
    backwards: boolean,
    filter?: PageFilter<K>,
  ) {
    this.#view = view
    this.#backwards = backwards
    this.#filter = filter
    this.#skip = skip
    this.#rest = items
    for (const block of blocks) this.#blocks.push(this.#take(block))
    if (backwards) this.#blocks.reverse()
  }

  #take(block: DescriptorBlock<K, P>): BlockRef<K, P> {
    const { count, body } = block
    if (!block.inline && block.dirtyEpoch === 0) {
      const twin = new DescriptorBlock<K, P>(block.tree, block.number, block.firstKey)
      twin.nodeCount = block.nodeCount
      twin.count = count
      twin.bodyBytes = block.bodyBytes
      return { live: block, count, pages: undefined, twin }
    }
    assert(body !== undefined, 'a changed block is resident')
    return { live: block, count, pages: this.#ordered(body.nodes.map(node => this.#hold(node))), twin: undefined }
  }

  #hold(node: PageNode<K, P>): PageRef<K, P> {
    const { count, bodyBytes, resident } = node
    if (node.dirtyEpoch === 0) return { node, count, bodyBytes, pin: undefined }
    assert(resident !== undefined, 'a changed page is resident')
    const pin = (node.pin ??= new PagePin(resident))
    pin.holders++
    this.pinnedBytes += bodyBytes
    return { node, count, bodyBytes, pin }
  }

  #ordered(pages: PageRef<K, P>[]): PageRef<K, P>[] {
    return this.#backwards ? pages.reverse() : pages
  }

  /** What must be waited for before next(); undefined when it can be called now. */
  fetch(): Promise<void> | undefined {
    if (this.#window.spans.length > 0 || this.#closed) return undefined
    const window = this.#ahead ?? this.#plan()
    if (window.ready !== undefined) {
      this.#ahead = window
      return window.ready.then(() => void (window.ready = undefined))
    }
    this.#window = window
    // Read ahead: while this window is sent, the next is fetched.
    this.#ahead = window.spans.length > 0 ? this.#plan() : undefined
    return undefined
  }

  /** The next page with items of the range; undefined at the end. @throws CorruptionError */
  next(): PageSpan<P> | undefined {
    if (this.#closed) return undefined
    if (this.#window.spans.length === 0 && this.fetch() !== undefined) {
      // Whoever does not wait reads from the disk.
      this.#window = this.#ahead!
      this.#ahead = undefined
    }
    const span = this.#window.spans.shift()
    if (span === undefined) return undefined
    const page = this.#pageOf(span.ref)
    this.#letGo(span.ref)
    return { page, from: span.from, to: span.to }
  }

  /** Lets go of all pages and of the view. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const span of this.#window.spans) this.#letGo(span.ref)
    for (const span of this.#ahead?.spans ?? []) this.#letGo(span.ref)
    for (let i = this.#page; i < (this.#pages?.length ?? 0); i++) this.#letGo(this.#pages![i])
    const next = this.#pages === undefined ? this.#block : this.#block + 1
    for (const { pages } of this.#blocks.slice(next)) for (const ref of pages ?? []) this.#letGo(ref)
    this.#view.close()
  }

  #letGo({ pin, node, bodyBytes }: PageRef<K, P>): void {
    if (pin === undefined) return
    this.pinnedBytes -= bodyBytes
    if (--pin.holders === 0 && node.pin === pin) node.pin = undefined
  }

  #pageOf({ node, count, bodyBytes, pin }: PageRef<K, P>): P {
    if (pin !== undefined) return pin.page
    if (node.resident !== undefined && this.#view.isUnchanged(node)) return node.resident
    return decodePageOf(node, this.#view.read(Table.Pages, node.rowKey()), count, bodyBytes)
  }

  /** Takes the next spans, as many as are fetched at a time, and has those fetched that are not in memory. */
  #plan(): Window<K, P> {
    const spans: SpanRef<K, P>[] = []
    const keys: Buffer[] = []
    let bytes = 0
    while (this.#rest > 0 && spans.length < WINDOW_PAGES && bytes < WINDOW_BYTES) {
      const ref = this.#nextRef()
      if (ref === undefined) break
      const span = this.#spanOf(ref)
      if (span === undefined) {
        this.#letGo(ref)
        continue
      }
      spans.push(span)
      bytes += ref.bodyBytes
      const { node, pin } = ref
      const inMemory = pin !== undefined || (node.resident !== undefined && this.#view.isUnchanged(node))
      if (!inMemory) keys.push(node.rowKey())
    }
    return { spans, ready: keys.length === 0 ? undefined : this.#view.fetch(Table.Pages, keys) }
  }

  /** The items of a page that are in the range and wanted. */
  #spanOf(ref: PageRef<K, P>): SpanRef<K, P> | undefined {
    const { count } = ref
    if (this.#skip >= count) {
      this.#skip -= count
      return undefined
    }
    const taken = Math.min(count - this.#skip, this.#rest)
    const from = this.#backwards ? count - this.#skip - taken : this.#skip
    this.#skip = 0
    this.#rest -= taken
    if (this.#filter?.(ref.node.firstKey, this.#peekKey()) === false) return undefined
    return { ref, from, to: from + taken }
  }

  /** The separator of the page that comes next, going forwards. */
  #peekKey(): K | undefined {
    assert(!this.#backwards, 'a filter is for going forwards')
    const next = this.#pages?.[this.#page]
    if (next !== undefined) return next.node.firstKey
    const block = this.#blocks[this.#block + 1]
    return block === undefined ? undefined : (block.twin ?? block.pages![0].node).firstKey
  }

  #nextRef(): PageRef<K, P> | undefined {
    for (;;) {
      const block = this.#blocks[this.#block]
      if (block === undefined) return undefined
      this.#pages ??= this.#passes(block) ? [] : (block.pages ?? this.#read(block))
      if (this.#page < this.#pages.length) return this.#pages[this.#page++]
      this.#block++
      this.#page = 0
      this.#pages = undefined
    }
  }

  /** True when no page of a block that would have to be read is wanted; then it is counted as passed over. */
  #passes({ twin, count }: BlockRef<K, P>): boolean {
    if (this.#filter === undefined || twin === undefined) return false
    const next = this.#blocks[this.#block + 1]
    const nextKey = next === undefined ? undefined : (next.twin ?? next.pages![0].node).firstKey
    if (this.#filter(twin.firstKey, nextKey)) return false
    const taken = Math.min(count - this.#skip, this.#rest)
    this.#skip = 0
    this.#rest -= taken
    return true
  }

  #read({ live, twin }: BlockRef<K, P>): PageRef<K, P>[] {
    assert(twin !== undefined, 'a block without pages was clean')
    const isLive = live.body !== undefined && this.#view.isUnchanged(live)
    const body = isLive ? live.body! : twin.decodeRow(this.#view.read(Table.Blocks, twin.rowKey()))
    return this.#ordered(
      body.nodes.map(node => ({ node, count: node.count, bodyBytes: node.bodyBytes, pin: undefined })),
    )
  }
}
