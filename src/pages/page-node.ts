// A node: the descriptor of one page, the Row of that page, and its place in the page cache. Part of a DescriptorBlock.
// Its fields are changed by OrderedPages only.
// Invariants: (1) dirty implies resident, unless removed; (2) resident implies known to the page cache and that the
// block holds its body; (3) count, bodyBytes and the sums above them agree except between willChange() and changed().

import { assert } from '../base/assert.js'
import { CorruptionError } from '../base/errors.js'
import { numberedKey, Row, Table, TwoPieces, type RowImage, type StoreObject } from '../store/row.js'
import type { Evictable } from '../store/rows.js'
import type { ByteReader } from './byte-reader.js'
import type { ByteWriter } from './byte-writer.js'
import type { BlockBody } from './descriptor-block.js'
import type { Page, PageCodec } from './page.js'
import type { PagePin } from './page-pin.js'
import { encodePageRow, newPageRow, PAGE_HEADER, pageRowHead } from './page-row.js'

/** Page and block numbers are 32 bits of a row's key. */
export const PAGE_NO_MAX = 0xffffffff

/** What the rows of a tree have in common. The owner changes when the tree is cleared: see OrderedPages.clear(). */
export interface TreeIdentity<K, P extends Page<K>> {
  readonly id: number
  readonly codec: PageCodec<K, P>
  owner: StoreObject
}

export class PageNode<K, P extends Page<K>> extends Row implements Evictable {
  // What every visit looks at comes first, to lie together.
  usedTick = 0
  /** The page when it is resident. */
  resident: P | undefined = undefined
  /** Place in body.nodes. */
  index = -1
  body: BlockBody<K, P> | undefined = undefined
  /** Set while a reply holds the page as it is: it is copied before a change. */
  pin: PagePin<P> | undefined = undefined
  count = 0
  bodyBytes = 0
  cachedBytes = 0
  summary = 0
  /** The page's visibleSummary, in memory only: what is stored is `summary`, a looser bound. */
  visibleSummary = 0
  cacheSlot = -1

  constructor(
    readonly tree: TreeIdentity<K, P>,
    readonly pageNo: number,
    /** Separator: <= every key of this page, > every key of the page before. Stays when the first item is removed. */
    public firstKey: K,
  ) {
    super()
  }

  get table(): Table {
    return Table.Pages
  }

  get owner(): StoreObject {
    return this.tree.owner
  }

  /** Makes a removed node, or a new one, that of a page to come. It has been touched. */
  reuse(firstKey: K): void {
    this.removed = false
    this.pin = undefined
    this.firstKey = firstKey
    this.count = 0
    this.bodyBytes = 0
    this.summary = 0
    this.visibleSummary = 0
  }

  /** For errors. */
  get what(): string {
    return `page ${this.pageNo} of tree ${this.tree.id}`
  }

  rowKey(): Buffer {
    return numberedKey(this.tree.id, this.pageNo)
  }

  encodeRow(): Buffer {
    const page = this.resident
    assert(page !== undefined, 'a dirty page is resident')
    const { kind } = this.tree.codec
    if (page.putBody === undefined) return encodePageRow(kind, page.count, page.encodeBody())
    const value = newPageRow(kind, page.count, page.bodyBytes)
    page.putBody(value, PAGE_HEADER.BODY)
    return value
  }

  override imageRow(): RowImage {
    const page = this.resident
    if (page === undefined || page.putBody !== undefined) return this.encodeRow()
    const body = page.encodeBody()
    return new TwoPieces(pageRowHead(this.tree.codec.kind, page.count, body.length), body)
  }

  rowBytes(): number {
    return this.bodyBytes
  }

  evict(): boolean {
    if (this.dirtyEpoch !== 0) return false
    this.resident = undefined
    return true
  }
}

// Descriptor: varints page number, items, body bytes, summary; then the separator with its length.

export const DESCRIPTOR_BYTES_EXPECTED = 40

export function writeDescriptor<K, P extends Page<K>>(writer: ByteWriter, node: PageNode<K, P>): void {
  writer.varint(node.pageNo)
  writer.varint(node.count)
  writer.varint(node.bodyBytes)
  writer.varint(node.summary)
  writer.sized(node.tree.codec.encodeKey(node.firstKey))
}

/** @throws CorruptionError */
export function readDescriptor<K, P extends Page<K>>(reader: ByteReader, tree: TreeIdentity<K, P>): PageNode<K, P> {
  const pageNo = reader.varint()
  const count = reader.varint()
  const bodyBytes = reader.varint()
  const summary = reader.varint()
  if (pageNo === 0 || pageNo > PAGE_NO_MAX) throw new CorruptionError(`${reader.what} names page ${pageNo}`)
  const node = new PageNode(tree, pageNo, tree.codec.decodeKey(reader.sized()))
  if (count === 0) throw new CorruptionError(`${reader.what} describes page ${pageNo} as empty`)
  node.count = count
  node.bodyBytes = bodyBytes
  node.summary = summary
  node.visibleSummary = summary
  return node
}
