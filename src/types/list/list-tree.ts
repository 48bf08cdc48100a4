// The large form of a list: ordered pages of elements without keys, found by counting. Pushing and popping at the ends
// touches the first or last page alone; everything else costs O(log n) and one page. Used by: list-value.

import { assert } from '../../base/assert.js'
import { elementBytes, elementCodec, ELEMENT_BODY_BYTES_MAX } from '../../pages/element-page.js'
import type { ElementPage } from '../../pages/element-page.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import type { PageNode, Position } from '../../pages/ordered-pages.js'
import { checkTree } from '../../pages/tree-check.js'
import { wholePages } from '../../pages/whole-pages.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { Trees } from '../collection-value.js'
import { TreeRead } from '../long-read.js'
import type { LongRead } from '../long-read.js'
import { copyPages } from '../stream/tree-copy.js'
import { LIST_FORM } from './list-contents.js'
import type { ListContents, PieceVisitor } from './list-contents.js'

/** What a full page gives to a new one beside it, where pages were emptied before. */
const SHARE = 1 / 4
/** Less is not shared: two pages that are smaller together would be merged at once. */
const SHARED_BYTES_MIN = ELEMENT_BODY_BYTES_MAX * (3 / 4)

/** Sees an element: bytes that never change. */
export type VisitElement = (value: Buffer) => void

type Node = PageNode<undefined, ElementPage>

export class ListTree implements ListContents {
  readonly form = LIST_FORM.tree
  readonly trees: Trees
  readonly #pages: OrderedPages<undefined, ElementPage>
  /**
   * The page at that end went because all its elements did. A list that is pushed and popped in turn just where a page
   * is full would make and remove one each time; so the next new page there starts with a share of its neighbour.
   */
  #poppedFirst = false
  #poppedLast = false

  /**
   * @param touchHead called before every change of what encode() gives
   * @param root what encode() gave; a new, empty tree without. @throws CorruptionError
   */
  constructor(rows: Rows, owner: StoreObject, touchHead: () => void, root?: Buffer) {
    const pages = new OrderedPages(rows, owner, elementCodec, touchHead, root)
    this.#pages = pages
    this.trees = {
      ids: [pages.treeId],
      release: () => pages.release(),
      check: (inspection: Inspection) => checkTree(pages, inspection, { items: 'elements' }),
    }
  }

