// Contract of types/stream for the commands; the implementation (stream.ts, group.ts, …) exports classes of these shapes
// and this file goes. Values in, values out: no client, no reply, no argv. The caller has parsed everything.
// Counters are 64-bit: `Count` is a number up to 2^53 and a bigint beyond.

import type { StreamId } from '../../base/stream-id.js'
import type { Rows } from '../../store/rows.js'
import type { KeyValue } from '../key-value.js'

export type Count = number | bigint

/** Stored entries that lie side by side: `bytes[from, to)` is the RESP of `entries` whole entries. Immutable. */
export interface WireSlice {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly entries: number
}

export interface NodeLimits {
  /** stream-node-max-entries; 0 = no limit. */
  entriesMax: number
  /** stream-node-max-bytes; 0 = no limit. */
  bytesMax: number
}

export type Trim =
  | { readonly by: 'maxlen'; readonly length: number; readonly approximate: boolean; /** 0 = none */ readonly limit: number }
  | { readonly by: 'minid'; readonly id: StreamId; readonly approximate: boolean; readonly limit: number }

export interface Stream extends KeyValue {
  readonly length: number
  readonly lastId: StreamId
  readonly maxDeletedId: StreamId
  readonly entriesAdded: Count
  /** ID of the first live entry, 0-0 when empty. */
  readonly firstId: StreamId
  /** Macro nodes, as XINFO's radix-tree-keys shows them. */
  readonly nodeCount: number

  /**
   * Appends an entry. `fields[from, to)` is the RESP of its fields and values ('$1\r\nf\r\n$1\r\nv\r\n…'), copied.
   * @param pairs number of field-value pairs
   * The ID must be above lastId (asserted).
   */
  append(id: StreamId, pairs: number, fields: Buffer, from: number, to: number, limits: NodeLimits): void
  has(id: StreamId): boolean
  get(id: StreamId): WireSlice | undefined
  first(): WireSlice | undefined
  last(): WireSlice | undefined
  /** Number of entries in [start, end]. O(log n). */
  countRange(start: StreamId, end: StreamId): number
  /** At most `max` entries of [start, end] in ascending order, in slices as long as the pages allow. */
  range(start: StreamId, end: StreamId, max: number): Iterable<WireSlice>
  /** As range(), descending, one entry per slice. */
  rangeReverse(start: StreamId, end: StreamId, max: number): Iterable<WireSlice>
  /** XDEL. False when there is no such entry. */
  delete(id: StreamId): boolean
  /** Returns the number of entries removed. */
  trim(trim: Trim): number
  /** XSETID (checked by the caller). */
  setId(lastId: StreamId, entriesAdded: Count | undefined, maxDeletedId: StreamId | undefined): void

  readonly groupCount: number
  group(name: string): ConsumerGroup | undefined
  /** Names ascending by bytes. */
  groups(): Iterable<ConsumerGroup>
  /** `entriesRead` undefined = unknown (-1). The name must be new (asserted). */
  createGroup(name: string, lastDeliveredId: StreamId, entriesRead: Count | undefined): ConsumerGroup
  destroyGroup(name: string): boolean
  /** Redis' estimate of entries_added at `id`, or undefined when it cannot be told: for lag and entries-read. */
  estimateEntriesRead(id: StreamId): Count | undefined
}

/** Static side of the class Stream. */
export interface StreamClass {
  create(rows: Rows): Stream
}

export interface ConsumerGroup {
  readonly name: string
  readonly lastDeliveredId: StreamId
  /** undefined = unknown. */
  readonly entriesRead: Count | undefined
  readonly pendingCount: number
  readonly consumerCount: number
  /** As Redis 7's rule computes it; undefined = null. */
  lag(): Count | undefined
  setId(id: StreamId, entriesRead: Count | undefined): void

  consumer(name: string): Consumer | undefined
  /** Names ascending by bytes. */
  consumers(): Iterable<Consumer>
  /** The consumer, and whether it is new (then seenMs = nowMs and activeMs = undefined). */
  ensureConsumer(name: string, nowMs: number): { consumer: Consumer; created: boolean }
  /** Drops its pending entries too; returns how many those were, undefined when there is no such consumer. */
  deleteConsumer(name: string): number | undefined

  /**
   * XREADGROUP '>': takes at most `max` entries after lastDeliveredId, moves lastDeliveredId and entriesRead, and unless
   * `noAck` puts them into the PEL (an entry that is pending already moves to this consumer, count 1, as in Redis).
   * Returns the slices in order; empty when there is nothing new.
   */
  deliver(consumer: Consumer, max: number, nowMs: number, noAck: boolean): WireSlice[]
  /** True when there is an entry after lastDeliveredId. */
  hasNew(): boolean

  pending(id: StreamId): Pending | undefined
  /** Pending entries with start <= id <= end, ascending, of one consumer or of all; a snapshot is not promised under change. */
  pendingRange(start: StreamId, end: StreamId, consumer?: Consumer): Iterable<Pending>
  /** As pendingRange() but skips what was delivered after `deliveredMaxMs`, whole pages of it unread. */
  pendingIdleRange(start: StreamId, end: StreamId, deliveredMaxMs: number, consumer?: Consumer): Iterable<Pending>
  firstPendingId(): StreamId | undefined
  lastPendingId(): StreamId | undefined
  /** XACK of one ID. */
  ack(id: StreamId): boolean
  /** Creates or overwrites the row of `id`: owner, delivery time and count. The engine of XCLAIM, XAUTOCLAIM, history and replay. */
  setPending(id: StreamId, owner: Consumer, deliveredMs: number, deliveries: Count): void
}

export interface Consumer {
  readonly name: string
  readonly pendingCount: number
  /** Last attempt to interact, Unix ms. */
  readonly seenMs: number
  /** Last successful interaction; undefined = never. */
  readonly activeMs: number | undefined
  setSeen(nowMs: number): void
  setActive(nowMs: number): void
}

export interface Pending {
  readonly id: StreamId
  readonly owner: Consumer
  readonly deliveredMs: number
  readonly deliveries: Count
}
