// The LMDB environment: one named database per table, binary keys and values, a checksum behind every value. Opened
// twice in the process: by store.ts for reading and by checkpoint-writer.ts, on its own thread, for writing.
// Values and the meta row are drawn in docs/format/store.md.

import { open } from 'lmdb'
import type { Database, RootDatabase } from 'lmdb'
import { CorruptionError } from '../base/errors.js'
import { crc32c } from '../native/crc32c.js'
import { Table } from './row.js'
import { rowName, TABLE_NAMES } from './table-name.js'

/** Bytes of checksum behind every value. */
export const VALUE_CRC_BYTES = 4
/** Virtual address space only: the file grows as it is needed. */
const MAP_BYTES = 2 ** 40

export type Tables = readonly Database<Buffer, Buffer>[]

interface TableStats {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

export class Environment {
  readonly root: RootDatabase<Buffer, Buffer>
  /** Indexed by Table. */
  readonly tables: Tables

  /** @param folder must exist */
  constructor(folder: string) {
    // No overlapping sync: a checkpoint is committed when it is on the device, and not before.
    this.root = open<Buffer, Buffer>({
      path: folder,
      mapSize: MAP_BYTES,
      maxDbs: TABLE_NAMES.length + 1,
      overlappingSync: false,
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    this.tables = TABLE_NAMES.map((name, table) =>
      this.root.openDB<Buffer, Buffer>(name, {
        encoding: 'binary',
        keyEncoding: 'binary',
        compression: table === Table.Pages,
      }),
    )
  }

  /** As Rows.read(). @throws CorruptionError */
  read(table: Table, key: Buffer): Buffer | undefined {
    const value = this.tables[table].getBinary(key)
    return value === undefined ? undefined : checkedValue(table, key, value)
  }

  /** As Rows.scan(). @throws CorruptionError */
  *scan(table: Table, prefix: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    const end = firstAfter(prefix)
    const range = { start: prefix.length > 0 ? prefix : undefined, end }
    for (const { key, value } of this.tables[table].getRange(range)) {
      yield { key: Buffer.from(key), value: checkedValue(table, key, Buffer.from(value)) }
    }
  }

  countOf(table: Table): number {
    return (this.tables[table].getStats() as { entryCount: number }).entryCount
  }

  /** Bytes that a table's own pages take in the file. */
  bytesOf(table: Table): number {
    const stats = this.tables[table].getStats() as TableStats
    return (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages) * stats.pageSize
  }

  /** Makes what was committed by another thread visible to read() and scan(). */
  refresh(): void {
    this.root.resetReadTxn()
  }

  close(): Promise<void> {
    return this.root.close()
  }
}

function checkedValue(table: Table, key: Buffer, value: Buffer): Buffer {
  const length = value.length - VALUE_CRC_BYTES
  if (length < 0 || value.readUInt32LE(length) !== crc32c(value, 0, length)) {
    throw new CorruptionError(`The checksum of ${rowName(table, key)} does not hold: the store is damaged there.`)
  }
  return value.subarray(0, length)
}

/** Fills in the checksum in the last bytes of a value. */
export function sealValue(value: Buffer): void {
  const length = value.length - VALUE_CRC_BYTES
  value.writeUInt32LE(crc32c(value, 0, length), length)
}

/** The first key after all those that begin with `prefix`; undefined when there is none. */
export function firstAfter(prefix: Buffer): Buffer | undefined {
  const end = Buffer.from(prefix)
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i] === 255) continue
    end[i]++
    return end.subarray(0, i + 1)
  }
  return undefined
}
