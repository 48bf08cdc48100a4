// Searches of a PEL in the order of its IDs: which of some IDs are pending, and XAUTOCLAIM's walk, row by row for a
// while, as Redis does, then over what is idle only, whole pages of other rows unread. Used by: pel. Uses: entry-finder
// (whether a row's entry is still there). Nothing is changed.

import type { StreamId } from '../../base/stream-id.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import type { PageNode } from '../../pages/page-node.js'
import type { PageTree } from '../../pages/page-tree.js'
import type { RecordPage } from '../../pages/record-page.js'
import type { WireSlice } from './entry-run.js'
import type { EntryFinder } from './entry-finder.js'
import type { Claimable, Located, Pending } from './pending.js'
import { consumerAt, deliveredMsAt, RELEASED } from './pel-record.js'

type Tree = PageTree<StreamId, RecordPage>
type Node = PageNode<StreamId, RecordPage>

export interface LookQuery {
  readonly start: StreamId
  /** What was released, or delivered then or before, is idle; Unix ms. */
  readonly deliveredMaxMs: number
  /** It ends when so many were found. */
  readonly foundMax: number
  /** Rows that are looked at one by one. */
  readonly rowsMax: number
  /** Whether it goes on behind those. */
  readonly goesOn: boolean
}

export interface Look {
  /** Idle rows whose entry is there. */
  readonly claims: readonly (Claimable<WireSlice> & Located)[]
  /** Rows whose entry is not there: all that were looked at one by one, behind those the idle ones. */
  readonly deletedIds: readonly StreamId[]
  /** The first row that was not looked at; undefined at the end. */
  readonly next: StreamId | undefined
}

/** How the PEL reads a record. */
export type ReadRecord = (page: RecordPage, index: number) => Pending

/** @param summaryMax no page whose summary is above it holds an idle row */
export function look(tree: Tree, read: ReadRecord, entries: EntryFinder, query: LookQuery, summaryMax: number): Look {
  return new Walk(tree, read, entries, query, summaryMax).run()
}

/**
 * Those of `ids`, which ascend, that have a record: a step for each record between them or for each of them, whichever
 * are fewer.
 */
export function recordsAmong(tree: Tree, ids: readonly StreamId[]): StreamIdList {
  const found = new StreamIdList()
  for (let at = 0; at < ids.length;) {
    const position = tree.seek(ids[at])
    if (position === undefined) break
    const page = tree.page(position.node)
    let { index } = position
    while (index < page.count && at < ids.length) {
      if (page.compareAt(index, ids[at]) > 0) at = firstFrom(ids, at, page, index)
      if (at < ids.length && page.compareAt(index, ids[at]) === 0) found.push(ids[at++])
      if (at === ids.length) break
      // Mostly the next record, or a later page.
      index++
      if (index < page.count && page.compareAt(index, ids[at]) < 0) index = page.lowerBound(ids[at])
    }
  }
  return found
}

/** The first of `ids` from place `from` on that is not below record `index`; ids[from] is. */
function firstFrom(ids: readonly StreamId[], from: number, page: RecordPage, index: number): number {
  let low = from
  let step = 1
  while (low + step < ids.length && page.compareAt(index, ids[low + step]) > 0) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, ids.length)
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (page.compareAt(index, ids[middle]) > 0) low = middle
    else high = middle
  }
  return high
}

class Walk {
  readonly #claims: (Claimable<WireSlice> & Located)[] = []
  readonly #deletedIds: StreamId[] = []

  constructor(
    readonly tree: Tree,
    readonly read: ReadRecord,
    readonly entries: EntryFinder,
    readonly query: LookQuery,
    readonly summaryMax: number,
  ) {}

  run(): Look {
    const { tree, query } = this
    let rowsLeft = query.rowsMax
    let position = tree.seek(query.start)
    while (position !== undefined) {
      const { node, index } = position
      const page = tree.page(node)
      const end = Math.min(page.count, index + rowsLeft)
      for (let i = index; i < end; i++) {
        if (this.#isFull) return this.#upTo(page.keyAt(i))
        this.#take(node, page, i)
      }
      rowsLeft -= end - index
      if (end < page.count) {
        if (!query.goesOn || this.#isFull) return this.#upTo(page.keyAt(end))
        return this.#skip(node, end)
      }
      const next = tree.next(node)
      position = next && { node: next, index: 0 }
    }
    return this.#upTo(undefined)
  }

  get #isFull(): boolean {
    return this.#claims.length + this.#deletedIds.length >= this.query.foundMax
  }

  #upTo(next: StreamId | undefined): Look {
    return { claims: this.#claims, deletedIds: this.#deletedIds, next }
  }

  /** Goes on from record `from` of the page of `first`. */
  #skip(first: Node, from: number): Look {
    const { tree, summaryMax } = this
    let start = from
    let node: Node | undefined = first.summary > summaryMax ? this.#nextBehind(first) : first
    if (node !== first) start = 0
    while (node !== undefined) {
      const page = tree.page(node)
      const found = this.#claims.length + this.#deletedIds.length
      for (let i = page.firstAtMost(start, summaryMax); i < page.count; i = page.firstAtMost(i + 1, summaryMax)) {
        if (!this.#isIdle(page, i)) continue
        this.#take(node, page, i)
        if (this.#isFull) return this.#upTo(this.#following(node, page, i))
      }
      // One in which nothing is found had loose bounds; tight ones keep searches away.
      if (start === 0 && found === this.#claims.length + this.#deletedIds.length) {
        page.refreshSummary()
        tree.summaryRefreshed(node)
      }
      start = 0
      node = this.#nextBehind(node)
    }
    return this.#upTo(undefined)
  }

  #nextBehind(node: Node): Node | undefined {
    return this.tree.nextWithSummaryAtMost(node, this.summaryMax)
  }

  #isIdle(page: RecordPage, index: number): boolean {
    const at = page.payloadAt(index)
    return deliveredMsAt(page.bytes, at) <= this.query.deliveredMaxMs || consumerAt(page.bytes, at) === RELEASED
  }

  #take(node: Node, page: RecordPage, index: number): void {
    const { entries } = this
    if (!entries.has(page.bytes, page.keyOffsetAt(index))) {
      this.#deletedIds.push(page.keyAt(index))
    } else if (this.#isIdle(page, index)) {
      this.#claims.push({ row: this.read(page, index), entry: entries.found(), place: { node, index } })
    }
  }

  #following(node: Node, page: RecordPage, index: number): StreamId | undefined {
    if (index + 1 < page.count) return page.keyAt(index + 1)
    const next = this.tree.next(node)
    return next && this.tree.page(next).keyAt(0)
  }
}
