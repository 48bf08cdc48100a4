// The bytes of a long string as they were at one moment, a piece at a time, while the string changes: pieces that were
// in memory are lent, the others are read when their turn comes, from a view of the store opened with it, fetched ahead
// off the main thread and never admitted to the page cache. Made by: pieced-string.
//
// Invariants: (1) pieces that were not in memory were clean, so the view has them; (2) after close() nothing is read.

import { numberedKey, Table } from '../../store/row.js'
import type { RowsView } from '../../store/rows.js'
import type { LongRead } from '../long-read.js'
import { checkedPiece } from './string-head.js'
import type { StringShape } from './string-head.js'

/** Pieces that are fetched at a time. */
const WINDOW_PIECES = 8

export class PiecesRead implements LongRead<(bytes: Buffer) => void> {
  pinnedBytes = 0
  readonly #view: RowsView
  readonly #shape: StringShape
  readonly #from: number
  readonly #to: number
  /** Of each piece from the first one read on, those lent. */
  readonly #held: (Buffer | undefined)[]
  readonly #first: number
  /** Of #held: what comes next, and up to where it was fetched. */
  #next = 0
  #fetched = 0
  #ready: Promise<void> | undefined
  #closed = false

  /**
   * Reads bytes [from, to) of a string.
   * @param view closed with the read
   * @param held the pieces of these bytes, undefined those that are to be read
   */
  constructor(view: RowsView, shape: StringShape, from: number, to: number, held: (Buffer | undefined)[]) {
    this.#view = view
    this.#shape = shape
    this.#from = from
    this.#to = to
    this.#first = Math.floor(from / shape.pieceBytes)
    this.#held = held
    for (const piece of held) this.pinnedBytes += piece?.length ?? 0
  }

  fetch(): Promise<void> | undefined {
    if (this.#next < this.#fetched) return this.#ready
    const end = Math.min(this.#next + WINDOW_PIECES, this.#held.length)
    const keys: Buffer[] = []
    for (let i = this.#next; i < end; i++) if (this.#held[i] === undefined) keys.push(this.#keyOf(i))
    this.#fetched = end
    if (keys.length === 0) return undefined
    this.#ready = this.#view.fetch(Table.Pages, keys).then(() => void (this.#ready = undefined))
    return this.#ready
  }

  next(visit: (bytes: Buffer) => void): boolean {
    const index = this.#next
    if (index >= this.#held.length) return false
    const lent = this.#held[index]
    this.#held[index] = undefined
    this.#next++
    this.pinnedBytes -= lent?.length ?? 0
    const number = this.#first + index
    const bytes = lent ?? checkedPiece(this.#view.read(Table.Pages, this.#keyOf(index)), this.#shape, number)
    const begin = number * this.#shape.pieceBytes
    visit(bytes.subarray(Math.max(this.#from - begin, 0), Math.min(this.#to - begin, bytes.length)))
    return this.#next < this.#held.length
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#held.length = 0
    this.pinnedBytes = 0
    this.#view.close()
  }

  #keyOf(index: number): Buffer {
    return numberedKey(this.#shape.treeId, this.#first + index)
  }
}
