// Changes of one of the two trees of a PEL. Used by: pel, which keeps the trees in step.

import { CorruptionError } from '../../base/errors.js'
import { formatId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'

type RecordTree = OrderedPages<StreamId, RecordPage>

export function insertId(tree: RecordTree, id: StreamId): void {
  const node = tree.nodeForInsert(id)
  tree.page(node).insert(id)
  tree.changed(node)
}

export function removeId(tree: RecordTree, id: StreamId): void {
  const found = tree.find(id)
  if (found === undefined) throw brokenPel(id)
  tree.willChange(found.node).removeRange(found.index, found.index + 1)
  tree.changed(found.node)
}

/** Removes record `from` of `ids` from `tree`, and those behind it that follow it there; returns how many. */
export function removeRunOf(tree: RecordTree, ids: RecordPage, from: number): number {
  const found = tree.find(ids.keyAt(from))
  if (found === undefined) throw brokenPel(ids.keyAt(from))
  const page = tree.willChange(found.node)
  const max = Math.min(ids.count - from, page.count - found.index)
  let run = 1
  while (run < max && page.compareAt(found.index + run, ids.keyAt(from + run)) === 0) run++
  page.removeRange(found.index, found.index + run)
  tree.changed(found.node)
  return run
}

export function brokenPel(id: StreamId): CorruptionError {
  return new CorruptionError(`the pending entry ${formatId(id)} is missing from one of the two trees of its PEL`)
}
