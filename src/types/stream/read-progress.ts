// How far a group has read a stream, as Redis 7.0 counts it: entries-read and lag. They are exact until a delete
// leaves a hole ahead of the group, unknown then, and exact again where the position can be told from both ends.
// Beside them the position, which knows more: a trim may take what a group has not read, and what was added behind the
// group is there to be counted. Pure; used by: group, stream.

import { compareIds, equalIds, isZeroId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { addCounts, subtractCounts } from './count.js'
import type { Count } from './count.js'

/** What the rules look at. */
export interface StreamCounters {
  readonly length: number
  readonly entriesAdded: Count
  /** Of the first live entry; 0-0 when there is none. */
  readonly firstId: StreamId
  readonly lastId: StreamId
  readonly maxDeletedId: StreamId
}

/** True when an entry at or above `id` may have been deleted between entries that are left. */
export function mayHaveHolesFrom(stream: StreamCounters, id: StreamId): boolean {
  const deleted = stream.maxDeletedId
  if (stream.length === 0 || isZeroId(deleted) || compareIds(deleted, id) < 0) return false
  return compareIds(deleted, stream.firstId) >= 0
}

/** How many entries were ever added up to and including `id`; undefined when it cannot be told. */
export function entriesAddedUpTo(stream: StreamCounters, id: StreamId): Count | undefined {
  const added = stream.entriesAdded
  if (isZeroCount(added)) return 0
  const toLast = compareIds(id, stream.lastId)
  if (stream.length === 0 && toLast < 1) return added
  if (toLast === 0) return added
  if (toLast > 0) return undefined
  const first = stream.firstId
  if (isZeroId(stream.maxDeletedId) || compareIds(stream.maxDeletedId, first) < 0) {
    const toFirst = compareIds(id, first)
    if (toFirst < 0) return subtractCounts(added, stream.length)
    if (toFirst === 0) return addCounts(subtractCounts(added, stream.length), 1)
  }
  return undefined
}

/** Entries the group has not been given yet; undefined when that cannot be told. */
export function lagOf(
  stream: StreamCounters,
  lastDeliveredId: StreamId,
  entriesRead: Count | undefined,
): Count | undefined {
  if (isZeroCount(stream.entriesAdded)) return 0
  const known = entriesRead !== undefined && !mayHaveHolesFrom(stream, lastDeliveredId)
  const read = known ? entriesRead : entriesAddedUpTo(stream, lastDeliveredId)
  return read === undefined ? undefined : subtractCounts(stream.entriesAdded, read)
}

/** A run of entries handed to a group. */
export interface Delivery {
  readonly firstId: StreamId
  readonly lastId: StreamId
  readonly entries: number
  /** Those at or below the stream's maxDeletedId. */
  readonly entriesInHoles: number
}

/** entries-read after `delivery`, of a group that had `entriesRead` before. The same as one step for each entry. */
export function entriesReadAfter(
  stream: StreamCounters,
  entriesRead: Count | undefined,
  delivery: Delivery,
): Count | undefined {
  const { entries, entriesInHoles } = delivery
  // An entry with a hole at or after it can be placed only if it is the last of the stream.
  if (entriesInHoles === entries) return entriesAddedUpTo(stream, delivery.lastId)
  const solid = entries - entriesInHoles
  if (entriesInHoles === 0) {
    if (entriesRead !== undefined) return addCounts(entriesRead, solid)
    const atFirst = entriesAddedUpTo(stream, delivery.firstId)
    if (atFirst !== undefined) return addCounts(atFirst, solid - 1)
  }
  return equalIds(delivery.lastId, stream.lastId) ? stream.entriesAdded : undefined
}

/**
 * Entries ever added up to the last of `delivery`; undefined when that cannot be told.
 * @param position that of `lastDeliveredId`, where the group was before
 */
export function positionAfter(
  stream: StreamCounters & { countAfter(id: StreamId): number },
  position: Count | undefined,
  lastDeliveredId: StreamId,
  delivery: Delivery,
): Count | undefined {
  // Whatever went behind the group stood before the first entry that is left, or left a hole behind the group.
  const holed = compareIds(stream.maxDeletedId, lastDeliveredId) > 0
  const gapless = !holed && compareIds(lastDeliveredId, stream.firstId) >= 0
  if (gapless && position !== undefined) return addCounts(position, delivery.entries)
  // Nothing behind the delivery was ever deleted, so all that was added there can be counted.
  if (compareIds(stream.maxDeletedId, delivery.lastId) > 0) return undefined
  return subtractCounts(stream.entriesAdded, stream.countAfter(delivery.lastId))
}

function isZeroCount(count: Count): boolean {
  return count === 0
}

/** No group can have read more than was ever added, whatever it is told. */
export function atMost(entriesRead: Count | undefined, entriesAdded: Count): Count | undefined {
  return entriesRead !== undefined && entriesRead > entriesAdded ? entriesAdded : entriesRead
}