  /** Adds copies of the pages of `other` to this empty tree. */
  fillFrom(other: ListTree): void {
    copyPages(elementCodec, other.#pages, this.#pages)
  }

  /** Adds the elements of `page`, which is not used afterwards, to this empty tree. */
  fillWith(page: ElementPage): void {
    const node = this.#pages.appendNode(undefined)
    this.#pages.willChange(node).absorb(page)
    this.#pages.changed(node)
  }

  /** The pages that can be read, in order. */
  wholePages(): Iterable<ElementPage> {
    return wholePages(this.#pages)
  }

  get count(): number {
    return this.#pages.count
  }

  get memoryBytes(): number {
    return this.#pages.bodyBytes
  }

  at(index: number): Buffer {
    const { node, index: at } = this.#find(index)
    return this.#pages.page(node).at(at)
  }

  insert(index: number, value: Buffer): void {
    if (index === this.count) return this.#pushLast(value)
    if (index === 0) return this.#pushFirst(value)
    const found = this.#find(index)
    this.#pages.willChange(found.node).insert(found.index, value)
    this.#pages.changed(found.node)
  }

  replace(index: number, value: Buffer): void {
    const found = this.#find(index)
    this.#pages.willChange(found.node).replace(found.index, value)
    this.#pages.changed(found.node)
  }

  removeRange(from: number, to: number): void {
    if (from >= to) return
    const atTail = to === this.count
    // What may fail comes before the first change: of the pages in between none is read.
    this.at(from)
    this.at(to - 1)
    for (let rest = to - from; rest > 0;) {
      const { node, index } = this.#find(from)
      const removed = Math.min(rest, node.count - index)
      if (removed === node.count) {
        this.#pages.removeNode(node)
        if (atTail) this.#poppedLast = true
        else if (from === 0) this.#poppedFirst = true
      } else {
        this.#pages.willChange(node).removeRange(index, index + removed)
        this.#pages.changed(node)
      }
      rest -= removed
    }
  }

  visit(from: number, to: number, backwards: boolean, visitor: PieceVisitor): void {
    if (from >= to) return
    const pages = this.#pages
    let node: Node | undefined = this.#find(backwards ? to - 1 : from).node
    let before = pages.countBefore(node)
    while (node !== undefined && before < to && before + node.count > from) {
      const end = Math.min(to - before, node.count)
      const wanted = backwards ? from - before - end : to - before
      if (visitor(pages.page(node, wanted), Math.max(from - before, 0), end)) return
      if (!backwards) before += node.count
      node = backwards ? pages.previous(node) : pages.next(node)
      if (backwards && node !== undefined) before -= node.count
    }
  }

  /** Elements [from, to), of which there are some, as they are now. */
  longRead(from: number, to: number): LongRead<VisitElement> {
    return new TreeRead(this.#pages.snapshot(from, to), showElements)
  }

  encode(): Buffer {
    return this.#pages.encodeRoot()
  }

  #find(index: number): Position<undefined, ElementPage> {
    if (index === this.count - 1) {
      const last = this.#pages.last()!
      return { node: last, index: last.count - 1 }
    }
    const found = this.#pages.at(index)
    assert(found !== undefined, 'an index lies below the count')
    return found
  }

  #pushLast(value: Buffer): void {
    const pages = this.#pages
    let node = pages.last()
    if (node === undefined || isFullFor(node, value)) {
      const full = node
      node = pages.appendNode(undefined)
      if (full !== undefined && this.#poppedLast) this.#shareLast(full, node)
      this.#poppedLast = false
    }
    const page = pages.willChange(node)
    page.insert(page.count, value)
    pages.changed(node)
  }

  #pushFirst(value: Buffer): void {
    const pages = this.#pages
    let node = pages.first()!
    if (isFullFor(node, value)) {
      const full = node
      node = pages.prependNode(undefined)
      if (this.#poppedFirst) this.#shareFirst(full, node)
      this.#poppedFirst = false
    }
    pages.willChange(node).insert(0, value)
    pages.changed(node)
  }

  /** Moves the last elements of `full` to `fresh`, the new page behind it. */
  #shareLast(full: Node, fresh: Node): void {
    if (full.bodyBytes < SHARED_BYTES_MIN) return
    const page = this.#pages.willChange(full)
    const at = page.indexAtBytes(page.bodyBytes * (1 - SHARE))
    if (at === 0 || at === page.count) return
    this.#pages.willChange(fresh).absorb(page.splitOff(at))
    // The new page first: while it counts as empty, its neighbour would merge with it.
    this.#pages.changed(fresh)
    this.#pages.changed(full)
  }

  /** Moves the first elements of `full` to `fresh`, the new page before it. */
  #shareFirst(full: Node, fresh: Node): void {
    if (full.bodyBytes < SHARED_BYTES_MIN) return
    const page = this.#pages.willChange(full)
    const at = page.indexAtBytes(page.bodyBytes * SHARE)
    if (at === 0 || at === page.count) return
    const rest = page.splitOff(at)
    this.#pages.willChange(fresh).absorb(page)
    page.removeRange(0, at)
    page.absorb(rest)
    // The new page first: while it counts as empty, its neighbour would merge with it.
    this.#pages.changed(fresh)
    this.#pages.changed(full)
  }
}

function showElements(page: ElementPage, from: number, to: number, visit: VisitElement): void {
  for (let i = from; i < to; i++) visit(page.at(i))
}

function isFullFor(node: Node, value: Buffer): boolean {
  return node.bodyBytes + elementBytes(value.length) > ELEMENT_BODY_BYTES_MAX
}
