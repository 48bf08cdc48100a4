// What refers to an entry beside the stream itself: the groups that have it pending, and those that have yet to read
// it. The three policies of deleting ask for it: leave references alone (KEEPREF), take them along (DELREF), or delete
// only what nobody refers to (ACKED). Used by: stream, commands. Uses: group.

import { compareIds, equalIds, ID_MAX, ID_MIN, nextId, previousId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { catchUp } from './dropped-references.js'
import type { DroppedReferences } from './dropped-references.js'
import type { ConsumerGroup } from './group.js'
import { ascending } from './id-order.js'
import { findReferences } from './reference-search.js'
import type { Stream } from './stream.js'
import type { Trim } from './trim.js'
import { findTrimmable, idsFrom } from './trim-search.js'
import type { Trimmable } from './trim-search.js'

export type { Trimmable } from './trim-search.js'

export type ReferencePolicy = 'keep' | 'drop' | 'acked'

/** References of more groups are not dropped by the command itself. */
export const GROUPS_AT_ONCE = 64
/** Groups that catch up with each command: a round over all ends before much more than NOTED_MAX IDs are noted. */
const CATCH_UP_MIN = 8
const NOTED_MAX = 65_536

/** Entries compared in one go. */
const CHUNK_ENTRIES = 512

/**
 * Those of `ids` that a group has pending or has not come to yet; also such without an entry.
 * @param except what this group has pending does not count
 * @throws PageMiss among very many groups, from a command that has changed nothing
 */
export function referencedAmong(stream: Stream, ids: readonly StreamId[], except?: ConsumerGroup): ReadonlySet<string> {
  const { groupCount } = stream
  return findReferences({ stream, ids: ascending(ids), except, groups: () => stream.eachGroup(), groupCount })
}

/**
 * Takes `ids`, of which no entry is left when the command ends, out of the pending entries of all groups; returns how
 * many those were. Of very many groups it is noted, and counts as one: see dropped-references.
 */
export function dropReferences(stream: Stream, ids: readonly StreamId[]): number {
  const sorted = ascending(ids)
  const { lastId } = stream
  if (stream.groupCount > GROUPS_AT_ONCE && sorted.length > 0) {
    // What is above may be added yet, and is pending nowhere unless IDs went back.
    const isNoted = sorted.every(id => compareIds(id, lastId) <= 0)
    if (isNoted) {
      note(stream, sorted.length, dropped => dropped.add(sorted))
      return 1
    }
  }
  let dropped = 0
  for (const group of stream.groups()) {
    const pending = group.pendingAmong(sorted)
    if (pending.count > 0) dropped += group.ackAll(pending)
  }
  return dropped
}

/** As dropReferences(), of everything below the first entry that is left. */
export function dropReferencesToTrimmed(stream: Stream): void {
  const end = stream.length === 0 ? stream.lastId : previousId(stream.firstId)
  if (end === undefined) return
  if (stream.groupCount > GROUPS_AT_ONCE) return note(stream, 1, dropped => dropped.addUpTo(end))
  for (const group of stream.groups()) group.dropPending(ID_MIN, end)
}

/** Notes `ids` IDs, and has some groups catch up: the more, the more was noted. */
function note(stream: Stream, ids: number, add: (dropped: DroppedReferences) => void): void {
  stream.noteDropped(add)
  catchUp(stream, Math.max(CATCH_UP_MIN, Math.ceil((stream.groupCount * ids) / NOTED_MAX)))
}

/** What trimUnreferenced() would remove when so many entries were added. @throws PageMiss as referencedAmong() */
export function findUnreferenced(stream: Stream, trim: Trim, added: number): Trimmable {
  return findTrimmable({ stream, trim, added, from: ID_MIN })
}

/**
 * Removes from the front what `trim` asks for, entry by entry, and passes over what is referred to. Approximate or not,
 * it stops at its target: only the limit of an approximate one is heeded as well.
 * @param found what findUnreferenced() gave before the last entry was added
 * @throws PageMiss as referencedAmong() when nothing was found before
 */
export function trimUnreferenced(stream: Stream, trim: Trim, found?: Trimmable): number {
  const { free, removable, end } = found ?? findUnreferenced(stream, trim, 0)
  const removed = remove(stream, free, Math.min(removable, free.length))
  if (found === undefined || removed === removable) return removed
  // Groups that were set beyond the end of the stream do not need what was added.
  if (end === undefined || compareIds(stream.lastId, end) > 0) return removed
  const last = findTrimmable({ stream, trim, added: 0, from: stream.lastId })
  return removed + remove(stream, last.free, Math.min(removable - removed, last.free.length))
}

/**
 * Removes the first `count` of `free`, which are there. What stands at the very front goes as by any trim; the rest
 * leaves holes, as XDEL does.
 */
function remove(stream: Stream, free: readonly StreamId[], count: number): number {
  let leading = 0
  let from: StreamId | undefined = ID_MIN
  while (leading < count && from !== undefined) {
    const ids: StreamId[] = idsFrom(stream, from, ID_MAX, Math.min(count - leading, CHUNK_ENTRIES))
    let same = 0
    while (same < ids.length && equalIds(ids[same], free[leading + same])) same++
    leading += same
    from = same > 0 && same === ids.length ? nextId(ids[same - 1]) : undefined
  }
  if (leading > 0) stream.trim({ by: 'maxlen', length: stream.length - leading, approximate: false, limit: 0 })
  stream.deleteAll(free.slice(leading, count))
  return count
}
