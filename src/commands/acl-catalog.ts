// The command table as the rules of users see it: visible rows by name, with their subcommands, and by category.

import { categoriesOf, CATEGORIES } from './command-info.js'
import { Flag } from './spec.js'
import type { CommandSpec } from './spec.js'
import type { CommandTable, TableRow } from './table.js'

export class AclCatalog {
  readonly #table: CommandTable
  readonly #categories = new Map<string, TableRow[]>()

  constructor(table: CommandTable) {
    this.#table = table
    for (const category of CATEGORIES) this.#categories.set(category, [])
    for (const row of table.rows) {
      if ((row.flags & Flag.Internal) !== 0) continue
      for (const category of categoriesOf(row.spec as CommandSpec<never>)) this.#categories.get(category)?.push(row)
    }
  }

  /** TableRow.index lies below it. */
  get rowCount(): number {
    return this.#table.rows.length
  }

  /** The row of a full name in any case, 'config|get' for a subcommand. */
  row(fullName: string): TableRow | undefined {
    const row = this.#table.row(fullName)
    return row === undefined || (row.flags & Flag.Internal) !== 0 ? undefined : row
  }

  /** A row and those of its subcommands. */
  family(row: TableRow): readonly TableRow[] {
    return [row, ...(row.spec.subcommands ?? []).map(spec => this.#table.row(spec.name)!)]
  }

  /** The rows of a category, named in any case without '@'; undefined when there is no such category. */
  category(name: string): readonly TableRow[] | undefined {
    return this.#categories.get(name.toLowerCase())
  }
}
