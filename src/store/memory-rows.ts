// Rows in a Map: the store as unit tests of pages and types see it. Strict where the real store would quietly lose
// data: it refuses to read a row that is dirty in memory, and finds rows that were changed without touch(), and
// encoded bytes that their row changed afterwards. Used by: tests.

import { assert } from '../base/assert.js'
import { ClockCache } from './page-cache.js'
import { PageMisses } from './page-misses.js'
import { getU48, idKey, NEVER_STORED, Table, TwoPieces, TABLE_COUNT } from './row.js'
import type { Row, StoreObject } from './row.js'
import type { BorrowedRow, Rows, RowsView } from './rows.js'
import { rowName } from './table-name.js'

/** Bytes that belong to no row. */
const STALE = Buffer.alloc(3, 0xdd)
const KEY_BYTES_MAX = 511

interface Kept {
  /** What a reload gives. */
  readonly bytes: Buffer
  /** The very Buffer encodeRow() handed out. */
  readonly given: Buffer
}

export class MemoryRows implements Rows {
  readonly cache: ClockCache
  readonly misses = new PageMisses()
  epoch = 1
  #lastId = 0
  #dirty: Row[] = []
  /** Keys as latin1 text, which sorts as the bytes do. */
  readonly #tables: Map<string, Kept>[] = []
  /** Ids dropped and not yet flushed. */
  #droppedIds: { objectId: number; treeIds: readonly number[] }[] = []

  constructor(cacheBytesMax = 64 * 1024 * 1024) {
    this.cache = new ClockCache(cacheBytesMax)
    for (let i = 0; i < TABLE_COUNT; i++) this.#tables.push(new Map())
  }

  newId(): number {
    return ++this.#lastId
  }

  touch(row: Row): void {
    this.misses.armed = false
    if (row.dirtyEpoch === this.epoch) return
    row.dirtyEpoch = this.epoch
    this.#dirty.push(row)
  }

  touchNew(row: Row): void {
    row.capturedEpoch = NEVER_STORED
    this.touch(row)
  }

  withdraw(row: Row): boolean {
    if (row.capturedEpoch !== NEVER_STORED || row.dirtyEpoch !== this.epoch) return false
    this.#dirty.splice(this.#dirty.indexOf(row), 1)
    row.dirtyEpoch = 0
    return true
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    const dirty = this.#dirty.find(row => row.table === table && this.#counts(row) && row.rowKey().equals(key))
    if (this.misses.armed) this.misses.check(table, key)
    assert(dirty === undefined, `read of ${rowName(table, key)}, which is dirty in memory`)
    const kept = this.#tables[table].get(key.toString('latin1'))
    return kept === undefined ? undefined : Buffer.from(kept.bytes)
  }

  *scan(table: Table, prefix: Buffer, behind?: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    const start = prefix.toString('latin1')
    const after = behind?.toString('latin1')
    const wanted = (key: string): boolean =>
      key.startsWith(start) && (after === undefined || compareLatin1(key, after) > 0)
    const dirty = this.#dirty.find(
      row => row.table === table && this.#counts(row) && wanted(row.rowKey().toString('latin1')),
    )
    assert(dirty === undefined, `scan over ${dirty ? rowName(table, dirty.rowKey()) : ''}, which is dirty in memory`)
    const keys = [...this.#tables[table].keys()].filter(wanted).sort(compareLatin1)
    for (const key of keys) {
      const kept = this.#tables[table].get(key)
      if (kept === undefined) continue
      yield { key: Buffer.from(key, 'latin1'), value: Buffer.from(kept.bytes) }
    }
  }

  /** What is kept of a row longer than it is good for is found out. */
  *scanBorrowed(table: Table, prefix: Buffer): Iterable<BorrowedRow> {
    for (const row of this.scan(table, prefix)) {
      const key = Buffer.concat([STALE, row.key, STALE])
      const value = Buffer.concat([row.value, STALE])
      yield { key, keyFrom: STALE.length, keyTo: key.length - STALE.length, value, valueTo: row.value.length }
      key.fill(STALE)
      value.fill(STALE)
    }
  }

  fetch(): Promise<void> {
    return Promise.resolve()
  }

