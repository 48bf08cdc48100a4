// A stream: its head row, its entries, its macro nodes and its consumer groups. Used by: commands, keyspace.
// Uses: entries (wire pages), macro-nodes (trim counts), group (one row and one object each), idempotence (a row for
// each producer), stream-head (bytes).
// Invariants: (1) the macro nodes' live counts add up to the length; (2) every ID is <= lastId; (3) the head is touched
// before anything that it holds changes.

import { assert } from '../../base/assert.js'
import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import { compareIds, equalIds, ID_MIN } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { idKey, Row, StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { KeyValue, TypeSpec } from '../key-value.js'
import type { LongRead } from '../long-read.js'
import { addCounts } from './count.js'
import type { Count } from './count.js'
import { catchUp, DroppedReferences, NOTHING_DROPPED } from './dropped-references.js'
import { Entries } from './entries.js'
import type { EntryFinder } from './entry-finder.js'
import type { EntryRun, WireSlice } from './entry-run.js'
import type { VisitFound, VisitSlice } from './entry-read.js'
import type { ConsumerGroup } from './group.js'
import { referencesMayCome } from './group-search.js'
import type { GroupStream } from './group-stream.js'
import { Groups } from './groups.js'
import { Idempotence } from './idempotence.js'
import { MacroNodes } from './macro-nodes.js'
import type { MacroNode, NodeLimits } from './macro-nodes.js'
import { salvageGroup } from './group-salvage.js'
import { digestStream } from './stream-digest.js'
import { decodeHead, encodeHead } from './stream-head.js'
import type { OpenNode, StreamHead } from './stream-head.js'
import type { Trim } from './trim.js'

/** What a stream takes in memory beside its entries, as measured. */
const STREAM_BYTES = 2000

/** Objects of a group that are dropped at once. */
const PIECES_AT_ONCE = 200

/** Bytes are those of encoded pages and records, whether they are in memory or on the disk. */
export interface StreamCapacity {
  readonly payloadEntries: number
  readonly payloadBytes: number
  /** Of payloadBytes, those in pages that are in memory. */
  readonly payloadBytesCached: number
  readonly groups: number
  readonly consumers: number
  readonly pending: number
  readonly deliveryBytes: number
}

/** What stream-node-max-entries and -bytes are unless they are set. */
const NODE_LIMITS_DEFAULT: NodeLimits = { entriesMax: 100, bytesMax: 4096 }

export class Stream extends Row implements KeyValue, GroupStream {
  readonly type = 'stream'
  readonly encoding = 'stream'
  #lastId: StreamId = ID_MIN
  #maxDeletedId: StreamId = ID_MIN
  #entriesAdded: Count = 0
  /** Derived, never stored: the first entry's ID, once somebody asked. */
  #firstId: StreamId | undefined
  readonly #entries: Entries
  readonly #nodes: MacroNodes
  readonly #groups: Groups
  #dropped: DroppedReferences | undefined
  /** Undefined while nobody asked for it: most streams go without. */
  #idempotence: Idempotence | undefined

  private constructor(
    readonly rows: Rows,
    readonly object: StoreObject,
    head: StreamHead | undefined,
  ) {
    super()
    const touch = () => rows.touch(this)
    this.#entries = new Entries(rows, object, touch, head?.entriesRoot)
    this.#nodes = new MacroNodes(rows, object, touch, head?.closedRoot, head?.openNode)
    this.#groups = new Groups(this, head?.groupCount ?? 0)
    if (head?.idempotence !== undefined) {
      this.#idempotence = new Idempotence(rows, object, touch, head.idempotence)
    }
    rows.cache.heldBytes += STREAM_BYTES
    if (head !== undefined) {
      this.#lastId = head.lastId
      this.#maxDeletedId = head.maxDeletedId
      this.#entriesAdded = head.entriesAdded
      if (head.dropped !== undefined) this.#dropped = DroppedReferences.decode(head.dropped, `stream ${object.id}`)
    }
  }

  /** A new, empty stream. */
  static create(rows: Rows): Stream {
    const stream = new Stream(rows, new StoreObject(rows.newId()), undefined)
    rows.touchNew(stream)
    return stream
  }

  /** @throws CorruptionError when the head is missing or damaged */
  static load(rows: Rows, objectId: number): Stream {
    const what = `head of stream ${objectId}`
    const value = rows.read(Table.Heads, idKey(objectId))
    if (value === undefined) throw new CorruptionError(`${what} is missing`)
    const head = decodeHead(value, what)
    const stream = new Stream(rows, new StoreObject(objectId), head)
    if (stream.length !== head.length) throw new CorruptionError(`${what} and its entries disagree about the length`)
    return stream
  }

  get table(): Table {
    return Table.Heads
  }

  get owner(): StoreObject {
    return this.object
  }

  rowKey(): Buffer {
    return idKey(this.object.id)
  }

  encodeRow(): Buffer {
    return encodeHead({
      length: this.length,
      lastId: this.#lastId,
      maxDeletedId: this.#maxDeletedId,
      entriesAdded: this.#entriesAdded,
      groupCount: this.groupCount,
      entriesRoot: this.#entries.encodeRoot(),
      closedRoot: this.#nodes.encodeClosedRoot(),
      openNode: this.#nodes.open,
      idempotence: this.#idempotence?.encode(),
      dropped: this.#dropped?.encode(),
    })
  }

  rowBytes(): number {
    return STREAM_BYTES
  }

  get length(): number {
    return this.#entries.count
  }

  get lastId(): StreamId {
    return this.#lastId
  }

  get maxDeletedId(): StreamId {
    return this.#maxDeletedId
  }

  get entriesAdded(): Count {
    return this.#entriesAdded
  }

  /** ID of the first live entry, 0-0 when empty. */
  get firstId(): StreamId {
    return (this.#firstId ??= this.#entries.first()?.firstId ?? ID_MIN)
  }

  /** Macro nodes, as XINFO's radix-tree-keys shows them. */
  get nodeCount(): number {
    return this.#nodes.count
  }

  /**
   * Appends an entry. `fields[from, to)` is the RESP of its fields and values ('$1\r\nf\r\n$1\r\nv\r\n…'), copied.
   * @param pairs number of field-value pairs
   * The ID must be above lastId (asserted).
   */
  append(id: StreamId, pairs: number, fields: Buffer, from: number, to: number, limits: NodeLimits): void {
    assert(compareIds(id, this.#lastId) > 0, 'an ID is above the last one')
    this.rows.touch(this)
    this.#nodes.append(id, pairs, fields, from, limits, this.#entries)
    this.#entries.append(id, pairs, fields, from, to)
    this.#lastId = id
    this.#entriesAdded = addCounts(this.#entriesAdded, 1)
    if (this.length === 1) this.#firstId = id
  }

  /** All macro nodes, ascending. The stream must not change meanwhile. */
  macroNodes(): Iterable<MacroNode> {
    return this.#nodes.all()
  }

  /**
   * Begins a macro node as another server packed it, for RESTORE: adoptEntry() brings the `live` entries it counts. Its
   * first ID must be above those of all nodes and entries.
   */
  adoptNode(node: OpenNode): void {
    this.rows.touch(this)
    this.#nodes.adopt(node)
  }

  /** As append(), of an entry that the node adopted last counts already. Leaves entriesAdded to setId(). */
  adoptEntry(id: StreamId, pairs: number, fields: Buffer, from: number, to: number): void {
    assert(compareIds(id, this.#lastId) > 0, 'an ID is above the last one')
    this.rows.touch(this)
    this.#entries.append(id, pairs, fields, from, to)
    this.#lastId = id
    if (this.length === 1) this.#firstId = id
  }

  has(id: StreamId): boolean {
    return this.#entries.has(id)
  }

  get(id: StreamId): WireSlice | undefined {
    return this.#entries.get(id)
  }

  finder(): EntryFinder {
    return this.#entries.finder()
  }

  first(): WireSlice | undefined {
    return this.#entries.first()
  }

  last(): WireSlice | undefined {
    return this.#entries.last()
  }

  /** Number of entries in [start, end]. O(log n). */
  countRange(start: StreamId, end: StreamId): number {
    return this.#entries.countRange(start, end)
  }

  countAfter(id: StreamId): number {
    return compareIds(id, this.#lastId) >= 0 ? 0 : this.#entries.countAfter(id)
  }

  /** At most `max` entries of [start, end] in ascending order, in slices as long as the pages allow. */
  range(start: StreamId, end: StreamId, max: number): Iterable<WireSlice> {
    return this.#entries.range(start, end, max)
  }

  /** Bytes of its entries. */
  get entryBytes(): number {
    return this.#entries.bodyBytes
  }

  /** Number of entries below `id`. O(log n). */
  rank(id: StreamId): number {
    return this.#entries.rank(id)
  }

  /** See Entries.longRead. */
  longRead(from: number, to: number, backwards: boolean): LongRead<VisitSlice> {
    return this.#entries.longRead(from, to, backwards)
  }

  /** See Entries.longReadOf. */
  longReadOf(ids: readonly StreamId[]): LongRead<VisitFound> {
    return this.#entries.longReadOf(ids)
  }

  /** As range(), descending, one entry per slice. */
  rangeReverse(start: StreamId, end: StreamId, max: number): Iterable<WireSlice> {
    return this.#entries.rangeReverse(start, end, max)
  }

  runsFrom(start: StreamId, max: number): EntryRun[] {
    return this.#entries.runsFrom(start, max)
  }

  hasFrom(id: StreamId): boolean {
    return this.#entries.hasFrom(id)
  }

  /** False when there is no such entry. */
  delete(id: StreamId): boolean {
    return this.deleteAll([id])[0]
  }

  /** XDEL of `ids`, which ascend; whether each was there. What lies side by side goes by one step. */
  deleteAll(ids: readonly StreamId[]): boolean[] {
    const deleted: boolean[] = ids.map(() => false)
    for (let at = 0; at < ids.length && compareIds(ids[at], this.#lastId) <= 0;) {
      const run = this.#entries.runOf(ids, at)
      if (run === undefined) {
        at++
        continue
      }
      this.rows.touch(this)
      this.#entries.deleteRun(run)
      for (const end = at + run.entries; at < end; at++) {
        deleted[at] = true
        this.#noteDeleted(ids[at])
      }
    }
    return deleted
  }

  #noteDeleted(id: StreamId): void {
    this.#nodes.remove(id)
    if (this.#firstId !== undefined && equalIds(id, this.#firstId)) this.#firstId = undefined
    if (compareIds(id, this.#maxDeletedId) > 0) this.#maxDeletedId = id
  }

  /** Returns the number of entries removed. */
  trim(trim: Trim): number {
    const { length } = this
    if (trim.by === 'maxlen' && length <= trim.length) return 0
    const plan = this.#nodes.plan(trim, length)
    let partial = 0
    if (!trim.approximate) {
      const total = trim.by === 'maxlen' ? length - trim.length : this.#entries.rank(trim.id)
      partial = total - plan.entries
    }
    const removed = plan.entries + partial
    if (removed === 0 && plan.closedNodes === 0 && !plan.openNode) return 0
    this.rows.touch(this)
    this.#entries.dropFirst(removed)
    this.#nodes.apply(plan, partial)
    if (removed > 0) this.#firstId = undefined
    return removed
  }

  /** XSETID (checked by the caller). */
  setId(lastId: StreamId, entriesAdded: Count | undefined, maxDeletedId: StreamId | undefined): void {
    this.rows.touch(this)
    referencesMayCome(this)
    if (compareIds(lastId, this.#lastId) < 0) {
      catchUp(this, Infinity)
      for (const group of this.#groups.all()) group.idsMayComeAgain()
    }
    this.#lastId = lastId
    if (entriesAdded !== undefined) {
      this.#entriesAdded = entriesAdded
      for (const group of this.#groups.all()) group.boundPosition(entriesAdded)
    }
    if (maxDeletedId !== undefined) this.#maxDeletedId = maxDeletedId
  }

  get idempotence(): Idempotence {
    return (this.#idempotence ??= new Idempotence(this.rows, this.object, () => this.rows.touch(this)))
  }

  /** Whether anything was ever set or noted about idempotence. */
  get usesIdempotence(): boolean {
    return this.#idempotence?.used ?? false
  }

  get groupCount(): number {
    return this.#groups.size
  }

  group(name: string): ConsumerGroup | undefined {
    return this.#groups.get(name)
  }

  /** Names ascending by bytes. */
  groups(): readonly ConsumerGroup[] {
    return this.#groups.all()
  }

  /** What groups have to catch up with. */
  get dropped(): DroppedReferences {
    return this.#dropped ?? NOTHING_DROPPED
  }

  /** Adds to `dropped`. */
  noteDropped(add: (dropped: DroppedReferences) => void): void {
    this.rows.touch(this)
    add((this.#dropped ??= new DroppedReferences()))
  }

  /** In no order; those that come or go meanwhile may be among them. */
  eachGroup(): Iterator<ConsumerGroup> {
    return this.#groups.values()
  }

  /** `entriesRead` undefined = unknown (-1). The name must be new (asserted). */
  createGroup(name: string, lastDeliveredId: StreamId, entriesRead: Count | undefined): ConsumerGroup {
    this.rows.touch(this)
    return this.#groups.create(name, lastDeliveredId, entriesRead)
  }

  /**
   * False when there is no such group.
   * @param bury gets what takes long to drop, as a stream that nobody knows
   */
  destroyGroup(name: string, bury: (rest: Stream) => void = rest => rest.drop()): boolean {
    const group = this.#groups.get(name)
    if (group === undefined) return false
    this.rows.touch(this)
    if (group.dropPieces <= PIECES_AT_ONCE) {
      this.#groups.destroy(group)
      return true
    }
    const rest = Stream.create(this.rows)
    // Its row is noted as it is for a checkpoint under way, and only then gives away what it speaks of.
    this.#groups.remove(group)
    rest.#groups.takeOver(group)
    bury(rest)
    return true
  }

  get dropPieces(): number {
    return 1 + this.#groups.dropPieces
  }

  dropSome(max: number): boolean {
    if (this.groupCount > 0) {
      this.rows.touch(this)
      const done = unlessDamaged(() => (this.#groups.dropSome(max), true), false)
      if (done && this.groupCount > 0) return true
    }
    this.drop()
    return false
  }

  drop(): void {
    if (this.groupCount > 0) unlessDamaged(() => this.#groups.drop(), undefined)
    this.rows.cache.heldBytes -= STREAM_BYTES
    const treeIds = [this.#entries.treeId]
    if (this.#nodes.treeId !== undefined) treeIds.push(this.#nodes.treeId)
    this.#entries.release()
    this.#nodes.release()
    this.#idempotence?.release()
    this.rows.withdraw(this)
    this.rows.drop(this.object, treeIds)
  }

  copy(): Stream {
    const copy = Stream.create(this.rows)
    copy.#lastId = this.#lastId
    copy.#maxDeletedId = this.#maxDeletedId
    copy.#entriesAdded = this.#entriesAdded
    copy.#entries.copyFrom(this.#entries)
    copy.#nodes.copyFrom(this.#nodes)
    if (this.#idempotence !== undefined) copy.idempotence.copyFrom(this.#idempotence)
    for (const group of this.groups()) {
      group.copyTo(copy.createGroup(group.name, group.lastDeliveredId, group.entriesRead))
    }
    return copy
  }

  /** What is kept for replay, and what for deliveries: two budgets that grow apart. */
  capacity(): StreamCapacity {
    const groups = this.groups()
    const sum = (of: (group: ConsumerGroup) => number): number => groups.reduce((all, group) => all + of(group), 0)
    return {
      payloadEntries: this.length,
      payloadBytes: this.#entries.bodyBytes,
      payloadBytesCached: this.#entries.residentBytes(),
      groups: groups.length,
      consumers: sum(group => group.consumerCount),
      pending: sum(group => group.pendingCount),
      deliveryBytes: sum(group => group.memoryUsage()),
    }
  }

  memoryUsage(): number {
    let bytes = STREAM_BYTES + this.#entries.bodyBytes + this.#nodes.bodyBytes
    bytes += this.#idempotence?.memoryUsage() ?? 0
    for (const group of this.groups()) bytes += group.memoryUsage()
    return bytes
  }

  /** Groups whose rows can be read come with all that is known of their pending entries; idempotence is not kept. */
  salvaged(step: () => void): Stream {
    const twin = Stream.create(this.rows)
    this.#entries.eachWhole((id, pairs, bytes, from, to) => {
      twin.append(id, pairs, bytes, from, to, NODE_LIMITS_DEFAULT)
      step()
    })
    twin.setId(this.#lastId, this.#entriesAdded, this.#maxDeletedId)
    for (const group of this.#groups.readable()) {
      salvageGroup(group, twin.createGroup(group.name, group.lastDeliveredId, group.entriesRead), step)
    }
    const dropped = this.dropped.encode()
    if (dropped !== undefined) twin.#dropped = DroppedReferences.decode(dropped, 'the damaged stream')
    return twin
  }

  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    const entriesWhole = this.#entries.check(inspection, this.#lastId)
    this.#nodes.check(inspection, entriesWhole ? this.#entries : undefined)
    inspection.attempt(() => {
      for (const group of this.groups()) group.check(inspection)
    })
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    digestStream(this, feed)
  }
}

export const streamType: TypeSpec = {
  name: 'stream',
  code: 6,
  load: (rows, objectId) => Stream.load(rows, objectId),
}
