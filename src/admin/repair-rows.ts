// The rows of a store that is being repaired: read from the damaged data, written by transactions of its own. What is
// dropped is retired, as in a server, and reclaimed by the next one. Used by: repair.
// Rows that a scan meets and cannot read are passed over: what can be read is what is saved.

import { assert } from '../base/assert.js'
import { unlessDamaged } from '../base/errors.js'
import { sealValue, VALUE_CRC_BYTES } from '../store/environment.js'
import type { Environment } from '../store/environment.js'
import { ClockCache } from '../store/page-cache.js'
import { RetiredKind } from '../store/retirement.js'
import { idKey, Table } from '../store/row.js'
import type { Row, StoreObject } from '../store/row.js'
import { PageMisses } from '../store/page-misses.js'
import type { BorrowedRow, Rows, RowsView } from '../store/rows.js'
import { encodePosition, POSITION_KEY } from '../store/store-position.js'
import type { StorePosition } from '../store/store-position.js'

const CACHE_BYTES_MAX = 64 * 1024 * 1024
/** Changes in memory that are written before the next ones. */
const DIRTY_BYTES_MAX = 64 * 1024 * 1024

export class RepairRows implements Rows {
  readonly cache = new ClockCache(CACHE_BYTES_MAX)
  readonly misses = new PageMisses()
  readonly #environment: Environment
  readonly #position: StorePosition
  #nextId: number
  #epoch = 1
  #dirty: Row[] = []
  #dirtyBytes = 0
  /** Rows to be written as they are; undefined: to be deleted. */
  #raw: { table: Table; key: Buffer; value: Buffer | undefined }[] = []

  constructor(environment: Environment, position: StorePosition) {
    this.#environment = environment
    this.#position = position
    this.#nextId = position.nextId
  }

  fetch(): Promise<void> {
    return Promise.resolve()
  }

  view(): RowsView {
    assert(false, 'what is repaired is not read for clients')
  }

  newId(): number {
    return this.#nextId++
  }

  touch(row: Row): void {
    if (row.dirtyEpoch === this.#epoch) return
    row.dirtyEpoch = this.#epoch
    this.#dirtyBytes += row.rowBytes()
    this.#dirty.push(row)
  }

  touchNew(row: Row): void {
    this.touch(row)
  }

  withdraw(): boolean {
    return false
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    return this.#environment.read(table, key)
  }

  scanBorrowed(): Iterable<BorrowedRow> {
    assert(false, 'what is repaired is read row by row')
  }

  *scan(table: Table, prefix: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    for (const key of this.#environment.keys(table, prefix)) {
      const value = unlessDamaged(() => this.#environment.read(table, key), undefined)
      if (value !== undefined) yield { key, value }
    }
  }

  drop(object: StoreObject, treeIds: readonly number[]): void {
    assert(object.droppedEpoch === 0, `object ${object.id} dropped twice`)
    object.droppedEpoch = this.#epoch
    this.retire(object.id, RetiredKind.Object)
    for (const id of treeIds) this.retire(id, RetiredKind.Tree)
  }

  retire(id: number, kind: RetiredKind): void {
    this.put(Table.Retired, idKey(id), Buffer.of(kind))
  }

  put(table: Table, key: Buffer, value: Buffer | undefined): void {
    this.#raw.push({ table, key, value })
  }

  /** Writes the changes when they are many. Only between two changes of a value. */
  flushIfLarge(): void {
    if (this.#dirtyBytes >= DIRTY_BYTES_MAX) this.flush()
    this.cache.advance()
  }

  /** Writes all changes in one transaction. */
  flush(): void {
    const rows = this.#dirty
    const raw = this.#raw.splice(0)
    this.#dirty = []
    this.#dirtyBytes = 0
    this.#epoch++
    const tables = this.#environment.tables
    const put = (table: Table, key: Buffer, value: Buffer | undefined): void => {
      if (value === undefined) tables[table].removeSync(key)
      else tables[table].putSync(key, sealed(value))
    }
    this.#environment.root.transactionSync(() => {
      for (const row of rows) {
        if ((row.owner?.droppedEpoch ?? 0) === 0)
          put(row.table, row.rowKey(), row.removed ? undefined : row.encodeRow())
      }
      for (const { table, key, value } of raw) put(table, key, value)
      put(Table.Meta, POSITION_KEY, encodePosition({ ...this.#position, nextId: this.#nextId }))
    })
    this.#environment.refresh()
    this.cache.advance()
    for (const row of rows) {
      row.dirtyEpoch = 0
      if (!row.removed && (row.owner?.droppedEpoch ?? 0) === 0) row.onClean()
    }
  }
}

function sealed(value: Buffer): Buffer {
  const bytes = Buffer.alloc(value.length + VALUE_CRC_BYTES)
  value.copy(bytes)
  sealValue(bytes)
  return bytes
}
