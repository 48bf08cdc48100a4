// The entries of a stream: an ordered tree of wire pages, and the slices of them that answer reads. Used by: stream.

import { assert } from '../../base/assert.js'
import { compareIds, formatId, ID_MAX, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import { checkTree } from '../../pages/tree-check.js'
import { wholePages } from '../../pages/whole-pages.js'
import { wireCodec } from '../../pages/wire-page.js'
import type { WirePage } from '../../pages/wire-page.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { fieldNamesOfEntry } from './listpack-size.js'
import { TreeRead } from '../long-read.js'
import type { LongRead } from '../long-read.js'
import { EntryFinder } from './entry-finder.js'
import { EntryRun } from './entry-run.js'
import { FoundEntries, showEntries, showEntriesBackwards } from './entry-read.js'
import type { VisitFound, VisitSlice } from './entry-read.js'
import { copyPages } from './tree-copy.js'
import { dropFirstItems } from './tree-cut.js'

export { EntryRun } from './entry-run.js'
export type { WireSlice } from './entry-run.js'

export class Entries {
  readonly #tree: OrderedPages<StreamId, WirePage>

  /** @param onChange called before the root changes */
  constructor(rows: Rows, object: StoreObject, onChange: () => void, root?: Buffer) {
    this.#tree = new OrderedPages(rows, object, wireCodec, onChange, root)
  }

  get count(): number {
    return this.#tree.count
  }

  get treeId(): number {
    return this.#tree.treeId
  }

  get bodyBytes(): number {
    return this.#tree.bodyBytes
  }

  residentBytes(): number {
    return this.#tree.residentBytes()
  }

  encodeRoot(): Buffer {
    return this.#tree.encodeRoot()
  }

  /** Lets go of all pages in memory: the stream is being dropped. */
  release(): void {
    this.#tree.release()
  }

  /** As KeyValue.check(); true when they are whole. @param lastId no entry may lie behind it */
  check(inspection: Inspection, lastId: StreamId): boolean {
    return checkTree(this.#tree, inspection, {
      items: 'entries',
      show: formatId,
      each: (page, { what }) => {
        if (compareIds(page.keyAt(page.count - 1), lastId) > 0) inspection.found(`${what} reaches beyond the last ID`)
      },
    })
  }

  /** Visits the entries on pages that can be read: the RESP of fields and values, and how many pairs they are. */
  eachWhole(visit: (id: StreamId, pairs: number, bytes: Buffer, from: number, to: number) => void): void {
    for (const page of wholePages(this.#tree)) {
      for (let i = 0; i < page.count; i++) {
        const run = new EntryRun(page, i, 1)
        // The entry is '*2', '$<bytes>', the ID, '*<strings>', fields and values.
        let at = run.from
        for (let lines = 0; lines < 3; lines++) at = run.bytes.indexOf('\r\n', at, 'latin1') + 2
        const end = run.bytes.indexOf('\r\n', at, 'latin1')
        visit(page.keyAt(i), Number(run.bytes.latin1Slice(at + 1, end)) / 2, run.bytes, end + 2, run.to)
      }
    }
  }

  copyFrom(source: Entries): void {
    copyPages(wireCodec, source.#tree, this.#tree)
  }

  /** `id` is above all others; `pairs` fields and values are RESP bulk strings in fields[from, to). */
  append(id: StreamId, pairs: number, fields: Buffer, from: number, to: number): void {
    const tree = this.#tree
    let node = tree.last()
    if (node === undefined) {
      node = tree.appendNode(id)
    } else if (!tree.page(node).fits(to - from)) {
      node = tree.appendNode(id)
      // A stream that has filled a page is going to fill the next.
      tree.page(node).reserve()
    }
    tree.willChange(node).append(id, pairs, fields, from, to)
    tree.changed(node)
  }

  get(id: StreamId): EntryRun | undefined {
    const position = this.#tree.find(id)
    return position && new EntryRun(this.#tree.page(position.node), position.index, 1)
  }

  has(id: StreamId): boolean {
    return this.#tree.find(id) !== undefined
  }

  /** For look-ups in the order of a PEL. */
  finder(): EntryFinder {
    return new EntryFinder(this.#tree)
  }

  first(): EntryRun | undefined {
    const node = this.#tree.first()
    return node && new EntryRun(this.#tree.page(node), 0, 1)
  }

  last(): EntryRun | undefined {
    const node = this.#tree.last()
    return node && new EntryRun(this.#tree.page(node), node.count - 1, 1)
  }

  /** True when there is an entry with an ID >= `id`. */
  hasFrom(id: StreamId): boolean {
    return this.#tree.seek(id) !== undefined
  }

  /** Number of entries below `id`. */
  rank(id: StreamId): number {
    return this.#tree.rank(id)
  }

  /** Number of entries in [start, end]. */
  countRange(start: StreamId, end: StreamId): number {
    if (compareIds(start, end) > 0) return 0
    const afterEnd = nextId(end)
    return (afterEnd === undefined ? this.#tree.count : this.#tree.rank(afterEnd)) - this.#tree.rank(start)
  }

  /** Number of entries above `id`. */
  countAfter(id: StreamId): number {
    const after = nextId(id)
    return after === undefined ? 0 : this.#tree.count - this.#tree.rank(after)
  }

  /** Field names, as fieldNames() gives them, of the first entry with an ID >= `id`; '' when there is none. */
  fieldNamesFrom(id: StreamId): string {
    const position = this.#tree.seek(id)
    if (position === undefined) return ''
    const page = this.#tree.page(position.node)
    return fieldNamesOfEntry(page.bytes, page.offsetOf(position.index))
  }

  /** At most `max` entries from `start` on, as long runs as the pages allow. */
  runsFrom(start: StreamId, max: number): EntryRun[] {
    const runs: EntryRun[] = []
    const position = this.#tree.seek(start, max)
    if (position === undefined) return runs
    let { index } = position
    let rest = max
    for (let node: typeof position.node | undefined = position.node; node !== undefined; node = this.#tree.next(node)) {
      if (rest <= 0) break
      const page = this.#tree.page(node, rest)
      const entries = Math.min(rest, page.count - index)
      runs.push(new EntryRun(page, index, entries))
      rest -= entries
      index = 0
    }
    return runs
  }

  /**
   * Entries of ranks [from, to), of which there are some, as they are now: slices as long as the pages allow, or with
   * `backwards` an entry each, the last first.
   */
  longRead(from: number, to: number, backwards: boolean): LongRead<VisitSlice> {
    return new TreeRead(this.#tree.snapshot(from, to, backwards), backwards ? showEntriesBackwards : showEntries)
  }

  /** The entries with these IDs, which ascend, as they are now; undefined stands for one that is not there. */
  longReadOf(ids: readonly StreamId[]): LongRead<VisitFound> {
    return new FoundEntries(this.#tree, ids)
  }

  /** At most `max` entries of [start, end], ascending. The tree may change while the slices are taken. */
  *range(start: StreamId, end: StreamId, max: number): Generator<EntryRun> {
    let from: StreamId | undefined = start
    let rest = max
    while (rest > 0 && from !== undefined && compareIds(from, end) <= 0) {
      const position = this.#tree.seek(from, rest)
      if (position === undefined) return
      const page = this.#tree.page(position.node, rest)
      let entries = Math.min(rest, page.count - position.index)
      if (compareIds(page.keyAt(position.index + entries - 1), end) > 0) {
        // `end` < ID_MAX here: no ID is above that.
        entries = page.lowerBound(nextId(end) ?? ID_MAX) - position.index
        if (entries === 0) return
      }
      const run = new EntryRun(page, position.index, entries)
      rest -= entries
      from = nextId(run.lastId)
      yield run
    }
  }

  /** As range(), descending, an entry a slice. */
  *rangeReverse(start: StreamId, end: StreamId, max: number): Generator<EntryRun> {
    let position = max > 0 ? this.#tree.seekLast(end, -max) : undefined
    for (let rest = max; rest > 0 && position !== undefined; rest--) {
      const { node, index }: { node: NonNullable<typeof position>['node']; index: number } = position
      const page = this.#tree.page(node, -rest)
      if (compareIds(page.keyAt(index), start) < 0) return
      yield new EntryRun(page, index, 1)
      if (index > 0) position = { node, index: index - 1 }
      else {
        const previous = this.#tree.previous(node)
        position = previous && { node: previous, index: previous.count - 1 }
      }
    }
  }

  /** The entry ids[from], and how many of those behind it in `ids` follow it in its page; undefined without one. */
  runOf(ids: readonly StreamId[], from: number): EntryRun | undefined {
    const position = this.#tree.find(ids[from])
    if (position === undefined) return undefined
    const { index } = position
    const page = this.#tree.page(position.node)
    const max = Math.min(ids.length - from, page.count - index)
    let run = 1
    while (run < max && page.isAt(index + run, ids[from + run])) run++
    return new EntryRun(page, index, run)
  }

  /** Removes what runOf() gave. */
  deleteRun({ firstId, index, entries }: EntryRun): void {
    const position = this.#tree.find(firstId)
    assert(position !== undefined && position.index === index, 'the entries to remove are there')
    this.#tree.willChange(position.node).removeRange(index, index + entries)
    this.#tree.changed(position.node)
  }

  /** Removes the first `count` entries; reads one page at most. */
  dropFirst(count: number): void {
    dropFirstItems(this.#tree, count)
  }
}
