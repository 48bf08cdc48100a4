// What one consumer has pending that is idle: its IDs, each looked up among the records. Pages of records that hold
// nothing idle are passed over, and with them all IDs that lie in them. Used by: pel.

import { compareIds, nextId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import { brokenPel } from './pel-trees.js'
import type { Pending } from './pending.js'

type Tree = OrderedPages<StreamId, RecordPage>

export interface OwnedQuery {
  /** The tree of the consumer's IDs. */
  readonly owned: Tree
  readonly start: StreamId
  readonly end: StreamId
  /** What was delivered then or before is idle; Unix ms. */
  readonly deliveredMaxMs: number
}

/** Ascending; they may change while they are taken. @param get reads a record of `tree` */
export function* ownedIdle(
  tree: Tree,
  get: (id: StreamId) => Pending | undefined,
  { owned, start, end, deliveredMaxMs }: OwnedQuery,
): Generator<Pending> {
  let from: StreamId | undefined = start
  while (from !== undefined) {
    const position = owned.seek(from)
    if (position === undefined) return
    const id: StreamId = owned.page(position.node).keyAt(position.index)
    if (compareIds(id, end) > 0) return
    const node = tree.nodeFor(id)
    if (node !== undefined && node.summary > deliveredMaxMs) {
      from = tree.nextWithSummaryAtMost(node, deliveredMaxMs)?.firstKey
      continue
    }
    const pending = get(id)
    if (pending === undefined) throw brokenPel(id)
    if (pending.deliveredMs <= deliveredMaxMs) yield pending
    from = nextId(id)
  }
}
