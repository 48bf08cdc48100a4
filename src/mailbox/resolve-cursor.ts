// What a client's cursor means today. Used by: mailbox-reader, and services that speak to clients themselves.
//
// In this order: (1) events behind it may be gone: expired; (2) a split moved the user: rebased to the new shard, after
// what lies before the split has been read in the old one; (3) an older epoch: rebased, a few repeats, never a loss;
// (4) current. An epoch that is too new or whose way to the present has a hole is an error, never a guess.

import type { EpochBoundary, ShardSplitBoundary } from './boundary.js'
import type { Cursor } from './cursor.js'
import { laneOf } from './lane.js'
import { Malformed, UnknownEpoch } from './mailbox-error.js'
import { beforeEpoch, epochOf, LOG_OFFSET_MAX, logOffsetOf, maxSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import { lostUpTo } from './mailbox-store.js'
import type { MailboxStore } from './mailbox-store.js'
import type { ShardRegistry } from './shard-registry.js'

/** What the registry says of one shard. */
export interface ShardHistory {
  readonly epoch: number
  readonly boundaries: readonly EpochBoundary[]
  readonly splits: readonly ShardSplitBoundary[]
}

/** A part of one epoch's mailbox that a cursor has still to read. */
export interface Segment {
  readonly epoch: number
  /** Inclusive; undefined in the current epoch, where the watermark says it. */
  readonly upTo: MailboxSeq | undefined
}

export type Resolution =
  | {
      readonly code: 'CURSOR_EXPIRED'
      readonly trimWatermark: MailboxSeq
      readonly rebuildRequired: true
    }
  | {
      readonly code: 'CURSOR_REBASED'
      readonly newCursor: Cursor
      /** Events may appear again from here on. */
      readonly replayFromSeq: MailboxSeq
      /** By a split: read this in the old shard, with the old token, before the token is exchanged. */
      readonly readFirst: readonly Segment[]
      readonly splitAt: MailboxSeq | undefined
    }
  | { readonly code: 'CURRENT'; readonly cursor: Cursor }

export async function historyOf(registry: ShardRegistry, shard: number): Promise<ShardHistory> {
  const { epoch } = await registry.state(shard)
  return { epoch, boundaries: await registry.boundaries(shard), splits: await registry.splits(shard) }
}

/** @throws UnknownEpoch, Malformed, CorruptEntry, UnknownFormat */
export async function resolveCursor(
  registry: ShardRegistry,
  store: MailboxStore,
  user: string,
  cursor: Cursor,
): Promise<Resolution> {
  const history = await historyOf(registry, cursor.shard)
  const segments = segmentsOf(history, user, cursor)
  let lost: MailboxSeq | undefined
  for (const { epoch } of segments) {
    const found = lostUpTo(await store.promote({ shard: cursor.shard, user, epoch }))
    if (found !== undefined && cursor.lastApplied < found) lost = lost === undefined ? found : maxSeq(lost, found)
  }
  if (lost !== undefined) return { code: 'CURSOR_EXPIRED', trimWatermark: lost, rebuildRequired: true }
  return placeOf(history, user, cursor, segments)
}

/** Steps 2 to 4: without a look at what has expired. */
export function placeOf(
  history: ShardHistory,
  user: string,
  cursor: Cursor,
  segments: readonly Segment[] = segmentsOf(history, user, cursor),
): Exclude<Resolution, { code: 'CURSOR_EXPIRED' }> {
  const { lastApplied, shard, shardEpoch } = cursor
  const split = splitOf(history, user, cursor)
  if (split !== undefined) {
    const { newShard, newEpoch, splitAt } = split
    const newCursor = { shard: newShard, shardEpoch: newEpoch, lastApplied: beforeEpoch(newEpoch) }
    const isDrained = lastApplied >= splitAt - 1n
    const replayFromSeq = isDrained ? newCursor.lastApplied : lastApplied
    return { code: 'CURSOR_REBASED', newCursor, replayFromSeq, readFirst: isDrained ? [] : segments, splitAt }
  }
  if (shardEpoch === history.epoch) return { code: 'CURRENT', cursor }
  const { start } = boundaryOf(history, positionEpoch(lastApplied))
  return {
    code: 'CURSOR_REBASED',
    // lastApplied stays: the older epoch is read on from there, so that nothing is lost if the client stops in between.
    newCursor: { shard, shardEpoch: history.epoch, lastApplied },
    replayFromSeq: maxSeq(lastApplied, start),
    readFirst: [],
    splitAt: undefined,
  }
}

/**
 * Where the events behind a cursor lie in its shard, oldest first: the rest of its own epoch, the epochs between, and
 * the current one, or up to the split that moved the user.
 */
export function segmentsOf(history: ShardHistory, user: string, cursor: Cursor): readonly Segment[] {
  const first = checkedEpoch(history, cursor)
  const split = splitOf(history, user, cursor)
  const last = split === undefined ? history.epoch : epochOf(split.splitAt)
  const segments: Segment[] = []
  let upTo = split === undefined ? undefined : ((split.splitAt - 1n) as MailboxSeq)
  let epoch = last
  while (epoch > first) {
    segments.unshift({ epoch, upTo })
    const boundary = boundaryOf(history, epoch)
    epoch = boundary.previousEpoch
    upTo = boundary.previousEnd ?? beforeEpoch(epoch)
  }
  if (epoch !== first) throw new UnknownEpoch(`no boundary leads from epoch ${first} to ${last}`)
  boundaryOf(history, first)
  segments.unshift({ epoch, upTo })
  return segments
}

/** The epoch a cursor reads next: behind the very last offset of an epoch the next one begins. */
export function positionEpoch(lastApplied: MailboxSeq): number {
  return epochOf(lastApplied) + (logOffsetOf(lastApplied) === LOG_OFFSET_MAX ? 1 : 0)
}

function checkedEpoch(history: ShardHistory, { shard, shardEpoch, lastApplied }: Cursor): number {
  const position = positionEpoch(lastApplied)
  if (position > shardEpoch) throw new Malformed(`the cursor stands in epoch ${position}, after its own ${shardEpoch}`)
  if (shardEpoch > history.epoch) {
    throw new UnknownEpoch(`shard ${shard} is in epoch ${history.epoch}, the cursor comes from ${shardEpoch}`)
  }
  return position
}

function boundaryOf(history: ShardHistory, epoch: number): EpochBoundary {
  const found = history.boundaries.find(boundary => boundary.epoch === epoch)
  if (found === undefined) throw new UnknownEpoch(`the boundary of epoch ${epoch} is not known`)
  return found
}

/** The first split that took the user away after the cursor's place; later ones are met in the new shard. */
function splitOf(history: ShardHistory, user: string, cursor: Cursor): ShardSplitBoundary | undefined {
  const lane = laneOf(user)
  const position = positionEpoch(cursor.lastApplied)
  return history.splits.find(split => split.lanes.includes(lane) && epochOf(split.splitAt) >= position)
}
