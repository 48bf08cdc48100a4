// What long reads of a stream show: slices of its pages, entries one by one, or those with given IDs. Used by: entries.

import { compareIds, equalIds } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { TreeSnapshot } from '../../pages/tree-snapshot.js'
import type { WirePage } from '../../pages/wire-page.js'
import type { LongRead } from '../long-read.js'

/** Sees stored entries that lie side by side: bytes that never change. */
export type VisitSlice = (bytes: Buffer, from: number, to: number) => void
/** Sees an entry, or that there is none: bytes is undefined then. */
export type VisitFound = (id: StreamId, bytes: Buffer | undefined, from: number, to: number) => void

export function showEntries(page: WirePage, from: number, to: number, visit: VisitSlice): void {
  visit(page.bytes, page.offsetOf(from), page.endOf(to - 1))
}

export function showEntriesBackwards(page: WirePage, from: number, to: number, visit: VisitSlice): void {
  for (let i = to - 1; i >= from; i--) visit(page.bytes, page.offsetOf(i), page.endOf(i))
}

/** Entries with given, ascending IDs; pages without one are not read. */
export class FoundEntries implements LongRead<VisitFound> {
  readonly #ids: readonly StreamId[]
  readonly #snapshot: TreeSnapshot<StreamId, WirePage> | undefined
  /** The next ID to show, and the first that no page looked at by the filter can hold. */
  #at = 0
  #filtered = 0

  constructor(tree: OrderedPages<StreamId, WirePage>, ids: readonly StreamId[]) {
    this.#ids = ids
    if (tree.count > 0) this.#snapshot = tree.snapshot(0, tree.count, false, (first, next) => this.#wants(first, next))
  }

  get pinnedBytes(): number {
    return this.#snapshot?.pinnedBytes ?? 0
  }

  fetch(): Promise<void> | undefined {
    return this.#snapshot?.fetch()
  }

  next(visit: VisitFound): boolean {
    const ids = this.#ids
    const span = this.#snapshot?.next()
    if (span === undefined) {
      const any = this.#at < ids.length
      while (this.#at < ids.length) visit(ids[this.#at++], undefined, 0, 0)
      return any
    }
    const { page, to } = span
    const last = page.keyAt(to - 1)
    while (this.#at < ids.length && compareIds(ids[this.#at], last) <= 0) {
      const id = ids[this.#at++]
      const index = page.lowerBound(id)
      if (equalIds(page.keyAt(index), id)) visit(id, page.bytes, page.offsetOf(index), page.endOf(index))
      else visit(id, undefined, 0, 0)
    }
    return true
  }

  close(): void {
    this.#snapshot?.close()
  }

  #wants(first: StreamId, next: StreamId | undefined): boolean {
    const ids = this.#ids
    while (this.#filtered < ids.length && compareIds(ids[this.#filtered], first) < 0) this.#filtered++
    return this.#filtered < ids.length && (next === undefined || compareIds(ids[this.#filtered], next) < 0)
  }
}
