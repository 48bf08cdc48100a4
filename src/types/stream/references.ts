// What refers to an entry beside the stream itself: the groups that have it pending, and those that have yet to read
// it. The three policies of deleting ask for it: leave references alone (KEEPREF), take them along (DELREF), or delete
// only what nobody refers to (ACKED). Used by: stream, commands. Uses: group.

import { compareIds, ID_MAX, ID_MIN, nextId, previousId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { catchUp } from './dropped-references.js'
import type { DroppedReferences } from './dropped-references.js'
import type { EntryRun } from './entry-run.js'
import type { ConsumerGroup } from './group.js'
import { ascending } from './id-order.js'
import { findReferences } from './reference-search.js'
import type { Stream } from './stream.js'
import type { Trim } from './trim.js'

export type ReferencePolicy = 'keep' | 'drop' | 'acked'

/** References of more groups are not dropped by the command itself. */
export const GROUPS_AT_ONCE = 64
/** Groups that catch up with each command: a round over all ends before much more than NOTED_MAX IDs are noted. */
const CATCH_UP_MIN = 8
const NOTED_MAX = 65_536

/** Entries looked at in one go. */
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

/**
 * Removes from the front what `trim` asks for, entry by entry, and passes over what is referred to. Approximate or not,
 * it stops at its target: only the limit of an approximate one is heeded as well.
 */
export function trimUnreferenced(stream: Stream, trim: Trim): number {
  const end = lastFreeId(stream, trim)
  if (end === undefined) return 0
  const wanted = trim.by === 'maxlen' ? stream.length - trim.length : stream.length
  const removable = trim.limit > 0 ? Math.min(wanted, trim.limit) : wanted
  let removed = 0
  let passedOver = false
  let from: StreamId | undefined = ID_MIN
  while (removed < removable && from !== undefined && compareIds(from, end) <= 0) {
    const run: EntryRun | undefined = stream.runsFrom(from, CHUNK_ENTRIES)[0]
    if (run === undefined || compareIds(run.firstId, end) > 0) break
    const ids = idsUpTo(run, end)
    const last = ids[ids.length - 1]
    const free = unreferenced(stream, ids).slice(0, removable - removed)
    removed += free.length
    passedOver = removeFrom(stream, ids, free, passedOver)
    from = nextId(last)
  }
  return removed
}

/** The last ID that all groups have come to and `trim` may take; undefined when there is none. */
function lastFreeId(stream: Stream, trim: Trim): StreamId | undefined {
  let end: StreamId | undefined = trim.by === 'minid' ? previousId(trim.id) : ID_MAX
  for (const { lastDeliveredId } of stream.groups()) {
    if (end !== undefined && compareIds(lastDeliveredId, end) < 0) end = lastDeliveredId
  }
  return end
}

function idsUpTo(run: EntryRun, end: StreamId): StreamId[] {
  const ids: StreamId[] = []
  for (let i = 0; i < run.entries; i++) {
    const id = run.page.keyAt(run.index + i)
    if (compareIds(id, end) > 0) break
    ids.push(id)
  }
  return ids
}

/** Those of `ids`, ascending and read by all groups, that no group has pending. */
function unreferenced(stream: Stream, ids: readonly StreamId[]): StreamId[] {
  const pending = new Uint8Array(ids.length)
  for (const group of stream.groups()) {
    let at = 0
    for (const row of group.pendingRange(ids[0], ids[ids.length - 1])) {
      while (at < ids.length && compareIds(ids[at], row.id) < 0) at++
      if (at < ids.length && compareIds(ids[at], row.id) === 0) pending[at] = 1
    }
  }
  return ids.filter((_, i) => pending[i] === 0)
}

/**
 * Removes `free` of `ids`, which are the first that are left unless some were passed over. What stands at the very
 * front goes as by any trim; the rest leaves holes, as XDEL does. Returns whether something is passed over now.
 */
function removeFrom(stream: Stream, ids: readonly StreamId[], free: readonly StreamId[], passedOver: boolean): boolean {
  let leading = 0
  if (!passedOver) while (leading < free.length && free[leading] === ids[leading]) leading++
  if (leading > 0) {
    stream.trim({ by: 'maxlen', length: stream.length - leading, approximate: false, limit: 0 })
  }
  stream.deleteAll(free.slice(leading))
  return passedOver || leading < ids.length
}
