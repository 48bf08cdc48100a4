// Contract; the implementation replaces this file.
//
// OrderedPages: items sorted by key, in pages of bounded size, with resident descriptors (nodes) in blocks with partial
// sums. A node is the Row of its page; a block is the Row of its descriptors; the root (the list of blocks, or the
// descriptors themselves while they are few) is bytes that the owner keeps in its head row.

import type { Row, StoreObject } from '../store/row.js'
import type { Evictable, Rows } from '../store/rows.js'
import type { Page, PageCodec } from './page.js'

export interface PageNode<K, P extends Page<K>> extends Row, Evictable {
  /** Separator: <= every key of this page, > every key of the page before. Stays when the first item is removed. */
  readonly firstKey: K
  readonly count: number
  readonly bodyBytes: number
  readonly summary: number
  /** The page when it is resident. */
  readonly resident: P | undefined
}

export interface Position<K, P extends Page<K>> {
  node: PageNode<K, P>
  index: number
}

export declare class OrderedPages<K, P extends Page<K>> {
  /**
   * @param root what encodeRoot() gave, or undefined for an empty new tree
   * @param onRootChange called before every change of what encodeRoot() gives: the owner touches its head row there
   */
  constructor(rows: Rows, owner: StoreObject, codec: PageCodec<K, P>, onRootChange: () => void, root?: Buffer)
  readonly treeId: number
  /** Live items in all pages. */
  readonly count: number
  /** Encoded bytes of all pages. */
  readonly bodyBytes: number
  readonly pageCount: number
  encodeRoot(): Buffer

  // --- finding. Nothing here changes anything; pages are loaded when needed.
  /** The page of a node, loaded if need be; notes the use. */
  page(node: PageNode<K, P>): P
  first(): PageNode<K, P> | undefined
  last(): PageNode<K, P> | undefined
  next(node: PageNode<K, P>): PageNode<K, P> | undefined
  previous(node: PageNode<K, P>): PageNode<K, P> | undefined
  /** The first item with key >= `key`, never past the end of a page; undefined when there is none. */
  seek(key: K): Position<K, P> | undefined
  /** The last item with key <= `key`; undefined when there is none. */
  seekLast(key: K): Position<K, P> | undefined
  /** The node whose page holds `key` or would take it; undefined only when the tree has no page. */
  nodeFor(key: K): PageNode<K, P> | undefined
  /** The item with exactly this key. */
  find(key: K): Position<K, P> | undefined
  /** Number of items with key < `key`. O(log n), loads at most one page. */
  rank(key: K): number
  /** The item at `rank` (0-based), or undefined past the end. */
  at(rank: number): Position<K, P> | undefined

  // --- changing. willChange before, changed after; the page's own methods in between.
  /** Loads the page, marks the rows dirty, and returns the page ready to be changed. */
  willChange(node: PageNode<K, P>): P
  /**
   * Takes over the page's new count, bytes and summary; splits a page that became too large; removes a page that became
   * empty; merges a page that became very small with a neighbour only when the neighbour is resident and dirty already.
   */
  changed(node: PageNode<K, P>): void
  /** A new empty page at the end, whose separator is `firstKey`; the caller fills it and calls changed(). */
  appendNode(firstKey: K): PageNode<K, P>
  /** For an insert of `key`: nodeFor(key), or a first page when the tree is empty (already passed through willChange). */
  nodeForInsert(key: K): PageNode<K, P>
  /** Removes a whole page without reading it. */
  removeNode(node: PageNode<K, P>): void
  /** Removes everything, O(pages resident); rows are deleted by the store in the background. */
  clear(): void
}
