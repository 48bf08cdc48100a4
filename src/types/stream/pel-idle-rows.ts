// What XPENDING IDLE finds when it is very much: the records themselves, side by side, which are read out later, a
// piece at a time. How many there are is known only when all were looked for, so they are gathered by one pass; pages
// that hold nothing idle are not read. Used by: pel. Uses: pel-read (owners of that time).

import { compareIds, ID_MAX } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import { recordCodec } from '../../pages/record-page.js'
import type { RecordPage } from '../../pages/record-page.js'
import type { LongRead } from '../long-read.js'
import type { Consumer } from './consumer.js'
import type { Consumers } from './consumers.js'
import { consumerAt, deliveredMsAt, PEL_RECORD_BYTES, RELEASED } from './pel-record.js'
import { OwnersThen } from './pel-read.js'
import type { VisitPending } from './pel-read.js'

type Tree = OrderedPages<StreamId, RecordPage>

export interface IdleQuery {
  readonly start: StreamId
  readonly end: StreamId
  /** What was released, or delivered then or before, is idle; Unix ms. */
  readonly deliveredMaxMs: number
  readonly max: number
  /** Whose; undefined: everybody's, and the released ones. */
  readonly consumer: Consumer | undefined
}

/** Records that are shown at once. */
const ROWS_AT_ONCE = 256
const ROWS_MIN = 1024
const NOTHING = Buffer.alloc(0)

/** Rows that were found, as they were then. */
export class IdleRows implements LongRead<VisitPending> {
  readonly #owners: OwnersThen
  #records: Buffer = Buffer.allocUnsafe(ROWS_MIN * PEL_RECORD_BYTES)
  #count = 0
  #page: RecordPage | undefined
  #at = 0

  constructor(consumers: Consumers) {
    this.#owners = new OwnersThen(consumers)
  }

  get count(): number {
    return this.#count
  }

  get pinnedBytes(): number {
    return this.#records.length
  }

  /** Takes over record `index` of `page`. */
  push(page: RecordPage, index: number): void {
    const to = this.#count * PEL_RECORD_BYTES
    if (to === this.#records.length) {
      const grown = Buffer.allocUnsafe(to * 2)
      this.#records.copy(grown)
      this.#records = grown
    }
    const from = page.keyOffsetAt(index)
    page.bytes.copy(this.#records, to, from, from + PEL_RECORD_BYTES)
    this.#count++
  }

  fetch(): undefined {
    return undefined
  }

  next(visit: VisitPending): boolean {
    const page = (this.#page ??= asPage(this.#records, this.#count))
    const end = Math.min(this.#at + ROWS_AT_ONCE, this.#count)
    while (this.#at < end) visit(this.#owners.record(page, this.#at++))
    return end < this.#count
  }

  close(): void {
    this.#count = 0
    this.#records = NOTHING
    this.#page = undefined
  }
}

/** Records side by side are a page, of whatever length. */
function asPage(records: Buffer, count: number): RecordPage {
  const page = rowsCodec.empty()
  page.bytes = records
  page.count = count
  return page
}

const rowsCodec = recordCodec({ kind: 0, payloadBytes: PEL_RECORD_BYTES - 16 })

/** @param summaryMax no page whose summary is above it holds an idle row */
export function gatherIdle(tree: Tree, consumers: Consumers, query: IdleQuery, summaryMax: number): IdleRows {
  const { start, end, deliveredMaxMs, max, consumer } = query
  const rows = new IdleRows(consumers)
  const isLast = compareIds(end, ID_MAX) === 0
  let node = tree.nodeFor(start)
  if (node !== undefined && node.summary > summaryMax) node = tree.nextWithSummaryAtMost(node, summaryMax)
  while (node !== undefined && rows.count < max && compareIds(node.firstKey, end) <= 0) {
    const page = tree.page(node)
    const { bytes, count } = page
    const first = page.lowerBound(start)
    let found = false
    for (let i = page.firstAtMost(first, summaryMax); i < count && rows.count < max;) {
      if (!isLast && page.compareAt(i, end) > 0) return rows
      const at = page.payloadAt(i)
      const owner = consumerAt(bytes, at)
      const isIdle = owner === RELEASED || deliveredMsAt(bytes, at) <= deliveredMaxMs
      found ||= isIdle
      if (isIdle && (consumer === undefined || owner === consumer.number)) rows.push(page, i)
      i = page.firstAtMost(i + 1, summaryMax)
    }
    // One in which nothing is found had loose bounds; tight ones keep searches away.
    if (!found && first === 0) {
      page.refreshSummary()
      tree.summaryRefreshed(node)
    }
    node = tree.nextWithSummaryAtMost(node, summaryMax)
  }
  return rows
}
