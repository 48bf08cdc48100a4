// Long reads of a PEL: its records as they are now, a page at a time, all of them or those that one consumer owns.
// Used by: pel. Uses: pages/tree-snapshot.

import { compareIds, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import type { TreeSnapshot } from '../../pages/tree-snapshot.js'
import { TreeRead } from '../long-read.js'
import type { LongRead } from '../long-read.js'
import type { Consumer } from './consumer.js'
import type { Consumers } from './consumers.js'
import { consumerAt, deliveredMsAt, deliveriesAt, RELEASED } from './pel-record.js'
import { brokenPel } from './pel-trees.js'
import { Pending } from './pending.js'

type Tree = OrderedPages<StreamId, RecordPage>
type Snapshot = TreeSnapshot<StreamId, RecordPage>

export type VisitPending = (row: Pending) => void

/** At most `max` records of `tree` from rank `from` on, of which there are some. */
export function pelRead(tree: Tree, consumers: Consumers, max: number, from: number): LongRead<VisitPending> {
  const owners = new OwnersThen(consumers)
  const read = tree.snapshot(from, Math.min(from + max, tree.count))
  return new TreeRead(read, (page, first, end, visit: VisitPending) => {
    for (let i = first; i < end; i++) visit(owners.record(page, i))
  })
}

/** Ranks in one of the two trees. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The first `max` of those with start <= ID <= end. */
export function spanOf(tree: Tree, start: StreamId, end: StreamId, max: number): Span {
  const from = tree.rank(start)
  const behind = nextId(end)
  const to = behind === undefined ? tree.count : tree.rank(behind)
  return { from, to: Math.max(from, Math.min(to, from + max)) }
}

/** Who owned what when a read began: who was deleted since is known by the records of that time. */
export class OwnersThen {
  readonly #consumers: Consumers
  readonly #all: readonly Consumer[]
  #byNumber: Map<number, Consumer> | undefined

  constructor(consumers: Consumers) {
    this.#consumers = consumers
    this.#all = consumers.all()
  }

  /** A record of that time. @throws CorruptionError when its owner is nobody's number */
  record(page: RecordPage, index: number): Pending {
    const { bytes } = page
    const at = page.payloadAt(index)
    const number = consumerAt(bytes, at)
    if (number === RELEASED) return new Pending(page.keyAt(index), undefined, 0, deliveriesAt(bytes, at))
    return new Pending(page.keyAt(index), this.#numbered(number), deliveredMsAt(bytes, at), deliveriesAt(bytes, at))
  }

  #numbered(number: number): Consumer {
    const known = this.#consumers.ifNumbered(number)
    if (known !== undefined) return known
    this.#byNumber ??= new Map(this.#all.map(consumer => [consumer.number, consumer]))
    return this.#byNumber.get(number) ?? this.#consumers.numbered(number)
  }
}

/** What a consumer owns. First its IDs are gathered, then the pages of records that hold them are read, no others. */
export class OwnedRead implements LongRead<VisitPending> {
  readonly #ids = new StreamIdList()
  #owned: Snapshot | undefined
  readonly #records: Snapshot
  readonly #owners: OwnersThen
  /** The next ID to show, and the first that no page looked at by the filter can hold. */
  #at = 0
  #filtered = 0

  /** At most `max` of `owned` from rank `from` on, of which there are some. */
  constructor(tree: Tree, consumers: Consumers, owned: Tree, max: number, from: number) {
    this.#owned = owned.snapshot(from, Math.min(from + max, owned.count))
    this.#records = tree.snapshot(0, tree.count, false, (first, next) => this.#wants(first, next))
    this.#owners = new OwnersThen(consumers)
  }

  get pinnedBytes(): number {
    return (this.#owned?.pinnedBytes ?? 0) + this.#records.pinnedBytes
  }

  fetch(): Promise<void> | undefined {
    return this.#owned === undefined ? this.#records.fetch() : this.#owned.fetch()
  }

  next(visit: VisitPending): boolean {
    if (this.#owned !== undefined) return this.#gather(this.#owned)
    const ids = this.#ids
    if (this.#at === ids.count) return false
    const span = this.#records.next()
    if (span === undefined) throw brokenPel(ids.at(this.#at))
    const { page } = span
    const last = page.keyAt(page.count - 1)
    for (; this.#at < ids.count; this.#at++) {
      const id = ids.at(this.#at)
      if (compareIds(id, last) > 0) break
      const index = page.indexOf(id)
      if (index < 0) throw brokenPel(id)
      visit(this.#owners.record(page, index))
    }
    return this.#at < ids.count
  }

  close(): void {
    this.#owned?.close()
    this.#records.close()
  }

  #gather(owned: Snapshot): boolean {
    const span = owned.next()
    if (span === undefined) {
      owned.close()
      this.#owned = undefined
    } else {
      for (let i = span.from; i < span.to; i++) this.#ids.push(span.page.keyAt(i))
    }
    return true
  }

  #wants(first: StreamId, next: StreamId | undefined): boolean {
    const ids = this.#ids
    while (this.#filtered < ids.count && compareIds(ids.at(this.#filtered), first) < 0) this.#filtered++
    return this.#filtered < ids.count && (next === undefined || compareIds(ids.at(this.#filtered), next) < 0)
  }
}
