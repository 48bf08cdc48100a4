// A consumer group: the Row with how far it has read, and what it holds: a stream may have very many groups.
// Used by: stream, commands. Uses: group-contents (consumers and PEL), group-row (bytes), read-progress.
// A group is an object of the store of its own, so that it can be dropped as a whole with all its trees.

import { compareIds, ID_MAX, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import { getU48, Row, StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { LongRead } from '../long-read.js'
import type { Consumer } from './consumer.js'
import type { Count } from './count.js'
import type { WireSlice } from './entry-run.js'
import { GroupContents } from './group-contents.js'
import { decodeGroupRow, encodeGroupRow } from './group-row.js'
import { referencesMayCome } from './group-search.js'
import type { GroupStream } from './group-stream.js'
import { eachAmong } from './id-order.js'
import { objectPartKey, PART, PART_PREFIX_BYTES, partPrefix } from './part-key.js'
import type { PelState } from './pel.js'
import type { Look, LookQuery } from './pel-look.js'
import type { IdleQuery, IdleRows } from './pel-idle-rows.js'
import type { Span, VisitPending } from './pel-read.js'
import type { Claimable, Located, Pending } from './pending.js'
import { atMost, entriesReadAfter, lagOf, positionAfter } from './read-progress.js'

const ROW_BYTES = 96
/** What a group takes in memory beside what it holds, as measured. */
const GROUP_BYTES = 500
const NO_SPAN: Span = { from: 0, to: 0 }
const NOTHING_FOUND: Look = { claims: [], deletedIds: [], next: undefined }

export class ConsumerGroup extends Row {
  #lastDeliveredId: StreamId
  #entriesRead: Count | undefined
  #position: Count | undefined
  /** See #held. */
  #contents: GroupContents
  #droppedSeen = 0
  #dropped = false

  constructor(
    readonly stream: GroupStream,
    contents: GroupContents,
    /** latin1. */
    readonly name: string,
    lastDeliveredId: StreamId,
    entriesRead: Count | undefined,
  ) {
    super()
    this.#contents = contents
    contents.onChange = () => stream.rows.touch(this)
    this.#lastDeliveredId = lastDeliveredId
    this.#entriesRead = entriesRead
    this.#position = atMost(entriesRead, stream.entriesAdded)
    stream.rows.cache.heldBytes += GROUP_BYTES + name.length
  }

  /** A new one that holds nothing. */
  static create(
    stream: GroupStream,
    name: string,
    lastDeliveredId: StreamId,
    entriesRead: Count | undefined,
  ): ConsumerGroup {
    const { rows } = stream
    const contents = new GroupContents(rows, new StoreObject(rows.newId()))
    const group = new ConsumerGroup(stream, contents, name, lastDeliveredId, entriesRead)
    group.#droppedSeen = stream.dropped.epoch
    referencesMayCome(stream)
    rows.touch(group)
    return group
  }

  /** @throws CorruptionError */
  static decode(stream: GroupStream, key: Buffer, value: Buffer): ConsumerGroup {
    const row = decodeGroupRow(value, `group row ${key.toString('hex')}`)
    const object = new StoreObject(getU48(key, PART_PREFIX_BYTES))
    const contents = new GroupContents(stream.rows, object, row)
    const group = new ConsumerGroup(stream, contents, row.name, row.lastDeliveredId, row.entriesRead)
    // Of a row of version 1 the stream bounds it: see the constructor.
    group.#position = atMost(row.position, stream.entriesAdded)
    return group
  }

  /** What the keys of all groups of a stream begin with. */
  static keyPrefix(stream: StoreObject): Buffer {
    return partPrefix(stream, PART.group)
  }

  get table(): Table {
    return Table.Parts
  }

  get owner(): StoreObject {
    return this.stream.object
  }

  get object(): StoreObject {
    return this.#contents.object
  }

  get rows(): Rows {
    return this.stream.rows
  }

  rowKey(): Buffer {
    return objectPartKey(this.stream.object, PART.group, this.object.id)
  }

  encodeRow(): Buffer {
    return encodeGroupRow({
      ...this.#contents.stored(),
      lastDeliveredId: this.#lastDeliveredId,
      entriesRead: this.#entriesRead,
      position: this.#position,
      name: this.name,
    })
  }

  rowBytes(): number {
    return ROW_BYTES + this.name.length
  }

  /** Root of the PEL as it was stored; undefined when there is none, or the PEL is open. For repair. */
  get storedPelRoot(): Buffer | undefined {
    return this.#contents.storedPelRoot
  }

  /** What it holds, caught up with what was dropped from all groups. */
  get #held(): GroupContents {
    if (this.#droppedSeen !== this.stream.dropped.epoch) this.catchUp()
    return this.#contents
  }

  /** Takes out what was dropped from all groups since it was last looked at. */
  catchUp(): void {
    const { dropped } = this.stream
    if (this.#droppedSeen === dropped.epoch || this.#dropped || this.rows.readOnly === true) return
    if (this.#contents.pendingCount > 0) {
      const { ranges, ids } = dropped.since(this.#droppedSeen)
      const pel = ranges.length + ids.length > 0 ? this.#contents.pel() : undefined
      for (const { first, last } of ranges) pel?.removeRange(first, last)
      pel?.removeAll(pel.among(ids))
    }
    this.#droppedSeen = dropped.epoch
  }

  get lastDeliveredId(): StreamId {
    return this.#lastDeliveredId
  }

  /** As Redis 7.0 counts; undefined = unknown. */
  get entriesRead(): Count | undefined {
    return this.#entriesRead
  }

  /** Entries ever added up to lastDeliveredId: entries-read without the ways in which Redis 7.0 loses it. */
  get position(): Count | undefined {
    return this.#position
  }

  /** The stream says that no more than `entriesAdded` were ever added. */
  boundPosition(entriesAdded: Count): void {
    if (this.#position === undefined || this.#position <= entriesAdded) return
    this.rows.touch(this)
    this.#position = entriesAdded
  }

  /** Its trees are gone, or its stream is: only the figures that it had can be asked for. */
  get dropped(): boolean {
    return this.#dropped
  }

  get pendingCount(): number {
    return this.#held.pendingCount
  }

  /** Pending entries that nobody owns. */
  get releasedCount(): number {
    return this.#held.releases.count
  }

  get consumerCount(): number {
    return this.#contents.consumerCount
  }

  /** As Redis 7.0's rule computes it; undefined = null. */
  estimatedLag(): Count | undefined {
    return lagOf(this.stream, this.#lastDeliveredId, this.#entriesRead)
  }

  /** Entries that are there for XREADGROUP to deliver. */
  lag(): number {
    return this.stream.countAfter(this.#lastDeliveredId)
  }

  setId(id: StreamId, entriesRead: Count | undefined): void {
    referencesMayCome(this.stream)
    this.rows.touch(this)
    this.#lastDeliveredId = id
    this.#entriesRead = entriesRead
    this.#position = atMost(entriesRead, this.stream.entriesAdded)
  }

  /** As setId(), of an ID that XCLAIM learns from a replica: what was counted stays. */
  raiseLastDeliveredId(id: StreamId): void {
    this.rows.touch(this)
    this.#lastDeliveredId = id
  }

  consumer(name: string): Consumer | undefined {
    return this.#held.consumers().get(name)
  }

  /** Names ascending by bytes. */
  consumers(): readonly Consumer[] {
    return this.#held.consumers().all()
  }

  /** The consumer, and whether it is new (then seenMs = nowMs and activeMs = undefined). */
  ensureConsumer(name: string, nowMs: number): { consumer: Consumer; created: boolean } {
    const known = this.#held.consumers().get(name)
    if (known !== undefined) return { consumer: known, created: false }
    this.rows.touch(this)
    return { consumer: this.#held.consumers().create(this.#held.takeNumber(), name, nowMs), created: true }
  }

  /** Drops its pending entries too; returns how many those were, undefined when there is no such consumer. */
  deleteConsumer(name: string): number | undefined {
    const consumer = this.#held.consumers().get(name)
    if (consumer === undefined) return undefined
    const pending = consumer.pendingCount
    this.rows.touch(this)
    if (pending > 0) this.#held.pel().removeOwned(consumer)
    this.#held.consumers().delete(consumer)
    return pending
  }

  /**
   * XREADGROUP '>': takes at most `max` entries after lastDeliveredId, moves lastDeliveredId and entriesRead, and puts
   * them into the PEL unless `noAck` (an entry that is pending already moves to this consumer, count 1, as in Redis).
   * Returns the slices in order; empty when there is nothing new.
   */
  deliver(consumer: Consumer, max: number, nowMs: number, noAck: boolean): WireSlice[] {
    const { stream } = this
    if (compareIds(stream.lastId, this.#lastDeliveredId) <= 0) return []
    const start = nextId(this.#lastDeliveredId)
    const runs = start === undefined ? [] : stream.runsFrom(start, max)
    if (runs.length === 0) return runs
    const { firstId } = runs[0]
    const { lastId } = runs[runs.length - 1]
    let entries = 0
    for (const run of runs) entries += run.entries
    const holed = compareIds(stream.maxDeletedId, firstId) >= 0
    const entriesInHoles = holed ? Math.min(entries, stream.countRange(firstId, stream.maxDeletedId)) : 0
    const pel = noAck ? undefined : this.#held.pel()
    this.rows.touch(this)
    const delivery = { firstId, lastId, entries, entriesInHoles }
    this.#entriesRead = entriesReadAfter(stream, this.#entriesRead, delivery)
    this.#position = positionAfter(stream, this.#position, this.#lastDeliveredId, delivery)
    this.#lastDeliveredId = lastId
    if (pel !== undefined) pel.deliver(runs, consumer, nowMs)
    return runs
  }

  /** What deliver() would give now. */
  upcoming(max: number): Iterable<WireSlice> {
    const start = nextId(this.#lastDeliveredId)
    return start === undefined || max <= 0 ? [] : this.stream.range(start, ID_MAX, max)
  }

  /** True when there is an entry after lastDeliveredId. */
  hasNew(): boolean {
    if (compareIds(this.stream.lastId, this.#lastDeliveredId) <= 0) return false
    const start = nextId(this.#lastDeliveredId)
    return start !== undefined && this.stream.hasFrom(start)
  }

  /** The first entry after lastDeliveredId. */
  firstUndeliveredId(): StreamId | undefined {
    if (!this.hasNew()) return undefined
    const start = nextId(this.#lastDeliveredId)
    return start === undefined ? undefined : this.stream.runsFrom(start, 1)[0]?.firstId
  }

  /** When the one of the pending entries with an owner was delivered that was delivered first, Unix ms. */
  oldestDeliveryMs(): number | undefined {
    for (const row of this.oldestPending(Number.MAX_SAFE_INTEGER)) if (row.owner !== undefined) return row.deliveredMs
    return undefined
  }

  pending(id: StreamId): Pending | undefined {
    return this.pendingCount === 0 ? undefined : this.#held.pel().get(id)
  }

  /** As pending(), with its place. */
  locatePending(id: StreamId): Located | undefined {
    return this.pendingCount === 0 ? undefined : this.#held.pel().find(id)
  }

  /** What an XAUTOCLAIM finds: see pel-look. */
  lookForIdle(query: LookQuery): Look {
    if (this.pendingCount === 0) return NOTHING_FOUND
    return this.#held.pel().look(query, this.stream.finder())
  }

  /** Pending entries of [start, end], ascending, of one consumer or of all. They may change while they are taken. */
  pendingRange(start: StreamId, end: StreamId, consumer?: Consumer): Iterable<Pending> {
    if (this.pendingCount === 0) return []
    const pel = this.#held.pel()
    return consumer === undefined ? pel.range(start, end) : pel.ownedIdleRange(consumer, start, end, Infinity)
  }

  /**
   * As pendingRange() but skips what was delivered after `deliveredMaxMs`, whole pages of it unread. A released entry
   * counts as delivered before.
   */
  pendingIdleRange(start: StreamId, end: StreamId, deliveredMaxMs: number, consumer?: Consumer): Iterable<Pending> {
    if (this.pendingCount === 0) return []
    const pel = this.#held.pel()
    if (consumer === undefined) return pel.idleRange(start, end, deliveredMaxMs)
    return pel.ownedIdleRange(consumer, start, end, deliveredMaxMs)
  }

  /** As pendingIdleRange(), of all, in the order in which they are to be claimed. They must not change meanwhile. */
  oldestPending(deliveredMaxMs: number): Iterable<Pending> {
    return this.pendingCount === 0 ? [] : this.#held.pel().oldest(deliveredMaxMs)
  }

  /** As oldestPending(), of those whose entry is in the stream. What is not there is passed over once, not always. */
  claimable(deliveredMaxMs: number): Iterable<Claimable<WireSlice>> {
    if (this.pendingCount === 0) return []
    return this.#held.pel().claimable(deliveredMaxMs, id => this.stream.get(id))
  }

  /** Nothing that claimable() gives was delivered before, Unix ms; beyond all times when there is none. */
  claimableSinceMs(): number {
    return this.pendingCount === 0 ? Number.MAX_SAFE_INTEGER : this.#held.pel().claimableSinceMs()
  }

  /** IDs of deleted entries may be given to new ones from now on. */
  idsMayComeAgain(): void {
    this.#contents.pelIfOpen?.unhide()
  }

  firstPendingId(): StreamId | undefined {
    return this.pendingCount === 0 ? undefined : this.#held.pel().firstId()
  }

  lastPendingId(): StreamId | undefined {
    return this.pendingCount === 0 ? undefined : this.#held.pel().lastId()
  }

  /** Where the first `max` of [start, end] lie among those pending, of `consumer` or of all. */
  pendingSpan(start: StreamId, end: StreamId, max: number, consumer?: Consumer): Span {
    return this.pendingCount === 0 ? NO_SPAN : this.#held.pel().span(start, end, max, consumer)
  }

  /** The first `max` from rank `from` on, of `consumer` or of all, as they are now; there must be some. */
  pendingRead(max: number, consumer?: Consumer, from = 0): LongRead<VisitPending> {
    return this.#held.pel().longRead(max, consumer, from)
  }

  /** As pendingIdleRange(), of very many: they take 36 bytes each. There must be pending entries. */
  gatherIdle(query: IdleQuery): IdleRows {
    return this.#held.pel().gatherIdle(query)
  }

  /** XACK of one ID. */
  ack(id: StreamId): boolean {
    return this.pendingCount > 0 && this.#held.pel().remove(id)
  }

  /** XACK of many; returns how many were pending. */
  ackAll(ids: StreamIdList): number {
    return this.pendingCount > 0 ? this.#held.pel().removeAll(ids) : 0
  }

  /** Whether each of `ids`, which ascend, is pending. */
  pendingEach(ids: readonly StreamId[]): boolean[] {
    return eachAmong(ids, this.pendingAmong(ids))
  }

  /** As ackAll() of `ids`, which ascend; whether each was pending. */
  ackEach(ids: readonly StreamId[]): boolean[] {
    const pending = this.pendingAmong(ids)
    if (pending.count > 0) this.ackAll(pending)
    return eachAmong(ids, pending)
  }

  /**
   * Creates or overwrites the record of `id`: owner, delivery time and count. The engine of XCLAIM, XAUTOCLAIM, history
   * and replay. Call settlePending() behind the last of many.
   */
  setPending(id: StreamId, owner: Consumer, deliveredMs: number, deliveries: Count): void {
    if (this.#held.pel().set(id, owner, deliveredMs, deliveries)) referencesMayCome(this.stream)
  }

  /** As setPending(), of one that was located. */
  setLocated(found: Located, owner: Consumer, deliveredMs: number, deliveries: Count): void {
    this.#held.pel().setFound(found, owner, deliveredMs, deliveries)
  }

  /** Keeps what searches look at tight. */
  settlePending(): void {
    this.#held.pelIfOpen?.tighten()
  }

  /** Takes the entry, pending or not, from whoever owns it, and puts it behind all that were released before. */
  release(id: StreamId, deliveries: Count): void {
    if (this.#held.pel().disown(id, deliveries)) referencesMayCome(this.stream)
  }

  /** As it is now. */
  pelState(): PelState | undefined {
    return this.#held.pelIfOpen?.state()
  }

  /** Whether nothing that is pending can have changed since pelState(). */
  isAt(state: PelState | undefined): boolean {
    return state !== undefined && this.#held.pelIfOpen?.isAt(state) === true
  }

  /** Those of `ids`, which ascend, that are pending. */
  pendingAmong(ids: readonly StreamId[]): StreamIdList {
    return this.pendingCount > 0 ? this.#held.pel().among(ids) : new StreamIdList()
  }

  /** Forgets what is pending of [start, end]; returns how many that was. */
  dropPending(start: StreamId, end: StreamId): number {
    return this.pendingCount === 0 ? 0 : this.#held.pel().removeRange(start, end)
  }

  /** Drops the group with its consumers and its PEL; the stream forgets it and sees to its row. */
  drop(): void {
    this.#leave()
    this.#contents.drop()
  }

  /** The group, of which the figures stay, gives all it holds to a group of `stream`, under the same name. */
  handOver(stream: GroupStream): ConsumerGroup {
    this.#leave()
    const contents = this.#contents
    this.#contents = new GroupContents(this.rows, contents.object, { ...contents.stored(), pelRoot: undefined })
    const heir = new ConsumerGroup(stream, contents, this.name, this.#lastDeliveredId, this.#entriesRead)
    heir.rows.touch(heir)
    return heir
  }

  #leave(): void {
    this.#dropped = true
    this.forget()
  }

  /** It is not in memory any more. */
  forget(): void {
    this.rows.cache.heldBytes -= GROUP_BYTES + this.name.length
  }

  /** As KeyValue.dropPieces. */
  get dropPieces(): number {
    return 1 + this.consumerCount
  }

  /** As KeyValue.dropSome(): the records, then the consumers, then the group. */
  dropSome(max: number): boolean {
    if (this.#contents.dropSome(max)) return true
    this.drop()
    return false
  }

  /** As KeyValue.check(), of the group. */
  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    inspection.attempt(() => {
      if (this.#contents.hasPel) return this.#contents.pel().check(inspection)
      for (const { name, pendingCount } of this.#contents.consumers().all()) {
        if (pendingCount > 0) inspection.found(`consumer '${name}' owns ${pendingCount} pending entries of none`)
      }
    }, ` (group '${this.name}')`)
  }

  /** A deep copy of consumers and PEL into `target`, which is new. */
  copyTo(target: ConsumerGroup): void {
    target.rows.touch(target)
    target.#position = this.#position
    target.#contents.copyFrom(this.#held)
  }

  memoryUsage(): number {
    return GROUP_BYTES + this.name.length + this.#contents.memoryUsage()
  }
}
