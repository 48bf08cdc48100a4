// A view of the store as it was at one moment, for reads that go on while others write: a read transaction of LMDB
// shared by all views between two checkpoints. Used by: store.ts. Seen by pages as RowsView.
//
// Invariants: (1) a row that is clean when a view is opened reads in it as it was then, whatever becomes of it; (2) a
// transaction ends with its last view, or with the store: LMDB cannot use space again that an older view may read.

import { assert } from '../base/assert.js'
import type { Environment, ReadTransaction } from './environment.js'
import type { RowRef } from './page-misses.js'
import type { Row, Table } from './row.js'
import type { RowsView } from './rows.js'

/** Prefetches at a time: they run on Node's thread pool, where syncs and file reads want their turn too. */
const FETCHES_MAX = 2
const ROWS_PER_FETCH = 64

export class ReadViews {
  readonly #environment: Environment
  readonly #open = new Set<View>()
  #shared: SharedTransaction | undefined
  #fetching = 0
  readonly #wanted: Wish[] = []

  constructor(environment: Environment) {
    this.#environment = environment
  }

  get count(): number {
    return this.#open.size
  }

  /** @param epoch the one that changes belong to now */
  open(epoch: number): RowsView {
    this.#shared ??= new SharedTransaction(this.#environment.beginRead())
    const view = new View(this, this.#environment, this.#shared, epoch)
    this.#open.add(view)
    return view
  }

  closed(view: View): void {
    this.#open.delete(view)
  }

  /** A checkpoint was committed: views opened from now on see it. */
  refresh(): void {
    this.#shared?.letGo()
    this.#shared = undefined
  }

  /** Ends all views: the store is being closed. */
  close(): void {
    for (const view of Array.from(this.#open)) view.close()
    this.refresh()
  }

  /** Has rows read into memory off the main thread; resolves when they are there, or should be. */
  fetch(rows: readonly RowRef[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve()
    return new Promise(resolve => {
      this.#wanted.push({ rows, resolve })
      if (this.#fetching < FETCHES_MAX) this.#fetchSome()
    })
  }

  /** Fetches what has been asked for since: many small wishes are one call. */
  #fetchSome(): void {
    const wishes: Wish[] = []
    for (let rows = 0; rows < ROWS_PER_FETCH && this.#wanted.length > 0;) {
      const wish = this.#wanted.shift()!
      rows += wish.rows.length
      wishes.push(wish)
    }
    if (wishes.length === 0) return
    this.#fetching++
    const byTable = new Map<Table, Buffer[]>()
    for (const { rows } of wishes) {
      for (const { table, key } of rows) {
        const keys = byTable.get(table)
        if (keys === undefined) byTable.set(table, [key])
        else keys.push(key)
      }
    }
    const fetches = Array.from(byTable, ([table, keys]) => this.#environment.prefetch(table, keys))
    void Promise.allSettled(fetches).then(() => {
      this.#fetching--
      for (const { resolve } of wishes) resolve()
      this.#fetchSome()
    })
  }
}

interface Wish {
  readonly rows: readonly RowRef[]
  readonly resolve: () => void
}

class SharedTransaction {
  /** The views, and 1 for being given out to new ones. */
  #users = 1

  constructor(readonly transaction: ReadTransaction) {}

  use(): void {
    this.#users++
  }

  letGo(): void {
    if (--this.#users === 0) this.transaction.done()
  }
}

class View implements RowsView {
  #closed = false

  constructor(
    readonly views: ReadViews,
    readonly environment: Environment,
    readonly shared: SharedTransaction,
    readonly epoch: number,
  ) {
    shared.use()
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    assert(!this.#closed, 'a view is read while it is open')
    try {
      return this.environment.read(table, key, this.shared.transaction)
    } catch (error) {
      // LMDB may answer nothing more in a transaction that has met damage: others get another.
      this.views.refresh()
      throw error
    }
  }

  fetch(table: Table, keys: readonly Buffer[]): Promise<void> {
    return this.views.fetch(keys.map(key => ({ table, key })))
  }

  isUnchanged(row: Row): boolean {
    return row.dirtyEpoch === 0 && row.capturedEpoch < this.epoch
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.views.closed(this)
    this.shared.letGo()
  }
}
