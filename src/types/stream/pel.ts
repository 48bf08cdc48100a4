// Pending entries list (PEL) of a consumer group: one tree of records by ID, and for each consumer a tree of the IDs it
// owns. Used by: group. Uses: pel-record (bytes), consumers (owners by number), pel-delivery (what is new),
// pel-oldest (order of delivery), pel-owned (what is idle of one consumer).
// Invariants: (1) an ID is in the group's tree if and only if it is in exactly its owner's tree, or nobody owns it;
// (2) the owner is a consumer of the group. Whatever may fail (a page to load) comes before the first change.

import { compareIds, formatId, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import type { PageNode, Position } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import { checkTree } from '../../pages/tree-check.js'
import type { Consumer, ConsumerHome } from './consumer.js'
import type { Consumers } from './consumers.js'
import type { Count } from './count.js'
import type { EntryFinder } from './entry-finder.js'
import type { EntryRun } from './entry-run.js'
import { appendDelivery } from './pel-delivery.js'
import { oldestFirst } from './pel-oldest.js'
import { consumerAt, deliveredMsAt, deliveriesAt, pelCodec, putPelRecord, RELEASED } from './pel-record.js'
import { look, recordsAmong } from './pel-look.js'
import type { Look, LookQuery } from './pel-look.js'
import { gatherIdle } from './pel-idle-rows.js'
import { ownedIdle } from './pel-owned.js'
import type { IdleQuery, IdleRows } from './pel-idle-rows.js'
import { OwnedRead, pelRead, spanOf } from './pel-read.js'
import type { Span, VisitPending } from './pel-read.js'
import { Pending } from './pending.js'
import type { Claimable, Located, Releases } from './pending.js'
import { brokenPel, insertId, removeId, removeRunOf } from './pel-trees.js'
import { copyPages } from './tree-copy.js'
import type { LongRead } from '../long-read.js'

type RecordTree = OrderedPages<StreamId, RecordPage>
type RecordNode = PageNode<StreamId, RecordPage>

/** A PEL as it was at one moment. */
export type PelState = { readonly pel: Pel; readonly version: number }

export class Pel {
  readonly #tree: RecordTree
  readonly #consumers: Consumers
  readonly #releases: Releases
  readonly #onChange: () => void
  /** The page whose bounds became loose last: see tighten(). */
  #loosened: RecordNode | undefined
  /** Counts changes, so that a walk notices that its place is void. */
  #version = 0

  /**
   * @param releases kept up to date; the caller stores it
   * @param onChange called before the root or `releases` changes
   */
  constructor(
    home: ConsumerHome,
    consumers: Consumers,
    releases: Releases,
    onChange: () => void,
    root: Buffer | undefined,
  ) {
    this.#consumers = consumers
    this.#releases = releases
    this.#onChange = onChange
    this.#tree = new OrderedPages(home.rows, home.object, pelCodec, onChange, root)
  }

  get count(): number {
    return this.#tree.count
  }

  get treeId(): number {
    return this.#tree.treeId
  }

  encodeRoot(): Buffer {
    return this.#tree.encodeRoot()
  }

  /** Lets go of all pages in memory: the group is being dropped. */
  release(): void {
    this.#tree.release()
  }

  /** Removes everything, as OrderedPages.clear(): what the consumers own is not looked at, and goes as well. */
  clear(): void {
    this.#version++
    this.#tree.clear()
  }

  /** The same records in a new PEL, whose consumers have the same numbers and have been given their IDs. */
  copyFrom(source: Pel): void {
    copyPages(pelCodec, source.#tree, this.#tree)
  }

  /** As KeyValue.check(), of the records: each must be owned by one consumer, and nobody may own another. */
  check(inspection: Inspection): void {
    const whole = new Set<Consumer>()
    let owned = 0
    for (const consumer of this.#consumers.all()) {
      if (consumer.check(inspection)) whole.add(consumer)
      owned += consumer.pendingCount
    }
    if (owned !== this.count)
      inspection.found(`the consumers own ${owned} pending entries, and ${this.count} are there`)
    checkTree(this.#tree, inspection, {
      items: 'pending entries',
      show: formatId,
      each: (page, { what }) => {
        for (let i = 0; i < page.count; i++) {
          const owner = this.#consumers.numbered(consumerAt(page.bytes, page.payloadAt(i)))
          const id = page.keyAt(i)
          if (whole.has(owner) && owner.owned().find(id) === undefined) {
            inspection.found(`${what} has ${formatId(id)} for consumer '${owner.name}', who does not own it`)
          }
        }
      },
    })
  }

  get(id: StreamId): Pending | undefined {
    return this.find(id)?.row
  }

  find(id: StreamId): Located | undefined {
    const place = this.#tree.find(id)
    return place && { row: this.#read(this.#tree.page(place.node), place.index), place }
  }

  firstId(): StreamId | undefined {
    const node = this.#tree.first()
    return node && this.#tree.page(node).keyAt(0)
  }

  lastId(): StreamId | undefined {
    const node = this.#tree.last()
    return node && this.#tree.page(node).keyAt(node.count - 1)
  }

  /** Puts the entries of `runs`, ascending, into the PEL of `consumer`, each delivered once, at `nowMs`. */
  deliver(runs: readonly EntryRun[], consumer: Consumer, nowMs: number): void {
    const last = this.lastId()
    if (last === undefined || compareIds(last, runs[0].firstId) < 0) {
      const owned = consumer.owned()
      const ownedLast = owned.last()
      if (ownedLast !== undefined) owned.page(ownedLast)
      this.#version++
      appendDelivery(this.#tree, owned, runs, nowMs, consumer.number)
    } else {
      for (const run of runs) {
        for (let i = 0; i < run.entries; i++) this.set(run.page.keyAt(run.index + i), consumer, nowMs, 1)
      }
      this.tighten()
    }
  }

  /** Creates or overwrites the record of `id`; true when there was none. */
  set(id: StreamId, owner: Consumer, deliveredMs: number, deliveries: Count): boolean {
    return this.#set(id, owner, deliveredMs, deliveries)
  }

  /** As set(), of one that was located. */
  setFound({ row, place }: Located, owner: Consumer, deliveredMs: number, deliveries: Count): void {
    this.#overwrite(place, row.id, owner, deliveredMs, deliveries)
  }

  /**
   * Makes the bounds of pages tight in which records were made younger: with the pages at hand, rather than by the next
   * search, which would open them for nothing. A page's turn comes when the next one's records change; to be called
   * behind the last of them.
   */
  tighten(): void {
    const node = this.#loosened
    this.#loosened = undefined
    if (node === undefined || node.removed) return
    node.resident?.refreshSummary()
    this.#tree.summaryRefreshed(node)
  }

  /** As set(), of an entry that belongs to nobody from now on; it is the last of those. */
  disown(id: StreamId, deliveries: Count): boolean {
    const isNew = this.#set(id, undefined, this.#releases.next, deliveries)
    this.#releases.next++
    return isNew
  }

  #set(id: StreamId, owner: Consumer | undefined, timeOrPlace: number, deliveries: Count): boolean {
    const found = this.#tree.find(id)
    if (found === undefined) {
      this.#version++
      this.#enter(id, owner)
      const node = this.#tree.nodeForInsert(id)
      const page = this.#tree.page(node)
      const number = owner === undefined ? RELEASED : owner.number
      this.#write(node, page, page.insert(id), number, timeOrPlace, deliveries)
      return true
    }
    this.#overwrite(found, id, owner, timeOrPlace, deliveries)
    return false
  }

  #overwrite(
    { node, index }: Position<StreamId, RecordPage>,
    id: StreamId,
    owner: Consumer | undefined,
    timeOrPlace: number,
    deliveries: Count,
  ): void {
    const page = this.#tree.page(node)
    const at = page.payloadAt(index)
    const number = consumerAt(page.bytes, at)
    const numberNow = owner === undefined ? RELEASED : owner.number
    this.#version++
    if (number !== numberNow) {
      this.#leave(id, number)
      this.#enter(id, owner)
    }
    const before = deliveredMsAt(page.bytes, at)
    this.#write(node, this.#tree.willChange(node), index, numberNow, timeOrPlace, deliveries)
    // Only what was among the first to be delivered held the bounds down; mostly the page knows who is next.
    if (before >= timeOrPlace || before < page.visibleSummary) return
    if (this.#loosened !== node) this.tighten()
    this.#loosened = node
  }

  #enter(id: StreamId, owner: Consumer | undefined): void {
    if (owner !== undefined) return insertId(owner.owned(), id)
    this.#onChange()
    this.#releases.count++
  }

  #leave(id: StreamId, number: number): void {
    if (number !== RELEASED) return removeId(this.#consumers.numbered(number).owned(), id)
    this.#onChange()
    this.#releases.count--
  }

  /** False when `id` is not pending. */
  remove(id: StreamId): boolean {
    single.clear()
    single.push(id)
    return this.removeAll(single) === 1
  }

  /**
   * Removes those of `ids` that are pending and returns how many those were. What was delivered together is usually
   * acknowledged together, so what lies side by side in the list and in the PEL is removed by one step.
   */
  removeAll(ids: StreamIdList): number {
    let removed = 0
    let at = 0
    while (at < ids.count) {
      const run = this.#removeRun(ids, at)
      removed += run
      at += Math.max(run, 1)
    }
    return removed
  }

  /** Removes ids[from] and those behind it that follow it in its pages of both trees; 0 when it is not pending. */
  #removeRun(ids: StreamIdList, from: number): number {
    const id = ids.at(from)
    const found = this.#tree.find(id)
    if (found === undefined) return 0
    const page = this.#tree.page(found.node)
    const number = consumerAt(page.bytes, page.payloadAt(found.index))
    if (number === RELEASED) return this.#removeReleased(found)
    const owned = this.#consumers.numbered(number).owned()
    const foundOwned = owned.find(id)
    if (foundOwned === undefined) throw brokenPel(id)
    const ownedPage = owned.page(foundOwned.node)
    const max = Math.min(ids.count - from, page.count - found.index, ownedPage.count - foundOwned.index)
    let run = 1
    while (run < max && this.#isAt(page, found.index + run, ids, from + run, number)) run++
    if (!ids.equalsAt(from + run - 1, ownedPage.bytes, ownedPage.keyOffsetAt(foundOwned.index + run - 1))) {
      throw brokenPel(ids.at(from + run - 1))
    }
    this.#version++
    owned.willChange(foundOwned.node).removeRange(foundOwned.index, foundOwned.index + run)
    owned.changed(foundOwned.node)
    this.#tree.willChange(found.node).removeRange(found.index, found.index + run)
    this.#tree.changed(found.node)
    return run
  }

  #removeReleased(found: Position<StreamId, RecordPage>): number {
    this.#version++
    this.#tree.willChange(found.node).removeRange(found.index, found.index + 1)
    this.#releases.count--
    this.#tree.changed(found.node)
    return 1
  }

  /** Whether record `index` is that of ids[at], and its owner has this number. */
  #isAt(page: RecordPage, index: number, ids: StreamIdList, at: number, number: number): boolean {
    return (
      ids.equalsAt(at, page.bytes, page.keyOffsetAt(index)) && consumerAt(page.bytes, page.payloadAt(index)) === number
    )
  }

  /** Removes the records with start <= id <= end, whoever owns them; returns how many there were. */
  removeRange(start: StreamId, end: StreamId): number {
    const ids = new StreamIdList()
    for (const row of this.range(start, end)) ids.push(row.id)
    return this.removeAll(ids)
  }

  /** Removes everything that `consumer` owns. */
  removeOwned(consumer: Consumer): void {
    const owned = consumer.owned()
    for (let node = owned.first(); node !== undefined; node = owned.next(node)) {
      const ids = owned.page(node)
      for (let i = 0; i < ids.count;) i += removeRunOf(this.#tree, ids, i)
    }
    this.#version++
    owned.clear()
  }

  /** Pending entries with start <= id <= end, ascending. They may change while they are taken. */
  *range(start: StreamId, end: StreamId): Generator<Pending> {
    let from: StreamId | undefined = start
    while (from !== undefined) {
      const position = this.#tree.seek(from)
      if (position === undefined) return
      const version = this.#version
      let { index } = position
      from = undefined
      for (let node: RecordNode | undefined = position.node; node !== undefined; node = this.#tree.next(node)) {
        const page = this.#tree.page(node)
        for (; index < page.count; index++) {
          const pending = this.#read(page, index)
          if (compareIds(pending.id, end) > 0) return
          yield pending
          if (version !== this.#version) {
            from = nextId(pending.id)
            break
          }
        }
        if (version !== this.#version) break
        index = 0
      }
    }
  }

  /** As range(), of those released, or delivered at `deliveredMaxMs` or before; pages without any are not read. */
  *idleRange(start: StreamId, end: StreamId, deliveredMaxMs: number): Generator<Pending> {
    const tree = this.#tree
    const summaryMax = this.#summaryMax(deliveredMaxMs)
    let from: StreamId | undefined = start
    while (from !== undefined) {
      let node: RecordNode | undefined = tree.nodeFor(from)
      if (node !== undefined && node.summary > summaryMax) node = tree.nextWithSummaryAtMost(node, summaryMax)
      if (node === undefined || compareIds(node.firstKey, end) > 0) return
      const page = tree.page(node)
      const version = this.#version
      let found = false
      const first = page.lowerBound(from)
      from = undefined
      for (let index = page.firstAtMost(first, summaryMax); index < page.count;) {
        if (page.compareAt(index, end) > 0) return
        const at = page.payloadAt(index)
        if (deliveredMsAt(page.bytes, at) > deliveredMaxMs && consumerAt(page.bytes, at) !== RELEASED) {
          index = page.firstAtMost(index + 1, summaryMax)
          continue
        }
        found = true
        const pending = this.#read(page, index)
        yield pending
        if (version !== this.#version) {
          from = nextId(pending.id)
          break
        }
        index = page.firstAtMost(index + 1, summaryMax)
      }
      if (version !== this.#version) continue
      if (!found && first === 0) {
        page.refreshSummary()
        tree.summaryRefreshed(node)
      }
      from = tree.next(node)?.firstKey
    }
  }

  /** Those of `ids`, which ascend, that are pending. */
  among(ids: readonly StreamId[]): StreamIdList {
    return recordsAmong(this.#tree, ids)
  }

  /** What an XAUTOCLAIM finds. */
  look(query: LookQuery, entries: EntryFinder): Look {
    const summaryMax = this.#summaryMax(query.deliveredMaxMs)
    return look(this.#tree, (page, index) => this.#read(page, index), entries, query, summaryMax)
  }

  /**
   * What idleRange() gives for the whole PEL, as it is to be claimed: the released first, in the order they were
   * released in, then what was delivered first. The PEL must not change while they are taken.
   */
  *oldest(deliveredMaxMs: number): Generator<Pending> {
    const query = { deliveredMaxMs, placesEnd: this.#placesEnd, hidden: true }
    for (const { page, index } of oldestFirst(this.#tree, query)) yield this.#read(page, index)
  }

  /**
   * As oldest(), of those whose entry is there, with the entry. The others are remembered as passed over, and cost
   * nothing the next time: see unhide().
   * @param entryOf undefined when the stream has no such entry
   */
  *claimable<E>(deliveredMaxMs: number, entryOf: (id: StreamId) => E | undefined): Generator<Claimable<E>> {
    const query = { deliveredMaxMs, placesEnd: this.#placesEnd, hidden: false }
    for (const { page, index } of oldestFirst(this.#tree, query)) {
      const row = this.#read(page, index)
      const entry = entryOf(row.id)
      if (entry === undefined) page.hide(index)
      else yield { row, entry }
    }
  }

  /** Nothing that claimable() gives was delivered before, Unix ms; beyond all times when it gives nothing. */
  claimableSinceMs(): number {
    return this.#tree.visibleMin()
  }

  /** IDs that were deleted may come again: claimable() is to look at all of them. */
  unhide(): void {
    this.#tree.unhide(page => page.unhide())
  }

  /** Above the place of every released entry; 0 when there is none. */
  get #placesEnd(): number {
    const { count, next } = this.#releases
    return count > 0 ? next : 0
  }

  /** No page whose summary is above it holds a released entry, or one delivered at `deliveredMaxMs` or before. */
  #summaryMax(deliveredMaxMs: number): number {
    return Math.max(deliveredMaxMs, this.#placesEnd - 1)
  }

  /** See spanOf(): of all records, or of what `consumer` owns. */
  span(start: StreamId, end: StreamId, max: number, consumer: Consumer | undefined): Span {
    return spanOf(consumer === undefined ? this.#tree : consumer.owned(), start, end, max)
  }

  /** At most `max` from rank `from` on, of which there are some, as they are now; ranks are those of span(). */
  longRead(max: number, consumer: Consumer | undefined, from: number): LongRead<VisitPending> {
    if (consumer === undefined) return pelRead(this.#tree, this.#consumers, max, from)
    return new OwnedRead(this.#tree, this.#consumers, consumer.owned(), max, from)
  }

  /** See gatherIdle(). */
  gatherIdle(query: IdleQuery): IdleRows {
    return gatherIdle(this.#tree, this.#consumers, query, this.#summaryMax(query.deliveredMaxMs))
  }

  /** As idleRange(), of what `consumer` owns. */
  ownedIdleRange(consumer: Consumer, start: StreamId, end: StreamId, deliveredMaxMs: number): Iterable<Pending> {
    const query = { owned: consumer.owned(), start, end, deliveredMaxMs }
    return ownedIdle(this.#tree, id => this.get(id), query)
  }

  /** As it is now. */
  state(): PelState {
    return { pel: this, version: this.#version }
  }

  /** Whether nothing has changed since `state`. */
  isAt(state: PelState): boolean {
    return state.pel === this && state.version === this.#version
  }

  #read(page: RecordPage, index: number): Pending {
    const at = page.payloadAt(index)
    const { bytes } = page
    const number = consumerAt(bytes, at)
    if (number === RELEASED) return new Pending(page.keyAt(index), undefined, 0, deliveriesAt(bytes, at))
    const owner = this.#consumers.numbered(number)
    return new Pending(page.keyAt(index), owner, deliveredMsAt(bytes, at), deliveriesAt(bytes, at))
  }

  #write(
    node: RecordNode,
    page: RecordPage,
    index: number,
    owner: number,
    timeOrPlace: number,
    deliveries: Count,
  ): void {
    const at = page.payloadAt(index)
    putPelRecord(page.bytes, at, timeOrPlace, deliveries, owner)
    page.written(index)
    this.#tree.changed(node)
  }
}

/** The list of remove(). */
const single = new StreamIdList()
