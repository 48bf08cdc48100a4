// The pending entries of a group by age, without an index of their own: blocks and pages are opened in the order of the
// lower bounds that descriptors keep of the delivery times in them, so that what is found costs the pages it lies in,
// however many entries are younger. Used by: pel.
//
// Order: the released ones by their place, then the others by delivery time; alike, by ID. What is known of a block or
// a page is a bound of both kinds of time, and places are small numbers: below `placesEnd` a bound may stand for
// either.

import { compareIds } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { DescriptorBlock } from '../../pages/descriptor-block.js'
import type { OrderedPages, PageNode } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import { consumerAt, deliveredMsAt, RELEASED } from './pel-record.js'

type Tree = OrderedPages<StreamId, RecordPage>
type Node = PageNode<StreamId, RecordPage>

export interface OldestQuery {
  readonly deliveredMaxMs: number
  /** Above the place of every released record; 0 when there is none. */
  readonly placesEnd: number
  /** Whether hidden records are found as well. */
  readonly hidden: boolean
}

/** Where a record lies. Void once the tree changes. */
export interface RecordPlace {
  readonly page: RecordPage
  readonly index: number
}

/** Something in the queue: a block or page to be opened, or a record (page and index). */
class Candidate {
  constructor(
    readonly released: boolean,
    /** Place or delivery time; of a block or page a lower bound of those in it. */
    readonly time: number,
    readonly id: StreamId,
    readonly block: DescriptorBlock<StreamId, RecordPage> | undefined,
    readonly node: Node | undefined,
    readonly page: RecordPage | undefined,
    readonly index: number,
  ) {}
}

/**
 * Records that were released, or delivered at `deliveredMaxMs` or before. The tree must not change meanwhile. Who takes
 * them all leaves tight bounds behind, also where records were hidden while they were taken.
 */
export function* oldestFirst(tree: Tree, query: OldestQuery): Generator<RecordPlace> {
  const queue = new Queue()
  const opened: Node[] = []
  const openedBlocks: DescriptorBlock<StreamId, RecordPage>[] = []
  const { deliveredMaxMs, placesEnd, hidden } = query
  const timeMax = Math.max(deliveredMaxMs, placesEnd - 1)
  for (const block of tree.blocks) {
    const time = hidden ? block.summaryMin : block.visibleMin
    if (time <= timeMax) {
      queue.push(new Candidate(time < placesEnd, time, block.firstKey, block, undefined, undefined, 0))
    }
  }
  for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
    if (first.page !== undefined) yield { page: first.page, index: first.index }
    else if (first.node !== undefined) {
      openPage(queue, tree, first.node, query, timeMax)
      opened.push(first.node)
    } else if (first.block !== undefined) {
      openedBlocks.push(first.block)
      let any = false
      for (const node of tree.nodesOf(first.block)) {
        const time = hidden ? node.summary : node.visibleSummary
        if (time > timeMax) continue
        any = true
        queue.push(new Candidate(time < placesEnd, time, node.firstKey, undefined, node, undefined, 0))
      }
      if (!any) tree.blockRefreshed(first.block)
    }
  }
  for (const node of opened) tighten(tree, node)
  for (const block of openedBlocks) tree.blockRefreshed(block)
}

function tighten(tree: Tree, node: Node): void {
  node.resident?.refreshSummary()
  tree.summaryRefreshed(node)
}

/** A page is read through once. One in which nothing is found had loose bounds; tight ones keep searches away. */
function openPage(queue: Queue, tree: Tree, node: Node, query: OldestQuery, timeMax: number): void {
  const page = tree.page(node)
  const { bytes, count } = page
  let any = false
  for (let i = nextIn(page, 0, query, timeMax); i < count; i = nextIn(page, i + 1, query, timeMax)) {
    const at = page.payloadAt(i)
    const time = deliveredMsAt(bytes, at)
    const released = consumerAt(bytes, at) === RELEASED
    if (!released && time > query.deliveredMaxMs) continue
    any = true
    queue.push(new Candidate(released, time, page.keyAt(i), undefined, undefined, page, i))
  }
  if (!any) tighten(tree, node)
}

function nextIn(page: RecordPage, from: number, { hidden }: OldestQuery, timeMax: number): number {
  return hidden ? page.firstAtMost(from, timeMax) : page.firstVisible(from, timeMax)
}

function comesBefore(a: Candidate, b: Candidate): boolean {
  if (a.released !== b.released) return a.released
  if (a.time !== b.time) return a.time < b.time
  const order = compareIds(a.id, b.id)
  // A page begins at or before its first record, and is to be opened before that record is given out.
  return order === 0 ? a.page === undefined && b.page !== undefined : order < 0
}

/** A binary heap. */
class Queue {
  readonly #heap: Candidate[] = []

  push(candidate: Candidate): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(candidate)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!comesBefore(candidate, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = candidate
  }

  pop(): Candidate | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && comesBefore(heap[child + 1], heap[child])) child++
      if (!comesBefore(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return top
  }
}
