// The LMDB environment: one named database per table, binary keys and values, a checksum behind every value. Opened
// twice in the process: by store.ts for reading and by checkpoint-writer.ts, on its own thread, for writing. The tools
// of admin/ open it for reading beside a server.
// Values and the meta row are drawn in docs/format/store.md.

import { join } from 'node:path'
import { open } from 'lmdb'
import type { Database, RootDatabase, Transaction } from 'lmdb'
import { CorruptionError } from '../base/errors.js'
import { guardMapped, restorePages, unguardMapped } from '../native/bus-error.js'
import { crc32c } from '../native/crc32c.js'
import { BorrowedRows } from './borrowed-rows.js'
import { Table } from './row.js'
import type { BorrowedRow } from './rows.js'
import { rowName, TABLE_NAMES } from './table-name.js'

/** What the store's file holds, in whole pages of LMDB. */
export interface Space {
  /** Up to the last page ever used; the file is as long. */
  readonly fileBytes: number
  /** Pages that hold nothing: the next checkpoints use them again, the file does not shrink. */
  readonly freeBytes: number
  /** Indexed by Table. */
  readonly tables: readonly { readonly rows: number; readonly bytes: number }[]
}

interface TreeStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
  readonly entryCount: number
}

interface RootStats extends TreeStats {
  readonly pageSize: number
  readonly lastPageNumber: number
  readonly free: TreeStats
}

const NOTHING = Buffer.alloc(0)
/** LMDB's name for it. */
const DATA_FILE = 'data.mdb'
/** LMDB keeps its two roots there. */
const META_PAGES = 2

/** Bytes of checksum behind every value. */
export const VALUE_CRC_BYTES = 4
/** Virtual address space only: the file grows as it is needed, and so does the map, should that be full. */
const MAP_BYTES = 2 ** 40

/** Each read transaction takes a place; those of long replies are shared, see read-view.ts. */
const READERS_MAX = 2048

export type ReadTransaction = Transaction

/** As lmdb has it; its types leave out the options of getBinary. */
type TableOf = Database<Buffer, Buffer> & {
  getBinary(key: Buffer, options: { readonly transaction: ReadTransaction } | undefined): Buffer | undefined
}

export type Tables = readonly TableOf[]

export class Environment {
  readonly root: RootDatabase<Buffer, Buffer>
  /** Indexed by Table. */
  readonly tables: Tables
  readonly #borrowed: BorrowedRows[] = []
  readonly #folder: string
  #guarded = false

  /**
   * @param folder must exist
   * @param readOnly makes nothing: then there must be a store already, made by us
   * @param mapBytes of address space at first
   */
  constructor(folder: string, readOnly = false, mapBytes = MAP_BYTES) {
    this.#folder = folder
    // No overlapping sync: a checkpoint is committed when it is on the device, and not before.
    this.root = open<Buffer, Buffer>({
      path: folder,
      mapSize: mapBytes,
      maxDbs: TABLE_NAMES.length + 1,
      maxReaders: READERS_MAX,
      readOnly,
      overlappingSync: false,
      encoding: 'binary',
      keyEncoding: 'binary',
    })
    this.tables = TABLE_NAMES.map((name, table) => {
      const options = { encoding: 'binary', keyEncoding: 'binary', compression: table === Table.Pages } as const
      return this.root.openDB<Buffer, Buffer>(name, options) as TableOf
    })
  }

  /**
   * From now on a row of which the device gives no bytes is refused as a damaged one is; before that, and for the
   * thread that writes, the process ends. Of one environment of a process.
   */
  guard(): void {
    this.#guarded = guardMapped(join(this.#folder, DATA_FILE))
  }

  /** As Rows.read(); of an older state with a transaction. @throws CorruptionError */
  read(table: Table, key: Buffer, transaction?: ReadTransaction): Buffer | undefined {
    if (!this.#guarded) return this.#readOnce(table, key, transaction)
    try {
      const value = this.#readOnce(table, key, transaction)
      if (value !== undefined || restorePages() === 0) return value
    } catch (error) {
      if (restorePages() === 0) throw error
    }
    // Some page was not read, maybe a while ago and for somebody else: the device is asked once more.
    this.refresh()
    try {
      return this.#readOnce(table, key, transaction)
    } catch (error) {
      if (restorePages() === 0) throw error
      this.refresh()
      throw new CorruptionError(`The ${rowName(table, key)} cannot be read: the device gives no bytes for it.`)
    }
  }

  #readOnce(table: Table, key: Buffer, transaction?: ReadTransaction): Buffer | undefined {
    let value: Buffer | undefined
    try {
      value = this.tables[table].getBinary(key, transaction && { transaction })
    } catch (error) {
      throw unreadable(table, key, error)
    }
    return value === undefined ? undefined : checkedValue(table, key, value)
  }