  view(): RowsView {
    const { epoch } = this
    const tables = this.#tables.map(rows => new Map(rows))
    return {
      read(table, key) {
        const kept = tables[table].get(key.toString('latin1'))
        return kept && Buffer.from(kept.bytes)
      },
      fetch: () => Promise.resolve(),
      isUnchanged: row => row.dirtyEpoch === 0 && row.capturedEpoch <= epoch,
      close: () => undefined,
    }
  }

  drop(object: StoreObject, treeIds: readonly number[]): void {
    assert(object.droppedEpoch === 0, `object ${object.id} dropped twice`)
    object.droppedEpoch = this.epoch
    this.#droppedIds.push({ objectId: object.id, treeIds: [...treeIds] })
  }

  // --- for tests

  /** Encodes what is dirty as a checkpoint would and marks it clean. Rows of dropped objects vanish at once. */
  flush(): void {
    const list = this.#dirty
    this.#dirty = []
    this.epoch++
    for (const row of list) {
      row.capturedEpoch = this.epoch
      if (!this.#counts(row)) continue
      const key = row.rowKey()
      assert(key.length <= KEY_BYTES_MAX, `key of ${rowName(row.table, key)} has ${key.length} bytes`)
      if (row.removed) this.#tables[row.table].delete(key.toString('latin1'))
      else this.#keep(row, key)
    }
    for (const { objectId, treeIds } of this.#droppedIds.splice(0)) this.#deleteRowsOf(objectId, treeIds)
    this.cache.advance()
    for (const row of list) {
      row.dirtyEpoch = 0
      if (!row.removed && this.#counts(row)) row.onClean()
    }
  }

  /** Flushes and then evicts every item of the cache that agrees to go. Returns how many went. */
  flushAndEvict(): number {
    this.flush()
    return this.cache.evictAll()
  }

  /**
   * Throws InvariantError when one of `rows` (clean ones; others are passed over) would now encode to other bytes than
   * it did at the last flush: it was changed without touch(), or its encoding depends on something else.
   */
  verifyClean(rows: Iterable<Row>): void {
    for (const row of rows) {
      if (row.dirtyEpoch !== 0 || row.removed || !this.#counts(row)) continue
      const key = row.rowKey()
      const kept = this.#tables[row.table].get(key.toString('latin1'))
      assert(kept !== undefined, `${rowName(row.table, key)} is clean but was never written`)
      assert(kept.given.equals(kept.bytes), `${rowName(row.table, key)} changed bytes it had handed out`)
      assert(row.encodeRow().equals(kept.bytes), `${rowName(row.table, key)} was changed without touch()`)
    }
  }

  /** Rows touched since the last flush. */
  get dirtyCount(): number {
    return this.#dirty.length
  }

  rowCount(table: Table): number {
    return this.#tables[table].size
  }

  #counts(row: Row): boolean {
    return row.owner === undefined || row.owner.droppedEpoch === 0
  }

  #keep(row: Row, key: Buffer): void {
    const given = row.encodeRow()
    const name = key.toString('latin1')
    const before = this.#tables[row.table].get(name)
    assert(
      before === undefined || before.given.equals(before.bytes),
      `${rowName(row.table, key)} changed bytes it had handed out`,
    )
    assert(given.equals(row.encodeRow()), `${rowName(row.table, key)} encodes to different bytes each time`)
    const image = row.imageRow()
    const whole = image instanceof TwoPieces ? Buffer.concat([image.head, image.body]) : image
    assert(given.equals(whole), `${rowName(row.table, key)} has an image of other bytes than its encoding`)
    this.#tables[row.table].set(name, { given, bytes: Buffer.from(given) })
  }

  #deleteRowsOf(objectId: number, treeIds: readonly number[]): void {
    this.#tables[Table.Heads].delete(idKey(objectId).toString('latin1'))
    this.#deletePrefix(Table.Parts, objectId)
    for (const id of treeIds) {
      this.#deletePrefix(Table.Blocks, id)
      this.#deletePrefix(Table.Pages, id)
    }
  }

  #deletePrefix(table: Table, id: number): void {
    for (const key of this.#tables[table].keys()) {
      if (getU48(Buffer.from(key.slice(0, 6), 'latin1'), 0) === id) this.#tables[table].delete(key)
    }
  }
}

function compareLatin1(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
