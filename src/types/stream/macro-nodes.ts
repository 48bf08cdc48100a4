// Macro nodes: the nodes Redis would have packed a stream's entries into, as counts without the entries. They are the
// unit of an approximate trim, so their boundaries are exactly those of Redis 7.0, deletes and CONFIG SET included.
// Used by: stream. Uses: one tree of records for the closed nodes; the open node lives in the stream's head.
// Invariants: (1) every live entry belongs to the last node whose first ID is <= its own; (2) the live counts add up to
// the stream's length; (3) the open node comes after all closed ones. A node may have no live entry: an exact trim by
// ID leaves it when the last entry it ever had was deleted but is not below the cut.
//
// When the open node loses its last entry, the one before takes the next entry, as in Redis, if there is room. Its
// master field names are then those of its first live entry: other than Redis' only if its first entry ever was deleted
// and had other names.

import { assert } from '../../base/assert.js'
import { compareIdAt, compareIds, formatId, getId, ID_MAX, previousId, putId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import { PAGE_KIND } from '../../pages/page.js'
import { recordCodec } from '../../pages/record-page.js'
import type { RecordPage } from '../../pages/record-page.js'
import { checkTree } from '../../pages/tree-check.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import {
  EntryMeasure,
  fieldNames,
  integerElementBytes,
  LISTPACK_BYTES_MAX,
  LISTPACK_EMPTY_BYTES,
  measureEntry,
  msDifferenceBytes,
  seqDifferenceBytes,
} from './listpack-size.js'
import type { Entries } from './entries.js'
import type { OpenNode } from './stream-head.js'
import { copyPages } from './tree-copy.js'
import { dropFirstItems } from './tree-cut.js'
import type { Trim, TrimPlan } from './trim.js'

export interface NodeLimits {
  /** stream-node-max-entries; 0 = no limit. */
  entriesMax: number
  /** stream-node-max-bytes; 0 = no limit. */
  bytesMax: number
}

/** A node as it is told to others. */
export interface MacroNode {
  /** Of the first entry ever in it. */
  readonly firstId: StreamId
  readonly live: number
  /** Field names of that entry as RESP bulk strings, in a latin1 string; undefined when they were not kept. */
  readonly masterFields: string | undefined
}

/** Payload of a closed node's record; its key is the ID of the node's first entry. */
export const CLOSED_NODE = { LAST_ID: 0, LIVE: 16, DELETED: 20, BYTES: 24, PAYLOAD_BYTES: 28 } as const
const codec = recordCodec({ kind: PAGE_KIND.macroNodes, payloadBytes: CLOSED_NODE.PAYLOAD_BYTES })

const measure = new EntryMeasure()
/** An entry's flags are one small integer. */
const FLAGS_BYTES = integerElementBytes(0)
/** Streams that were made alike share the text of their field names. */
let lastFields = ''

export class MacroNodes {
  /** Created when the first node closes: most streams have one node. */
  #closed: OrderedPages<StreamId, RecordPage> | undefined

  /** @param onChange called before the root of the closed nodes changes */
  constructor(
    readonly rows: Rows,
    readonly object: StoreObject,
    readonly onChange: () => void,
    closedRoot: Buffer | undefined,
    public open: OpenNode | undefined,
  ) {
    if (closedRoot !== undefined) this.#closed = this.#tree(closedRoot)
  }

