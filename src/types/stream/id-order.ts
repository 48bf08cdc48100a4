// Work on a list of IDs as a client sent it, in any order and with repetitions, by what wants them ascending, each
// once. Used by: references, group, trim-search, stream-api.

import { compareIds, equalIds } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { StreamIdList } from '../../base/stream-id-list.js'

/** Each once, in order. */
export function ascending(ids: readonly StreamId[]): readonly StreamId[] {
  if (ascends(ids)) return ids
  const sorted = [...ids].sort(compareIds)
  return sorted.filter((id, i) => i === 0 || !equalIds(id, sorted[i - 1]))
}

/**
 * Does to each of `ids` what `work` does to ascending ones, of which it tells whether it did something; the first of
 * equal ones counts.
 */
export function eachOnce(ids: readonly StreamId[], work: (ascending: readonly StreamId[]) => boolean[]): boolean[] {
  if (ascends(ids)) return work(ids)
  const order = [...ids.keys()].sort((a, b) => compareIds(ids[a], ids[b]) || a - b)
  const first = order.filter((place, i) => i === 0 || !equalIds(ids[place], ids[order[i - 1]]))
  const done = ids.map(() => false)
  for (const [i, did] of work(first.map(place => ids[place])).entries()) done[first[i]] = did
  return done
}

/** Whether each of `ids` is among `some` of them; both ascend. */
export function eachAmong(ids: readonly StreamId[], some: StreamIdList): boolean[] {
  let found = 0
  return ids.map(id => {
    const isNext = found < some.count && equalIds(some.at(found), id)
    if (isNext) found++
    return isNext
  })
}

function ascends(ids: readonly StreamId[]): boolean {
  for (let i = 1; i < ids.length; i++) if (compareIds(ids[i - 1], ids[i]) >= 0) return false
  return true
}
