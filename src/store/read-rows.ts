// The rows of a store for those who only read, with a cache of their own: the types' own code runs on it as in a
// server. Used by: the tools of admin/, exec/capacity-survey.

import { assert } from '../base/assert.js'
import { ClockCache } from './page-cache.js'
import { PageMisses } from './page-misses.js'
import type { Table } from './row.js'
import type { BorrowedRow, Rows, RowsView } from './rows.js'

const CACHE_BYTES_MAX = 64 * 1024 * 1024

export class ReadRows implements Rows {
  readonly readOnly = true
  readonly cache = new ClockCache(CACHE_BYTES_MAX)
  readonly misses = new PageMisses()
  readonly #source: Pick<Rows, 'read' | 'scan'>

  /** @param source an environment, or a store */
  constructor(source: Pick<Rows, 'read' | 'scan'>) {
    this.#source = source
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    return this.#source.read(table, key)
  }

  scan(table: Table, prefix: Buffer, behind?: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#source.scan(table, prefix, behind)
  }

  *scanBorrowed(table: Table, prefix: Buffer): Iterable<BorrowedRow> {
    for (const { key, value } of this.scan(table, prefix)) {
      yield { key, keyFrom: 0, keyTo: key.length, value, valueTo: value.length }
    }
  }

  fetch(): Promise<void> {
    return Promise.resolve()
  }

  view(): RowsView {
    return {
      read: (table, key) => this.read(table, key),
      fetch: () => Promise.resolve(),
      isUnchanged: () => true,
      close: () => undefined,
    }
  }

  newId(): number {
    return refuse()
  }

  touch(): void {
    refuse()
  }

  touchNew(): void {
    refuse()
  }

  withdraw(): boolean {
    return refuse()
  }

  drop(): void {
    refuse()
  }
}

function refuse(): never {
  assert(false, 'nothing is changed where one only reads')
}
