// A consumer group: the Row with how far it has read, its consumers and its PEL, both opened on the first use: a stream
// may have very many groups. Used by: stream, commands. Uses: consumers, pel, group-row (bytes), read-progress.
// A group is an object of the store of its own, so that it can be dropped as a whole with all its trees.

import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import { compareIds, ID_MAX, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import { getU48, Row, StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { treeIdOfRoot } from '../../pages/tree-root.js'
import { Consumers } from './consumers.js'
import type { Consumer, ConsumerHome } from './consumer.js'
import type { Count } from './count.js'
import type { WireSlice } from './entry-run.js'
import { decodeGroupRow, encodeGroupRow } from './group-row.js'
import type { GroupStream } from './group-stream.js'
import { objectPartKey, PART, PART_PREFIX_BYTES, partPrefix } from './part-key.js'
import { Pel } from './pel.js'
import type { Look, LookQuery } from './pel-look.js'
import type { Claimable, Located, Pending, Releases } from './pending.js'
import { entriesReadAfter, lagOf, positionAfter } from './read-progress.js'

const ROW_BYTES = 96
/** What a group, a consumer and the tree of a PEL take in memory, as measured. */
const GROUP_BYTES = 500
const CONSUMER_BYTES = 560
const PEL_BYTES = 1400
const OWNED_BYTES = 16
const RECORD_BYTES = 36
const NOTHING_FOUND: Look = { claims: [], deletedIds: [], next: undefined }

export class ConsumerGroup extends Row implements ConsumerHome {
  #lastDeliveredId: StreamId
  #entriesRead: Count | undefined
  #position: Count | undefined
  #nextConsumer = 1
  #consumers: Consumers | undefined
  #consumersStored = 0
  #pel: Pel | undefined
  #pelRoot: Buffer | undefined
  #pendingStored = 0
  readonly #releases: Releases = { count: 0, next: 1 }
  #dropped = false

  constructor(
    readonly stream: GroupStream,
    readonly object: StoreObject,
    /** latin1. */
    readonly name: string,
    lastDeliveredId: StreamId,
    entriesRead: Count | undefined,
  ) {
    super()
    this.#lastDeliveredId = lastDeliveredId
    this.#entriesRead = entriesRead
    this.#position = atMost(entriesRead, stream.entriesAdded)
    stream.rows.cache.heldBytes += GROUP_BYTES + name.length
  }

  /** @throws CorruptionError */
  static decode(stream: GroupStream, key: Buffer, value: Buffer): ConsumerGroup {
    const row = decodeGroupRow(value, `group row ${key.toString('hex')}`)
    const object = new StoreObject(getU48(key, PART_PREFIX_BYTES))
    const group = new ConsumerGroup(stream, object, row.name, row.lastDeliveredId, row.entriesRead)
    group.#nextConsumer = row.nextConsumer
    group.#consumersStored = row.consumers
    group.#pendingStored = row.pending
    // Of a row of version 1 the stream bounds it: see the constructor.
    group.#position = atMost(row.position, stream.entriesAdded)
    group.#releases.count = row.released
    group.#releases.next = row.nextRelease
    group.#pelRoot = row.pelRoot
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

  get rows(): Rows {
    return this.stream.rows
  }

  rowKey(): Buffer {
    return objectPartKey(this.stream.object, PART.group, this.object.id)
  }

  encodeRow(): Buffer {
    return encodeGroupRow({
      consumers: this.consumerCount,
      lastDeliveredId: this.#lastDeliveredId,
      entriesRead: this.#entriesRead,
      nextConsumer: this.#nextConsumer,
      pending: this.pendingCount,
      position: this.#position,
      released: this.#releases.count,
      nextRelease: this.#releases.next,
      pelRoot: this.#pel?.encodeRoot() ?? this.#pelRoot,
      name: this.name,
    })
  }

  rowBytes(): number {
    return ROW_BYTES + this.name.length
  }

  /** Root of the PEL as it was stored; undefined when there is none, or the PEL is open. For repair. */
  get storedPelRoot(): Buffer | undefined {
    return this.#pelRoot
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
    return this.#pel?.count ?? this.#pendingStored
  }

  /** Pending entries that nobody owns. */
  get releasedCount(): number {
    return this.#releases.count
  }

  get consumerCount(): number {
    return this.#consumers?.size ?? this.#consumersStored
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
    return this.#allConsumers().get(name)
  }

  /** Names ascending by bytes. */
  consumers(): readonly Consumer[] {
    return this.#allConsumers().all()
  }

  /** The consumer, and whether it is new (then seenMs = nowMs and activeMs = undefined). */
  ensureConsumer(name: string, nowMs: number): { consumer: Consumer; created: boolean } {
    const known = this.#allConsumers().get(name)
    if (known !== undefined) return { consumer: known, created: false }
    this.rows.touch(this)
    return { consumer: this.#allConsumers().create(this.#nextConsumer++, name, nowMs), created: true }
  }

  /** Drops its pending entries too; returns how many those were, undefined when there is no such consumer. */
  deleteConsumer(name: string): number | undefined {
    const consumer = this.#allConsumers().get(name)
    if (consumer === undefined) return undefined
    const pending = consumer.pendingCount
    this.rows.touch(this)
    if (pending > 0) this.#openPel().removeOwned(consumer)
    this.#allConsumers().delete(consumer)
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
    const pel = noAck ? undefined : this.#openPel()
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
    return this.pendingCount === 0 ? undefined : this.#openPel().get(id)
  }

  /** As pending(), with its place. */
  locatePending(id: StreamId): Located | undefined {
    return this.pendingCount === 0 ? undefined : this.#openPel().find(id)
  }

  /** What an XAUTOCLAIM finds: see pel-look. */
  lookForIdle(query: LookQuery): Look {
    if (this.pendingCount === 0) return NOTHING_FOUND
    return this.#openPel().look(query, this.stream.finder())
  }

  /** Pending entries of [start, end], ascending, of one consumer or of all. They may change while they are taken. */
  pendingRange(start: StreamId, end: StreamId, consumer?: Consumer): Iterable<Pending> {
    if (this.pendingCount === 0) return []
    const pel = this.#openPel()
    return consumer === undefined ? pel.range(start, end) : pel.ownedRange(consumer, start, end)
  }

  /**
   * As pendingRange() but skips what was delivered after `deliveredMaxMs`, whole pages of it unread. A released entry
   * counts as delivered before.
   */
  pendingIdleRange(start: StreamId, end: StreamId, deliveredMaxMs: number, consumer?: Consumer): Iterable<Pending> {
    if (this.pendingCount === 0) return []
    const pel = this.#openPel()
    if (consumer === undefined) return pel.idleRange(start, end, deliveredMaxMs)
    return pel.ownedIdleRange(consumer, start, end, deliveredMaxMs)
  }

  /** As pendingIdleRange(), of all, in the order in which they are to be claimed. They must not change meanwhile. */
  oldestPending(deliveredMaxMs: number): Iterable<Pending> {
    return this.pendingCount === 0 ? [] : this.#openPel().oldest(deliveredMaxMs)
  }

  /** As oldestPending(), of those whose entry is in the stream. What is not there is passed over once, not always. */
  claimable(deliveredMaxMs: number): Iterable<Claimable<WireSlice>> {
    if (this.pendingCount === 0) return []
    return this.#openPel().claimable(deliveredMaxMs, id => this.stream.get(id))
  }

  /** Nothing that claimable() gives was delivered before, Unix ms; beyond all times when there is none. */
  claimableSinceMs(): number {
    return this.pendingCount === 0 ? Number.MAX_SAFE_INTEGER : this.#openPel().claimableSinceMs()
  }

  /** IDs of deleted entries may be given to new ones from now on. */
  idsMayComeAgain(): void {
    this.#pel?.unhide()
  }

  firstPendingId(): StreamId | undefined {
    return this.pendingCount === 0 ? undefined : this.#openPel().firstId()
  }

  lastPendingId(): StreamId | undefined {
    return this.pendingCount === 0 ? undefined : this.#openPel().lastId()
  }

  /** XACK of one ID. */
  ack(id: StreamId): boolean {
    return this.pendingCount > 0 && this.#openPel().remove(id)
  }

  /** XACK of many; returns how many were pending. */
  ackAll(ids: StreamIdList): number {
    return this.pendingCount > 0 ? this.#openPel().removeAll(ids) : 0
  }

  /**
   * Creates or overwrites the record of `id`: owner, delivery time and count. The engine of XCLAIM, XAUTOCLAIM, history
   * and replay. Call settlePending() behind the last of many.
   */
  setPending(id: StreamId, owner: Consumer, deliveredMs: number, deliveries: Count): void {
    this.#openPel().set(id, owner, deliveredMs, deliveries)
  }

  /** As setPending(), of one that was located. */
  setLocated(found: Located, owner: Consumer, deliveredMs: number, deliveries: Count): void {
    this.#openPel().setFound(found, owner, deliveredMs, deliveries)
  }

  /** Keeps what searches look at tight. */
  settlePending(): void {
    this.#pel?.tighten()
  }

  /** Takes the entry, pending or not, from whoever owns it, and puts it behind all that were released before. */
  release(id: StreamId, deliveries: Count): void {
    this.#openPel().disown(id, deliveries)
  }

  /** Those of `ids`, which ascend, that are pending. */
  pendingAmong(ids: readonly StreamId[]): StreamIdList {
    return this.pendingCount > 0 ? this.#openPel().among(ids) : new StreamIdList()
  }

  /** Forgets what is pending of [start, end]; returns how many that was. */
  dropPending(start: StreamId, end: StreamId): number {
    return this.pendingCount === 0 ? 0 : this.#openPel().removeRange(start, end)
  }

  /** Drops the group with its consumers and its PEL; the stream forgets it and sees to its row. */
  drop(): void {
    this.#dropped = true
    // Where nothing was pending since the start no tree has a row; pages emptied since then may still lie in the store.
    const treeIds = this.pendingCount > 0 || this.#pel !== undefined ? this.#releaseTrees() : []
    this.#consumers?.release()
    this.rows.cache.heldBytes -= GROUP_BYTES + this.name.length + (this.#pel === undefined ? 0 : PEL_BYTES)
    this.rows.drop(this.object, treeIds)
  }

  /** As KeyValue.dropPieces. */
  get dropPieces(): number {
    return 1 + this.consumerCount
  }

  /** As KeyValue.dropSome(): the records, then the consumers, then the group. */
  dropSome(max: number): boolean {
    const consumers = unlessDamaged(() => this.#allConsumers(), undefined)
    if (consumers !== undefined && consumers.size > 0) {
      this.rows.touch(this)
      this.#dropRecords()
      let left = max
      for (const consumer of consumers.values()) {
        if (left-- <= 0) return true
        unlessDamaged(() => consumer.dropTree(), undefined)
        consumers.delete(consumer)
      }
    }
    this.drop()
    return false
  }

  #dropRecords(): void {
    const pel = unlessDamaged(() => (this.pendingCount > 0 ? this.#openPel() : undefined), undefined)
    pel?.clear()
    this.#releases.count = 0
    this.#pelRoot = undefined
    this.#pendingStored = 0
  }

  /** Takes the pages of PEL and consumers out of the cache; the ids of the trees, as far as they are not damaged. */
  #releaseTrees(): number[] {
    const treeIds: number[] = []
    const pel = this.#pel
    const root = this.#pelRoot
    if (pel !== undefined) {
      treeIds.push(pel.treeId)
      pel.release()
    } else if (root !== undefined) {
      const id = unlessDamaged(() => treeIdOfRoot(root), undefined)
      if (id !== undefined) treeIds.push(id)
    }
    for (const consumer of unlessDamaged(() => this.#allConsumers().values(), [])) {
      const id = unlessDamaged(() => consumer.releaseTree(), undefined)
      if (id !== undefined) treeIds.push(id)
    }
    return treeIds
  }

  /** As KeyValue.check(), of the group. */
  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    inspection.attempt(() => {
      if (this.#pelRoot !== undefined || this.#pel !== undefined) return this.#openPel().check(inspection)
      for (const { name, pendingCount } of this.consumers()) {
        if (pendingCount > 0) inspection.found(`consumer '${name}' owns ${pendingCount} pending entries of none`)
      }
    }, ` (group '${this.name}')`)
  }

  /** A deep copy of consumers and PEL into `target`, which is new. */
  copyTo(target: ConsumerGroup): void {
    this.rows.touch(target)
    target.#nextConsumer = this.#nextConsumer
    target.#position = this.#position
    target.#releases.count = this.#releases.count
    target.#releases.next = this.#releases.next
    for (const consumer of this.consumers()) {
      const copy = target.#allConsumers().create(consumer.number, consumer.name, consumer.seenMs)
      if (consumer.activeMs !== undefined) copy.setActive(consumer.activeMs)
      if (consumer.pendingCount > 0) copy.copyOwned(consumer)
    }
    if (this.pendingCount > 0) target.#openPel().copyFrom(this.#openPel())
  }

  memoryUsage(): number {
    return (
      GROUP_BYTES +
      this.name.length +
      this.consumerCount * CONSUMER_BYTES +
      this.pendingCount * (RECORD_BYTES + OWNED_BYTES)
    )
  }

  #allConsumers(): Consumers {
    return (this.#consumers ??= new Consumers(this, this.#consumersStored))
  }

  #openPel(): Pel {
    if (this.#pel !== undefined) return this.#pel
    const pel = new Pel(this, this.#allConsumers(), this.#releases, () => this.rows.touch(this), this.#pelRoot)
    if (pel.count !== this.#pendingStored) {
      throw new CorruptionError(`group ${this.object.id} and its PEL disagree about the number of pending entries`)
    }
    this.#pelRoot = undefined
    this.rows.cache.heldBytes += PEL_BYTES
    this.#pel = pel
    return pel
  }
}

/** No group can have read more than was ever added, whatever it is told. */
function atMost(entriesRead: Count | undefined, entriesAdded: Count): Count | undefined {
  return entriesRead !== undefined && entriesRead > entriesAdded ? entriesAdded : entriesRead
}
