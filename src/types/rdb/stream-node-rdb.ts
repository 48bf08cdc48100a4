// The nodes of a stream in Redis' dumps: listpacks of entries, each told as its difference from the first one. Used by:
// stream-rdb. A node becomes a macro node of ours and the other way round; deleted entries, which Redis' nodes still
// hold, are counted when they come in and left out when a node goes out.
//
// Listpack: live entries, deleted entries, number of master fields, master fields, 0; then for each entry
//   flags (1 deleted, 2 fields are the master's), ms and sequence minus those of the node's first ID,
//   [number of fields, field, value, …] or [value, …], and the number of elements of the entry before this one.

import { compareIds, getId, parseId, STREAM_ID_BYTES } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { MacroNode } from '../stream/macro-nodes.js'
import type { OpenNode } from '../stream/stream-head.js'
import type { Stream } from '../stream/stream.js'
import { ListpackReader } from './listpack.js'
import type { ListpackWriter } from './listpack.js'
import { PayloadError } from './payload-error.js'
import type { RdbReader } from './rdb-reader.js'
import { WireCursor, WireFields } from './wire-fields.js'

const DELETED = 1
const SAME_FIELDS = 2
const FLAGS_MAX = DELETED | SAME_FIELDS
const U32_MAX = 0xffffffff
const TWO_32 = 4294967296
const SAFE_HI_MAX = 0x1fffff
/** Elements of an entry beside fields and values: flags, both differences; and with fields of its own their number. */
const ELEMENTS_SAME = 3
const ELEMENTS_OWN = 4
/** What an entry takes beside its fields, about. */
const ENTRY_BYTES = 64

const wire = new WireFields()

/** The fields of a node's first entry: field i is bytes[ends[i - 1], ends[i]), RESP. */
interface Master {
  readonly bytes: Buffer
  readonly ends: readonly number[]
}

/**
 * Appends the entries of a node whose first ID is `firstId`, which is above everything in the stream.
 * @throws PayloadError
 */
export function readNode(reader: RdbReader, stream: Stream, firstId: StreamId, packed: Buffer): void {
  const listpack = new ListpackReader(packed)
  const live = listpack.whole(U32_MAX)
  const deleted = listpack.whole(U32_MAX)
  if (live + deleted === 0) throw new PayloadError('stream node without an entry')
  const master = readMaster(listpack)
  const masterFields = master.bytes.latin1Slice()
  reader.spend(masterFields.length)
  const node: OpenNode = { firstId, lastId: firstId, live, deleted, bytes: packed.length, masterFields }
  stream.adoptNode(node)
  let liveFound = 0
  let deletedFound = 0
  while (!listpack.atEnd) {
    const flags = listpack.whole(FLAGS_MAX)
    const id = idBeside(firstId, listpack.signed(), listpack.signed())
    if (compareIds(id, firstId) < 0) throw new PayloadError('stream entry before its node')
    node.lastId = id
    const same = (flags & SAME_FIELDS) !== 0
    const pairs = same ? master.ends.length : listpack.whole(U32_MAX)
    if (pairs === 0) throw new PayloadError('stream entry without a field')
    if ((flags & DELETED) !== 0) {
      for (let i = same ? pairs : 2 * pairs; i > 0; i--) listpack.next()
      deletedFound++
    } else {
      if (compareIds(id, stream.lastId) <= 0) throw new PayloadError('stream entries out of order')
      if (same) reader.spend(master.bytes.length)
      readFields(listpack, pairs, same ? master : undefined)
      reader.spend(wire.length + ENTRY_BYTES)
      stream.adoptEntry(id, pairs, wire.bytes, 0, wire.length)
      liveFound++
    }
    const elements = same ? pairs + ELEMENTS_SAME : 2 * pairs + ELEMENTS_OWN
    if (listpack.whole(U32_MAX) !== elements) throw new PayloadError('stream entry with a wrong number of elements')
  }
  listpack.end()
  if (liveFound !== live || deletedFound !== deleted) throw new PayloadError('stream node with wrong counts')
}

function readMaster(listpack: ListpackReader): Master {
  const pairs = listpack.whole(U32_MAX)
  const ends: number[] = []
  wire.clear()
  for (let i = 0; i < pairs; i++) {
    listpack.next()
    wire.element(listpack)
    ends.push(wire.length)
  }
  listpack.whole(0)
  return { bytes: Buffer.from(wire.bytes.subarray(0, wire.length)), ends }
}

/** Fills `wire` with the fields and values of an entry; the fields are those of `master`, if given. */
function readFields(listpack: ListpackReader, pairs: number, master: Master | undefined): void {
  wire.clear()
  let from = 0
  for (let i = 0; i < pairs; i++) {
    if (master === undefined) {
      listpack.next()
      wire.element(listpack)
    } else {
      wire.copy(master.bytes, from, master.ends[i])
      from = master.ends[i]
    }
    listpack.next()
    wire.element(listpack)
  }
}