  /** As Rows.scan(). @throws CorruptionError */
  *scan(table: Table, prefix: Buffer, behind?: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    const range = { start: behind ?? (prefix.length > 0 ? prefix : undefined), end: firstAfter(prefix) }
    for (const { key, value } of this.tables[table].getRange(range)) {
      if (behind !== undefined && key.equals(behind)) continue
      // A key of lmdb's is a copy already, a value may be its memory.
      yield { key, value: this.#checkedNow(table, key, Buffer.from(value)) }
    }
  }

  #checkedNow(table: Table, key: Buffer, value: Buffer): Buffer {
    try {
      return checkedValue(table, key, value)
    } catch (error) {
      // The next look asks the device again.
      if (this.#guarded) restorePages()
      throw error
    }
  }

  /** As Rows.scanBorrowed(). @throws CorruptionError */
  scanBorrowed(table: Table, prefix: Buffer): Iterable<BorrowedRow> {
    const rows = (this.#borrowed[table] ??= new BorrowedRows(this.root, TABLE_NAMES[table]))
    const start = prefix.length > 0 ? prefix : undefined
    return rows.scan(start, firstAfter(prefix), key => {
      throw unsound(table, key)
    })
  }

  /** As scan(), but goes on behind a row that is damaged: it is given the reason in place of the value. */
  *scanAll(table: Table): Iterable<{ key: Buffer; value: Buffer | CorruptionError }> {
    for (const key of this.keys(table)) {
      let value: Buffer | CorruptionError | undefined
      try {
        value = this.read(table, key)
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error
        value = error
      }
      if (value !== undefined) yield { key, value }
    }
  }

  /**
   * All keys of a table that begin with `prefix`, in order.
   * @throws CorruptionError when LMDB cannot follow its own pages
   */
  *keys(table: Table, prefix: Buffer = NOTHING): Iterable<Buffer> {
    const range = prefix.length === 0 ? {} : { start: prefix, end: firstAfter(prefix) }
    try {
      for (const key of this.tables[table].getKeys(range)) yield Buffer.from(key)
    } catch (error) {
      throw unreadable(table, undefined, error)
    }
  }

  /** Keeps the present state readable until done(). */
  beginRead(): ReadTransaction {
    return this.root.useReadTransaction()
  }

  /** Has the rows read from the disk by another thread, so that read() finds them in memory. */
  prefetch(table: Table, keys: readonly Buffer[]): Promise<void> {
    return this.tables[table].prefetch(keys as Buffer[])
  }

  countOf(table: Table): number {
    return (this.tables[table].getStats() as { entryCount: number }).entryCount
  }

  /** O(1): from LMDB's own counts. */
  space(): Space {
    const root = this.root.getStats() as RootStats
    const { pageSize } = root
    let used = META_PAGES + pagesOf(root) + pagesOf(root.free)
    const tables = this.tables.map(table => {
      const stats = table.getStats() as TreeStats
      used += pagesOf(stats)
      return { rows: stats.entryCount, bytes: pagesOf(stats) * pageSize }
    })
    const fileBytes = (root.lastPageNumber + 1) * pageSize
    return { fileBytes, freeBytes: Math.max(fileBytes - used * pageSize, 0), tables }
  }

  /** Makes what was committed by another thread visible to read() and scan(). */
  refresh(): void {
    this.root.resetReadTxn()
  }

  close(): Promise<void> {
    if (this.#guarded) unguardMapped()
    this.#guarded = false
    return this.root.close()
  }
}

function pagesOf(stats: TreeStats): number {
  return stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
}

/** LMDB's own complaint as ours: it has met a page of its file that makes no sense, or values it cannot unpack. */
function unreadable(table: Table, key: Buffer | undefined, error: unknown): CorruptionError {
  const what = key === undefined ? `Table ${TABLE_NAMES[table]}` : `The ${rowName(table, key)}`
  const reason = error instanceof Error ? error.message : String(error)
  return new CorruptionError(`${what} cannot be read (${reason}): the store is damaged there.`, { cause: error })
}

function checkedValue(table: Table, key: Buffer, value: Buffer): Buffer {
  const length = value.length - VALUE_CRC_BYTES
  if (length < 0 || value.readUInt32LE(length) !== crc32c(value, 0, length)) {
    throw unsound(table, key)
  }
  return value.subarray(0, length)
}

function unsound(table: Table, key: Buffer): CorruptionError {
  return new CorruptionError(`The checksum of ${rowName(table, key)} does not hold: the store is damaged there.`)
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
