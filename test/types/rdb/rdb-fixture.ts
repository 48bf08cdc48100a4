// Dumps for the tests of this folder: made, damaged, and exchanged with a real redis-server.

import { putCrc64 } from '../../../src/types/rdb/crc64.js'
import { dumpOf, isIntact, valueOf } from '../../../src/types/rdb/dump-payload.js'
import type { PackingLimits } from '../../../src/types/rdb/value-codec.js'
import type { KeyValue } from '../../../src/types/key-value.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'

const MIB = 1024 * 1024
export const READ = { stringBytesMax: 512 * MIB, unpackedBytesMax: 2048 * MIB }
export const PACKING: PackingLimits = {
  integersMax: 512,
  listpack: { entriesMax: 128, valueBytesMax: 64 },
  zset: { entriesMax: 128, memberBytesMax: 64 },
}

/** A payload of `body` (the type first) with the footer that Redis 7.0 writes. */
export function payloadOf(body: Buffer, version = 10): Buffer {
  const payload = Buffer.alloc(body.length + 10)
  body.copy(payload)
  payload.writeUInt16LE(version, body.length)
  putCrc64(payload, body.length + 2, body.length + 2)
  return payload
}

/** The type and the value, without the footer. */
export function bodyOf(payload: Buffer): Buffer {
  return payload.subarray(0, payload.length - 10)
}

/** The value of a payload whose checksum must be right. */
export function restored(rows: MemoryRows, payload: Buffer): KeyValue {
  if (!isIntact(payload)) throw new Error('checksum or version are wrong')
  return valueOf(payload, rows, READ, PACKING)
}

export function dumped(value: KeyValue): Buffer {
  return dumpOf(value, READ.stringBytesMax)
}

/** Rows of all tables. */
export function rowCountOf(rows: MemoryRows): number {
  rows.flush()
  return [Table.Heads, Table.Parts, Table.Blocks, Table.Pages].reduce((sum, table) => sum + rows.rowCount(table), 0)
}

/** `body` cut short at every length, and with every byte changed in several ways. */
export function* damages(body: Buffer): Generator<Buffer> {
  for (let length = 0; length < body.length; length++) yield Buffer.from(body.subarray(0, length))
  for (let at = 0; at < body.length; at++) {
    for (const change of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
      const changed = Buffer.from(body)
      changed[at] ^= change
      yield changed
    }
  }
}
