// A data folder as a whole: store and journal, read beside a running server or alone. Used by: check, backup, repair.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import type { ToolOutput } from '../base/tool.js'
import { placesIn } from '../store/data-folder.js'
import { Environment } from '../store/environment.js'
import { Table } from '../store/row.js'
import { decodePosition, EMPTY_POSITION, POSITION_KEY } from '../store/store-position.js'
import { checkJournal } from './journal-check.js'
import type { JournalReport } from './journal-check.js'
import { Progress } from './progress.js'
import { checkStore } from './store-check.js'
import type { StoreReport } from './store-check.js'

export const STORE_FILE = 'data.mdb'

export interface FolderReport {
  readonly folder: string
  readonly inUse: boolean
  readonly store: StoreReport
  readonly journal: JournalReport
}

const NOBODY: ReadonlySet<number> = new Set()
const NO_STORE: StoreReport = {
  findings: [],
  waste: [],
  owned: NOBODY,
  trees: NOBODY,
  position: EMPTY_POSITION,
  keys: 0,
  pages: 0,
}

/** @throws UsageError when it is no data folder */
export async function checkFolder(folder: string, output: ToolOutput, clock: Clock): Promise<FolderReport> {
  const places = placesIn(folder)
  const { inUse } = places
  if (!existsSync(join(places.store, STORE_FILE))) {
    return { folder, inUse, store: NO_STORE, journal: checkJournal(places.journal, () => 1, inUse) }
  }
  const environment = new Environment(places.store, true)
  try {
    const progress = new Progress(output, clock, 'checked % pages', environment.countOf(Table.Pages))
    const store = checkStore(environment, () => progress.step())
    const position = () => {
      environment.refresh()
      const row = environment.read(Table.Meta, POSITION_KEY)
      return row === undefined ? EMPTY_POSITION.sequence : decodePosition(row).sequence
    }
    const lost = store.findings.some(({ what }) => what.includes('of table meta'))
    const journal = lost
      ? { findings: [], notes: ['The journal was not read: its place is unknown.'], records: 0, segments: 0 }
      : checkJournal(places.journal, position, inUse)
    return { folder, inUse, store, journal }
  } finally {
    await environment.close()
  }
}
