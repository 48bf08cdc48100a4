// Names of the tables, as LMDB knows them and as messages say them. Used by: store/.

import { Table } from './row.js'

/** Indexed by Table. On disk, so frozen. */
export const TABLE_NAMES = ['meta', 'directory', 'heads', 'blocks', 'pages', 'parts', 'retired'] as const

/** For messages about one row. */
export function rowName(table: Table, key: Buffer): string {
  return `row ${key.toString('hex')} of table ${TABLE_NAMES[table]}`
}