/** Packs the live entries of `node`, whose IDs are `endId` at most. It has one at least. */
export function writeNode(listpack: ListpackWriter, stream: Stream, node: MacroNode, endId: StreamId): Buffer {
  const { firstId, live } = node
  let master: Buffer | undefined = node.masterFields ? Buffer.from(node.masterFields, 'latin1') : undefined
  listpack.clear()
  listpack.integer(live)
  listpack.integer(0)
  if (master !== undefined) writeMaster(listpack, master)
  for (const slice of stream.range(firstId, endId, live)) {
    const cursor = new WireCursor(slice.bytes, slice.from)
    for (let i = 0; i < slice.entries; i++) {
      cursor.header()
      cursor.bulk()
      const id = parseId(cursor.bytes, cursor.from, cursor.to)!
      const pairs = cursor.header() / 2
      if (master === undefined) writeMaster(listpack, (master = fieldsAt(cursor.bytes, cursor.at, pairs)))
      writeEntry(listpack, firstId, id, cursor, pairs, master)
    }
  }
  return listpack.done()
}

function writeMaster(listpack: ListpackWriter, master: Buffer): void {
  const counting = new WireCursor(master, 0)
  let pairs = 0
  for (; counting.at < master.length; pairs++) counting.bulk()
  listpack.integer(pairs)
  const cursor = new WireCursor(master, 0)
  for (let i = 0; i < pairs; i++) {
    cursor.bulk()
    listpack.bytes(master, cursor.from, cursor.to)
  }
  listpack.integer(0)
}

/** Writes the entry whose first field is at the cursor, and moves that behind it. */
function writeEntry(
  listpack: ListpackWriter,
  firstId: StreamId,
  id: StreamId,
  cursor: WireCursor,
  pairs: number,
  master: Buffer,
): void {
  const { bytes } = cursor
  const same = hasFields(bytes, cursor.at, pairs, master)
  listpack.integer(same ? SAME_FIELDS : 0)
  listpack.integer(difference(id.msHi, id.msLo, firstId.msHi, firstId.msLo))
  listpack.integer(difference(id.seqHi, id.seqLo, firstId.seqHi, firstId.seqLo))
  if (!same) listpack.integer(pairs)
  for (let i = 0; i < pairs; i++) {
    cursor.bulk()
    if (!same) listpack.bytes(bytes, cursor.from, cursor.to)
    cursor.bulk()
    listpack.bytes(bytes, cursor.from, cursor.to)
  }
  listpack.integer(same ? pairs + ELEMENTS_SAME : 2 * pairs + ELEMENTS_OWN)
}

/** The fields among the `pairs` fields and values at `at`, as bulk strings. */
function fieldsAt(bytes: Buffer, at: number, pairs: number): Buffer {
  const cursor = new WireCursor(bytes, at)
  wire.clear()
  for (let i = 0; i < pairs; i++) {
    const from = cursor.at
    cursor.bulk()
    wire.copy(bytes, from, cursor.at)
    cursor.bulk()
  }
  return Buffer.from(wire.bytes.subarray(0, wire.length))
}

function hasFields(bytes: Buffer, at: number, pairs: number, master: Buffer): boolean {
  const cursor = new WireCursor(bytes, at)
  let masterAt = 0
  for (let i = 0; i < pairs; i++) {
    const from = cursor.at
    cursor.bulk()
    const length = cursor.at - from
    if (masterAt + length > master.length) return false
    if (bytes.compare(master, masterAt, masterAt + length, from, cursor.at) !== 0) return false
    masterAt += length
    cursor.bulk()
  }
  return masterAt === master.length
}

/** a - b in 64 bits that wrap. */
function difference(aHi: number, aLo: number, bHi: number, bLo: number): number | bigint {
  const lo = aLo - bLo
  const hi = (aHi - bHi - (lo < 0 ? 1 : 0)) | 0
  if (hi >= -SAFE_HI_MAX && hi <= SAFE_HI_MAX) return hi * TWO_32 + (lo >>> 0)
  return (BigInt(hi) << 32n) | BigInt(lo >>> 0)
}

/** The ID whose halves are those of `base` plus `ms` and `seq`, each in 64 bits that wrap. */
function idBeside(base: StreamId, ms: number | bigint, seq: number | bigint): StreamId {
  const bytes = scratch
  addTo(bytes, 0, base.msHi, base.msLo, ms)
  addTo(bytes, 8, base.seqHi, base.seqLo, seq)
  return getId(bytes, 0)
}

const scratch = Buffer.alloc(STREAM_ID_BYTES)

function addTo(bytes: Buffer, at: number, hi: number, lo: number, more: number | bigint): void {
  const sum = hi <= SAFE_HI_MAX && typeof more === 'number' ? hi * TWO_32 + lo + more : -1
  if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) {
    bytes.writeUInt32BE(Math.floor(sum / TWO_32), at)
    bytes.writeUInt32BE(sum % TWO_32, at + 4)
  } else {
    const wide = ((BigInt(hi) << 32n) | BigInt(lo)) + BigInt(more)
    bytes.writeBigUInt64BE(BigInt.asUintN(64, wide), at)
  }
}
