// Streams in Redis' dumps: nodes, counters, groups with their pending entries, consumers. Written as type 19 (Redis
// 7.0), as 26 (8.6) when the stream uses idempotence, as 27 (8.8) when entries were released: what an older Redis can
// read, it can read. Read also as 15 (5.0: no counters) and 21 (7.2: with the active time of consumers).
//
// nodes: number, then each: ID of its first entry ever (a string of 16 bytes), listpack (a string)
// length, last ID, and from 19 on: first ID, max deleted ID, entries ever added
// groups: number, then each: name, last delivered ID, from 19 on entries read (-1: unknown),
//   pending: number, then each: ID (16 bytes), delivery time (ms, int64; 0 of a released one), deliveries
//   consumers: number, then each: name, seen (ms, int64), from 21 on active (likewise, -1: never), number of IDs, IDs
//   with 27 released: number, IDs in the order in which they were released
// from 26 on: idempotence (stream-idempotence-rdb.ts)

import { compareIds, getId, ID_MAX, ID_MIN, previousId, STREAM_ID_BYTES } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Consumer } from '../stream/consumer.js'
import { countOf } from '../stream/count.js'
import type { Count } from '../stream/count.js'
import type { ConsumerGroup } from '../stream/group.js'
import type { MacroNode } from '../stream/macro-nodes.js'
import { entriesAddedUpTo } from '../stream/read-progress.js'
import { Stream } from '../stream/stream.js'
import { ListpackWriter } from './listpack.js'
import { PayloadError } from './payload-error.js'
import type { RdbReader } from './rdb-reader.js'
import type { RdbWriter } from './rdb-writer.js'
import { readIdempotence, writeIdempotence } from './stream-idempotence-rdb.js'
import { readNode, writeNode } from './stream-node-rdb.js'
import type { ValueCodec } from './value-codec.js'

const LISTPACKS = 15
const LISTPACKS_2 = 19
const LISTPACKS_3 = 21
const LISTPACKS_4 = 26
const LISTPACKS_5 = 27
/** The first version of RDB with these types. */
const VERSION_4 = 13
const VERSION_5 = 14

/** The least that these take in a dump. */
const NODE_BYTES_MIN = 1 + STREAM_ID_BYTES + 1
const GROUP_BYTES_MIN = 5
const PENDING_BYTES_MIN = STREAM_ID_BYTES + 8 + 1
const CONSUMER_BYTES_MIN = 1 + 8 + 1
/** What these take in memory here, about. */
const NODE_BYTES = 200
const GROUP_BYTES = 600
const PENDING_BYTES = 150
const CONSUMER_BYTES = 400

export const streamCodec: ValueCodec = {
  type: 'stream',
  codes: [LISTPACKS, LISTPACKS_2, LISTPACKS_3, LISTPACKS_4, LISTPACKS_5],

  write(writer, value) {
    const stream = value as Stream
    const code = codeFor(stream)
    writer.u8(code)
    if (code >= LISTPACKS_4) writer.needsVersion(code === LISTPACKS_4 ? VERSION_4 : VERSION_5)
    writeNodes(writer, stream)
    writer.length(stream.length)
    writer.id(stream.lastId)
    writer.id(stream.firstId)
    writer.id(stream.maxDeletedId)
    writer.length(unsigned(stream.entriesAdded))
    writer.length(stream.groupCount)
    for (const group of stream.groups()) writeGroup(writer, group, code)
    if (code >= LISTPACKS_4) writeIdempotence(writer, stream)
  },

  read(reader, code, rows) {
    const stream = Stream.create(rows)
    try {
      readStream(reader, code, stream)
    } catch (error) {
      stream.drop()
      throw error
    }
    return stream
  },
}

/** The oldest type that can tell all of the stream. */
function codeFor(stream: Stream): number {
  if (stream.groups().some(group => group.releasedCount > 0)) return LISTPACKS_5
  return stream.usesIdempotence ? LISTPACKS_4 : LISTPACKS_2
}

