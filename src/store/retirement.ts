// Reclaims what dropped objects left in the store. A row of Table.Retired names an id; all rows under that id are
// deleted, a bounded number at a time, and then the Retired row itself, so the work survives a restart. Used by:
// store.ts (writes the rows), checkpoint-writer.ts (deletes, inside its transaction).

import { firstAfter } from './environment.js'
import type { Environment } from './environment.js'
import { Table } from './row.js'

/** The value of a Retired row. On disk, so frozen. */
export const enum RetiredKind {
  /** Rows in Heads and Parts. */
  Object = 1,
  /** Rows in Blocks and Pages. */
  Tree = 2,
}

export interface Reclaimed {
  /** Rows deleted, those of Retired not counted. */
  readonly rows: number
  /** Ids that are gone altogether. */
  readonly ids: number
}

/** Deletes up to `rowsMax` rows of retired ids. Inside a write transaction of `environment`. */
export function reclaimSome(environment: Environment, rowsMax: number): Reclaimed {
  const retired = environment.tables[Table.Retired]
  let rowsLeft = rowsMax
  let ids = 0
  // An id without rows costs one step as well, so that a slice stays bounded.
  for (const key of Array.from(retired.getKeys({ limit: rowsMax }))) {
    const kind = retired.getBinary(key)?.[0]
    const tables = kind === RetiredKind.Object ? [Table.Parts, Table.Heads] : [Table.Pages, Table.Blocks]
    for (const table of tables) rowsLeft -= deleteUnder(environment, table, key, rowsLeft)
    if (rowsLeft <= 0) break
    retired.removeSync(key)
    ids++
  }
  return { rows: rowsMax - rowsLeft, ids }
}

function deleteUnder(environment: Environment, table: Table, prefix: Buffer, rowsMax: number): number {
  if (rowsMax <= 0) return 0
  const keys = Array.from(environment.tables[table].getKeys({ start: prefix, end: firstAfter(prefix), limit: rowsMax }))
  for (const key of keys) environment.tables[table].removeSync(key)
  return keys.length
}