  get count(): number {
    return (this.#closed?.count ?? 0) + (this.open === undefined ? 0 : 1)
  }

  get treeId(): number | undefined {
    return this.#closed?.treeId
  }

  /** Bytes of the closed nodes' pages. */
  get bodyBytes(): number {
    return this.#closed?.bodyBytes ?? 0
  }

  /** All nodes, ascending. They must not change meanwhile. */
  *all(): Generator<MacroNode> {
    const closed = this.#closed
    if (closed !== undefined) {
      for (let node = closed.first(); node !== undefined; node = closed.next(node)) {
        const page = closed.page(node)
        for (let i = 0; i < page.count; i++) {
          const live = page.bytes.readUInt32BE(page.payloadAt(i) + CLOSED_NODE.LIVE)
          yield { firstId: page.keyAt(i), live, masterFields: undefined }
        }
      }
    }
    if (this.open !== undefined) yield this.open
  }

  /** Begins `node`, which counts entries that are appended without being counted. Its first ID is above all others. */
  adopt(node: OpenNode): void {
    if (this.open !== undefined) this.#close(this.open)
    this.open = node
  }

  encodeClosedRoot(): Buffer | undefined {
    return this.#closed?.encodeRoot()
  }

  /** Lets go of all pages in memory: the stream is being dropped. */
  release(): void {
    this.#closed?.release()
  }

  /** As KeyValue.check(). @param entries whole ones, whose numbers the counts must tell; undefined when they are not */
  check(inspection: Inspection, entries: Entries | undefined): void {
    const closed = this.#closed
    const whole = closed === undefined || checkTree(closed, inspection, { items: 'macro nodes', show: formatId })
    if (!whole || entries === undefined) return
    let before: MacroNode | undefined
    let sum = 0
    const compare = (node: MacroNode, end: StreamId | undefined): void => {
      sum += node.live
      const live = end === undefined ? 0 : entries.countRange(node.firstId, end)
      if (live === node.live) return
      inspection.found(`macro node ${formatId(node.firstId)} counts ${node.live} entries, and ${live} are there`)
    }
    for (const node of this.all()) {
      if (before !== undefined) compare(before, previousId(node.firstId))
      before = node
    }
    if (before !== undefined) compare(before, ID_MAX)
    if (sum !== entries.count) inspection.found(`the macro nodes count ${sum} entries, and ${entries.count} are there`)
  }

  copyFrom(source: MacroNodes): void {
    this.open = source.open === undefined ? undefined : { ...source.open }
    if (source.#closed !== undefined) copyPages(codec, source.#closed, (this.#closed = this.#tree(undefined)))
  }

  /**
   * Counts an entry that is being appended: its `pairs` fields and values are RESP bulk strings from `from` on.
   * @param entries those before it
   */
  append(id: StreamId, pairs: number, fields: Buffer, from: number, limits: NodeLimits, entries: Entries): void {
    const open = (this.open ??= this.#reopen(entries))
    const master = open === undefined ? lastFields : open.masterFields
    measureEntry(measure, pairs, fields, from, master)
    if (open === undefined || isFull(open, measure.rawBytes, limits)) {
      if (open !== undefined) this.#close(open)
      lastFields = measure.sameFields ? master : fieldNames(pairs, fields, from)
      this.open = openNodeOf(id, pairs, lastFields)
      return
    }
    let elements = pairs + 3
    let bytes = FLAGS_BYTES + msDifferenceBytes(id, open.firstId) + seqDifferenceBytes(id, open.firstId)
    bytes += measure.valueBytes
    if (!measure.sameFields) {
      elements += pairs + 1
      bytes += integerElementBytes(pairs) + measure.fieldBytes
    }
    bytes += integerElementBytes(elements)
    bytes += integerElementBytes(open.live + 1) - integerElementBytes(open.live)
    open.bytes += bytes
    open.live++
    open.lastId = id
  }

  /** Counts the removal of the live entry `id` (XDEL): the node of the last one goes. */
  remove(id: StreamId): void {
    const open = this.open
    if (open !== undefined && compareIds(id, open.firstId) >= 0) {
      if (open.live === 1) this.open = undefined
      else markDeleted(open, 1)
      return
    }
    const closed = this.#closed
    const position = closed?.seekLast(id)
    assert(closed !== undefined && position !== undefined, 'an entry without a macro node')
    const page = closed.willChange(position.node)
    const at = page.payloadAt(position.index)
    if (page.bytes.readUInt32BE(at + CLOSED_NODE.LIVE) === 1) page.removeRange(position.index, position.index + 1)
    else markDeletedAt(page.bytes, at, 1)
    closed.changed(position.node)
  }

  /** Which whole nodes `trim` removes from a stream of `length` entries. Reads counts only, changes nothing. */
  plan(trim: Trim, length: number): TrimPlan {
    const plan: TrimPlan = { closedNodes: 0, openNode: false, entries: 0 }
    const closed = this.#closed
    if (closed !== undefined) {
      for (let node = closed.first(); node !== undefined; node = closed.next(node)) {
        const page = closed.page(node)
        for (let i = 0; i < page.count; i++) {
          const at = page.payloadAt(i)
          const live = page.bytes.readUInt32BE(at + CLOSED_NODE.LIVE)
          const below = trim.by === 'minid' && compareIdAt(page.bytes, at + CLOSED_NODE.LAST_ID, trim.id) < 0
          if (!goesWhole(trim, length, plan.entries, live, below)) return plan
          plan.entries += live
          plan.closedNodes++
        }
      }
    }
    const open = this.open
    if (open === undefined) return plan
    const below = trim.by === 'minid' && compareIds(open.lastId, trim.id) < 0
    if (!goesWhole(trim, length, plan.entries, open.live, below)) return plan
    plan.entries += open.live
    plan.openNode = true
    return plan
  }

  /** Removes the nodes of `plan`, then counts `partial` entries as removed from the first of the others. */
  apply(plan: TrimPlan, partial: number): void {
    const closed = this.#closed
    if (closed !== undefined && plan.closedNodes > 0) dropFirstItems(closed, plan.closedNodes)
    if (plan.openNode) this.open = undefined
    if (partial === 0) return
    const first = closed?.first()
    if (closed !== undefined && first !== undefined) {
      const page = closed.willChange(first)
      markDeletedAt(page.bytes, page.payloadAt(0), partial)
      closed.changed(first)
    } else {
      assert(this.open !== undefined, 'entries to remove without a macro node')
      markDeleted(this.open, partial)
    }
  }

  #close(open: OpenNode): void {
    const closed = (this.#closed ??= this.#tree(undefined))
    const node = closed.nodeForInsert(open.firstId)
    const page = closed.page(node)
    const at = page.payloadAt(page.insert(open.firstId))
    putId(page.bytes, at + CLOSED_NODE.LAST_ID, open.lastId)
    page.bytes.writeUInt32BE(open.live, at + CLOSED_NODE.LIVE)
    page.bytes.writeUInt32BE(open.deleted, at + CLOSED_NODE.DELETED)
    page.bytes.writeUInt32BE(open.bytes, at + CLOSED_NODE.BYTES)
    closed.changed(node)
  }

  /** Takes the last closed node out of its tree. */
  #reopen(entries: Entries): OpenNode | undefined {
    const closed = this.#closed
    const node = closed?.last()
    if (closed === undefined || node === undefined) return undefined
    const page = closed.page(node)
    const index = page.count - 1
    const at = page.payloadAt(index)
    const firstId = page.keyAt(index)
    const open: OpenNode = {
      firstId,
      lastId: getId(page.bytes, at + CLOSED_NODE.LAST_ID),
      live: page.bytes.readUInt32BE(at + CLOSED_NODE.LIVE),
      deleted: page.bytes.readUInt32BE(at + CLOSED_NODE.DELETED),
      bytes: page.bytes.readUInt32BE(at + CLOSED_NODE.BYTES),
      masterFields: entries.fieldNamesFrom(firstId),
    }
    closed.willChange(node).removeRange(index, index + 1)
    closed.changed(node)
    return open
  }

  #tree(root: Buffer | undefined): OrderedPages<StreamId, RecordPage> {
    return new OrderedPages(this.rows, this.object, codec, this.onChange, root)
  }
}

function isFull(open: OpenNode, rawBytes: number, limits: NodeLimits): boolean {
  const configured = limits.bytesMax
  const bytesMax = configured === 0 || configured > LISTPACK_BYTES_MAX ? LISTPACK_BYTES_MAX : configured
  if (open.bytes + rawBytes >= bytesMax) return true
  return limits.entriesMax > 0 && open.live + open.deleted >= limits.entriesMax
}

/** The node that begins with the entry in `measure`. */
function openNodeOf(id: StreamId, pairs: number, masterFields: string): OpenNode {
  const master = 2 * integerElementBytes(1) + integerElementBytes(pairs) + measure.fieldBytes + integerElementBytes(0)
  const entry = FLAGS_BYTES + 2 * integerElementBytes(0) + measure.valueBytes + integerElementBytes(pairs + 3)
  return {
    firstId: id,
    lastId: id,
    live: 1,
    deleted: 0,
    bytes: LISTPACK_EMPTY_BYTES + master + entry,
    masterFields,
  }
}

function markDeleted(open: OpenNode, entries: number): void {
  assert(open.live >= entries, 'no more entries are deleted than live in a node')
  open.bytes += deletionBytes(open.live, open.deleted, entries)
  open.live -= entries
  open.deleted += entries
}

function markDeletedAt(bytes: Buffer, at: number, entries: number): void {
  const live = bytes.readUInt32BE(at + CLOSED_NODE.LIVE)
  const deleted = bytes.readUInt32BE(at + CLOSED_NODE.DELETED)
  assert(live >= entries, 'no more entries are deleted than live in a node')
  const size = bytes.readUInt32BE(at + CLOSED_NODE.BYTES) + deletionBytes(live, deleted, entries)
  bytes.writeUInt32BE(live - entries, at + CLOSED_NODE.LIVE)
  bytes.writeUInt32BE(deleted + entries, at + CLOSED_NODE.DELETED)
  bytes.writeUInt32BE(size, at + CLOSED_NODE.BYTES)
}

/** Deleted entries stay in Redis' listpack; only the two counts at its head may change in size. */
function deletionBytes(live: number, deleted: number, entries: number): number {
  return (
    integerElementBytes(live - entries) -
    integerElementBytes(live) +
    integerElementBytes(deleted + entries) -
    integerElementBytes(deleted)
  )
}

/** Whether a trim that removed `removed` entries so far takes the next node, which has `live` entries, as a whole. */
function goesWhole(trim: Trim, length: number, removed: number, live: number, below: boolean): boolean {
  if (trim.by === 'maxlen' && length - removed <= trim.length) return false
  if (trim.limit > 0 && removed + live > trim.limit) return false
  return trim.by === 'maxlen' ? length - removed - live >= trim.length : below
}