function writeNodes(writer: RdbWriter, stream: Stream): void {
  let nodes = 0
  for (const node of stream.macroNodes()) if (node.live > 0) nodes++
  writer.length(nodes)
  const listpack = new ListpackWriter()
  const write = (node: MacroNode, endId: StreamId) => {
    if (node.live === 0) return
    writer.length(STREAM_ID_BYTES)
    writer.rawId(node.firstId)
    writer.string(writeNode(listpack, stream, node, endId))
  }
  let before: MacroNode | undefined
  for (const node of stream.macroNodes()) {
    if (before !== undefined) write(before, previousId(node.firstId) ?? ID_MIN)
    before = node
  }
  if (before !== undefined) write(before, ID_MAX)
}

function writeGroup(writer: RdbWriter, group: ConsumerGroup, code: number): void {
  writer.text(group.name)
  writer.id(group.lastDeliveredId)
  writer.length(unsigned(group.entriesRead ?? -1))
  writer.length(group.pendingCount)
  for (const pending of group.pendingRange(ID_MIN, ID_MAX)) {
    writer.rawId(pending.id)
    writer.int64(pending.deliveredMs)
    writer.length(unsigned(pending.deliveries))
  }
  writer.length(group.consumerCount)
  for (const consumer of group.consumers()) {
    writer.text(consumer.name)
    writer.int64(consumer.seenMs)
    if (code >= LISTPACKS_3) writer.int64(consumer.activeMs ?? -1)
    writer.length(consumer.pendingCount)
    for (const pending of group.pendingRange(ID_MIN, ID_MAX, consumer)) writer.rawId(pending.id)
  }
  if (code < LISTPACKS_5) return
  writer.length(group.releasedCount)
  if (group.releasedCount === 0) return
  for (const { id, owner } of group.oldestPending(0)) if (owner === undefined) writer.rawId(id)
}

function readStream(reader: RdbReader, code: number, stream: Stream): void {
  readNodes(reader, stream)
  const length = reader.length()
  if (length !== stream.length) throw new PayloadError('stream of another length than its nodes')
  const lastId = reader.id()
  if (compareIds(lastId, stream.lastId) < 0) throw new PayloadError('stream with an entry behind its last ID')
  let maxDeletedId = ID_MIN
  let entriesAdded: Count = length
  if (code !== LISTPACKS) {
    reader.id() // of the first entry, which follows from the nodes
    maxDeletedId = reader.id()
    if (compareIds(maxDeletedId, lastId) > 0) throw new PayloadError('stream with a deleted entry behind its last ID')
    entriesAdded = signed(reader.wide())
  }
  stream.setId(lastId, entriesAdded, maxDeletedId)
  for (let rest = reader.count(GROUP_BYTES_MIN); rest > 0; rest--) readGroup(reader, code, stream)
  if (code >= LISTPACKS_4) readIdempotence(reader, stream)
}

function readNodes(reader: RdbReader, stream: Stream): void {
  let before: StreamId | undefined
  for (let rest = reader.count(NODE_BYTES_MIN); rest > 0; rest--) {
    const key = reader.string()
    if (key.length !== STREAM_ID_BYTES) throw new PayloadError('stream node without an ID')
    const firstId = getId(key, 0)
    if (compareIds(firstId, stream.lastId) <= 0 || (before !== undefined && compareIds(firstId, before) <= 0)) {
      throw new PayloadError('stream nodes out of order')
    }
    before = firstId
    reader.spend(NODE_BYTES)
    readNode(reader, stream, firstId, reader.string())
  }
}

function readGroup(reader: RdbReader, code: number, stream: Stream): void {
  const name = reader.text()
  const lastDeliveredId = reader.id()
  const entriesRead = code === LISTPACKS ? entriesAddedUpTo(stream, lastDeliveredId) : signed(reader.wide())
  if (stream.group(name) !== undefined) throw new PayloadError('stream with two groups of one name')
  reader.spend(GROUP_BYTES + name.length)
  const group = stream.createGroup(name, lastDeliveredId, entriesRead === -1 ? undefined : entriesRead)
  const pending = new PendingEntries(reader)
  for (let rest = reader.count(CONSUMER_BYTES_MIN); rest > 0; rest--) readConsumer(reader, code, group, pending)
  if (code >= LISTPACKS_5) {
    for (let rest = reader.count(STREAM_ID_BYTES); rest > 0; rest--) pending.release(reader.raw(STREAM_ID_BYTES))
  }
  pending.settle(group)
}

