// The rows of a store for those who only read: the types' own code runs on it as in a server. Used by: store-check,
// stream-file's dump.

import { assert } from '../base/assert.js'
import type { Environment } from '../store/environment.js'
import { ClockCache } from '../store/page-cache.js'
import { PageMisses } from '../store/page-misses.js'
import type { Table } from '../store/row.js'
import type { Rows, RowsView } from '../store/rows.js'

const CACHE_BYTES_MAX = 64 * 1024 * 1024

export class ReadRows implements Rows {
  readonly cache = new ClockCache(CACHE_BYTES_MAX)
  readonly misses = new PageMisses()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    return this.#environment.read(table, key)
  }

  scan(table: Table, prefix: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#environment.scan(table, prefix)
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
