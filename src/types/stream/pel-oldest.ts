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
 * Records that were released, or delivered at `deliveredMaxMs` or before. The tree must not change meanwhile.
 * @param placesEnd above the place of every released record; 0 when there is none
 */
export function* oldestFirst(tree: Tree, deliveredMaxMs: number, placesEnd: number): Generator<RecordPlace> {
  const queue = new Queue()
  const timeMax = Math.max(deliveredMaxMs, placesEnd - 1)
  for (const block of tree.blocks) {
    const time = block.summaryMin
    if (time <= timeMax) {
      queue.push(new Candidate(time < placesEnd, time, block.firstKey, block, undefined, undefined, 0))
    }
  }
  for (let first = queue.pop(); first !== undefined; first = queue.pop()) {
    if (first.page !== undefined) yield { page: first.page, index: first.index }
    else if (first.node !== undefined) openPage(queue, tree, first.node, deliveredMaxMs)
    else if (first.block !== undefined) {
      tree.blockRefreshed(first.block)
      for (const node of tree.nodesOf(first.block)) {
        const time = node.summary
        if (time > timeMax) continue
        queue.push(new Candidate(time < placesEnd, time, node.firstKey, undefined, node, undefined, 0))
      }
    }
  }
}

function openPage(queue: Queue, tree: Tree, node: Node, deliveredMaxMs: number): void {
  const page = tree.page(node)
  const { bytes } = page
  page.refreshSummary()
  tree.summaryRefreshed(node)
  for (let i = 0; i < page.count; i++) {
    const at = page.payloadAt(i)
    const time = deliveredMsAt(bytes, at)
    const released = consumerAt(bytes, at) === RELEASED
    if (!released && time > deliveredMaxMs) continue
    queue.push(new Candidate(released, time, page.keyAt(i), undefined, undefined, page, i))
  }
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
