// The keys of a store that is only read: each row of the directory with the database it belongs to. Used by: stats,
// stream-dump. Damaged rows are passed over: millrace check names them.

import { CorruptionError } from '../base/errors.js'
import type { Environment } from '../store/environment.js'
import { Table } from '../store/row.js'
import { DatabaseMap } from '../types/database-map.js'
import { decodeDirectoryRow, DIRECTORY_KEY, encodeDirectoryKey } from '../types/directory-row.js'
import type { DirectoryRow } from '../types/directory-row.js'
import type { ReadRows } from '../store/read-rows.js'

export interface WalkedKey extends DirectoryRow {
  readonly database: number
}

/** Slot of each database, as far as the store knows them: others have their own number. */
function slotsOf(rows: ReadRows): { slots: readonly number[]; dead: ReadonlySet<number> } {
  const map = new DatabaseMap(rows, 0)
  map.load(0)
  return { slots: map.slots, dead: new Set(map.deadSlots) }
}

/** Every key of every database, those of flushed databases left out. */
export function* walkDirectory(environment: Environment, rows: ReadRows): Iterable<WalkedKey> {
  const { slots, dead } = slotsOf(rows)
  for (const { key, value } of environment.scanAll(Table.Directory)) {
    if (value instanceof CorruptionError || key.length < DIRECTORY_KEY.NAME) continue
    const slot = key.readUInt32BE(DIRECTORY_KEY.SLOT)
    const database = slots.length === 0 ? slot : slots.indexOf(slot)
    if (database < 0 || dead.has(slot)) continue
    yield { ...decodeDirectoryRow(key, value), database }
  }
}

/** One key; undefined when there is none. @throws CorruptionError when its row is damaged */
export function findKey(rows: ReadRows, database: number, name: string): DirectoryRow | undefined {
  const { slots } = slotsOf(rows)
  const slot = slots.length === 0 ? database : slots[database]
  if (slot === undefined) return undefined
  const key = encodeDirectoryKey(slot, name)
  const value = rows.read(Table.Directory, key)
  return value === undefined ? undefined : decodeDirectoryRow(key, value)
}
