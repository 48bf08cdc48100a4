// Epochs: which rows changed since which cut. Used by: store.ts (touch), checkpoint.ts (cuts).
//
// A cut ends the epoch in O(1): the epoch's list becomes the cut's. While a cut is being encoded, a row that is touched
// again is encoded at that moment as it was at the cut (copy on write; stream pages, which are most, hand out bytes
// that do not change and need no copy), and stays at its place in the list, because two rows may share a key (a removed
// group and its successor) and the later one must win.

import { assert } from '../base/assert.js'
import { LongList } from '../base/long-list.js'
import { NEVER_STORED } from './row.js'
import type { Row, RowImage } from './row.js'

/** Rows that are looked through for one that is withdrawn: what a command makes, it soon unmakes or keeps. */
const WITHDRAWN_LOOK_MAX = 16

export class DirtyRows {
  /** The epoch that changes belong to now. Rows of the running cut, if any, have the one before or an older one. */
  epoch = 1
  /** Bytes of the rows touched in this epoch, roughly. */
  bytes = 0
  #list = new LongList<Row>()
  /** The cut whose rows are not all encoded yet. */
  #encoding: Cut | undefined

  get count(): number {
    return this.#list.length
  }

  touch(row: Row): void {
    if (row.dirtyEpoch === this.epoch) return
    if (row.dirtyEpoch !== 0 && this.#encoding !== undefined) this.#encoding.capture(row)
    row.dirtyEpoch = this.epoch
    this.bytes += row.rowBytes()
    this.#list.push(row)
  }

  /** As Rows.touchNew. */
  touchNew(row: Row): void {
    row.capturedEpoch = NEVER_STORED
    this.touch(row)
  }

  /** As Rows.withdraw. */
  withdraw(row: Row): boolean {
    if (row.capturedEpoch !== NEVER_STORED || row.dirtyEpoch !== this.epoch) return false
    const list = this.#list
    const end = Math.max(list.length - WITHDRAWN_LOOK_MAX, 0)
    for (let i = list.length - 1; i >= end; i--) {
      if (list.at(i) !== row) continue
      list.remove(i)
      row.dirtyEpoch = 0
      this.bytes = Math.max(this.bytes - row.rowBytes(), 0)
      return true
    }
    return false
  }

  /** Ends the epoch. The cut before must have been finished or given back. */
  cut(): Cut {
    const cut = new Cut(this.epoch, this.#list, this.bytes)
    this.epoch++
    this.#list = new LongList()
    this.bytes = 0
    this.#encoding = cut
    return cut
  }

  /** Says that every row of the cut is encoded: touching them is free again. */
  encoded(): void {
    this.#encoding = undefined
  }

  /** Takes the rows of a cut back whose checkpoint failed, before those of this epoch. */
  giveBack(cut: Cut): void {
    this.#encoding = undefined
    const list = new LongList<Row>()
    for (const row of cut.rows) {
      if (row.dirtyEpoch !== cut.epoch || cut.isMoot(row)) continue
      row.dirtyEpoch = this.epoch
      list.push(row)
    }
    for (const row of this.#list) list.push(row)
    this.#list = list
    this.bytes += cut.bytes
  }
}

export class Cut {
  /** Encodings of rows that were touched before their turn came; undefined for a removed row. */
  readonly #captured = new Map<Row, RowImage | undefined>()
  #next = 0
  #nextClean = 0

  constructor(
    readonly epoch: number,
    readonly rows: LongList<Row>,
    readonly bytes: number,
  ) {}

  get allEncoded(): boolean {
    return this.#next === this.rows.length
  }

  /** The row's object had been dropped when the cut was made: the row is worthless. */
  isMoot(row: Row): boolean {
    const dropped = row.owner?.droppedEpoch ?? 0
    return dropped !== 0 && dropped <= this.epoch
  }

  /** Encodes a row of this cut now, because it is about to change. */
  capture(row: Row): void {
    if (row.dirtyEpoch !== this.epoch || row.capturedEpoch === this.epoch || this.isMoot(row)) return
    row.capturedEpoch = this.epoch
    this.#captured.set(row, row.removed ? undefined : row.imageRow())
  }

  /** Takes the next row and hands its key and value (undefined: to be deleted) to `put`. Not when all are encoded. */
  encodeNext(put: (row: Row, value: RowImage | undefined) => void): void {
    const row = this.rows.at(this.#next++)
    assert(row !== undefined, 'there are rows left to encode')
    if (this.isMoot(row)) return
    if (row.capturedEpoch === this.epoch) {
      put(row, this.#captured.get(row))
      this.#captured.delete(row)
      return
    }
    row.capturedEpoch = this.epoch
    put(row, row.removed ? undefined : row.imageRow())
  }

  /** After the commit: marks up to `max` rows clean unless they were touched again. True while there are more. */
  cleanSome(max: number): boolean {
    const end = Math.min(this.#nextClean + max, this.rows.length)
    for (; this.#nextClean < end; this.#nextClean++) {
      const row = this.rows.at(this.#nextClean)
      if (row?.dirtyEpoch !== this.epoch) continue
      row.dirtyEpoch = 0
      if (!row.removed && (row.owner === undefined || row.owner.droppedEpoch === 0)) row.onClean()
    }
    return this.#nextClean < this.rows.length
  }
}