function readConsumer(reader: RdbReader, code: number, group: ConsumerGroup, pending: PendingEntries): void {
  const name = reader.text()
  const seenMs = timeOf(reader.int64())
  const activeMs = code >= LISTPACKS_3 ? reader.int64() : seenMs
  reader.spend(CONSUMER_BYTES + name.length)
  const { consumer, created } = group.ensureConsumer(name, seenMs)
  if (!created) throw new PayloadError('group with two consumers of one name')
  if (activeMs >= 0) consumer.setActive(timeOf(activeMs))
  for (let rest = reader.count(STREAM_ID_BYTES); rest > 0; rest--) pending.give(reader.raw(STREAM_ID_BYTES), consumer)
}

/** The pending entries of a group, which a dump tells first, until their owners are known. */
class PendingEntries {
  readonly #count: number
  readonly #ids: Buffer
  readonly #deliveredMs: Float64Array
  readonly #deliveries: Count[] = []
  readonly #owners: (Consumer | undefined)[] = []
  /** Places in #ids, in the order of their release. */
  readonly #released = new Set<number>()

  constructor(reader: RdbReader) {
    const count = reader.count(PENDING_BYTES_MIN)
    reader.spend(count * PENDING_BYTES)
    this.#count = count
    this.#ids = Buffer.allocUnsafeSlow(count * STREAM_ID_BYTES)
    this.#deliveredMs = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      const id = reader.raw(STREAM_ID_BYTES)
      if (i > 0 && this.#compare(i - 1, id) >= 0) throw new PayloadError('pending entries out of order')
      id.copy(this.#ids, i * STREAM_ID_BYTES)
      this.#deliveredMs[i] = timeOf(reader.int64())
      this.#deliveries.push(signed(reader.wide()))
      this.#owners.push(undefined)
    }
  }

  /** Notes the owner of `id`. @throws PayloadError when it is not pending, or has one */
  give(id: Buffer, owner: Consumer): void {
    this.#owners[this.#unowned(id)] = owner
  }

  /** Notes that `id` is nobody's. @throws PayloadError as give() */
  release(id: Buffer): void {
    this.#released.add(this.#unowned(id))
  }

  /** Puts all of them into the group. @throws PayloadError before that when one is neither owned nor released */
  settle(group: ConsumerGroup): void {
    for (let i = 0; i < this.#count; i++) {
      if (this.#owners[i] === undefined && !this.#released.has(i)) {
        throw new PayloadError('pending entry without an owner')
      }
    }
    for (let i = 0; i < this.#count; i++) {
      const owner = this.#owners[i]
      if (owner !== undefined) group.setPending(this.#idAt(i), owner, this.#deliveredMs[i], this.#deliveries[i])
    }
    for (const i of this.#released) group.release(this.#idAt(i), this.#deliveries[i])
  }

  #idAt(index: number): StreamId {
    return getId(this.#ids, index * STREAM_ID_BYTES)
  }

  /** Where `id` is. @throws PayloadError when it is not pending, or has an owner, or was released */
  #unowned(id: Buffer): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, id) < 0) low = middle + 1
      else high = middle
    }
    const found = low < this.#count && this.#compare(low, id) === 0
    if (!found || this.#owners[low] !== undefined || this.#released.has(low)) {
      throw new PayloadError('pending entry of nobody, or of two')
    }
    return low
  }

  /** Sign of (the ID at `index`) minus `id`. */
  #compare(index: number, id: Buffer): number {
    return this.#ids.compare(id, 0, STREAM_ID_BYTES, index * STREAM_ID_BYTES, (index + 1) * STREAM_ID_BYTES)
  }
}

/** A counter of 64 bits as it is kept here: Redis shows all of them as signed. */
function signed(value: number | bigint): Count {
  return typeof value === 'number' ? value : countOf(BigInt.asIntN(64, value))
}

function unsigned(count: Count): number | bigint {
  return typeof count === 'number' && count >= 0 ? count : BigInt.asUintN(64, BigInt(count))
}

/** Unix ms within what is kept here; only damage and clients that set it can be outside. */
function timeOf(ms: number): number {
  return Math.min(Math.max(ms, 0), Number.MAX_SAFE_INTEGER)
}
