// The mailboxes themselves: what every backend offers. Used by: memory-store, redis-store, streams-store, materializer,
// mailbox-reader. The contract is test/mailbox/contract.

import type { EventGroup, MailboxEvent } from './event-group.js'
import { CursorExpired, ForeignEpoch, Malformed } from './mailbox-error.js'
import type { MailboxError } from './mailbox-error.js'
import { beforeEpoch, epochOf, maxSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'

export const SCAN_LIMIT_MAX = 10_000

/**
 * 'replayed': the same group again, nothing changed; 'replaced': another group of the same record and day took its
 * place; 'expired': its day is over, only the gap boundary moved; 'trimmed': it was truncated, nothing changed.
 */
export type AppendOutcome = 'appended' | 'replayed' | 'replaced' | 'expired' | 'trimmed'

/** One mailbox: a user's events of one epoch in one shard. */
export interface MailboxPlace {
  readonly shard: number
  readonly user: string
  readonly epoch: number
}

/** What became of a record on the hot path; with the last three nothing was written. */
export type FreshOutcome = AppendOutcome | 'duplicate' | 'past' | 'gap' | 'diverged'

/** A record with one recipient. */
export interface FreshRecord {
  readonly group: EventGroup
  readonly epoch: number
  /** W of all lanes as the caller knows it; undefined when they are empty. */
  readonly expectedPrevious: number | undefined
  readonly dispatchId: string
}

export interface Retention {
  /** Greatest sequence that has expired; a cursor below it may have crossed a gap. */
  readonly gapBoundary: MailboxSeq | undefined
  /** Greatest sequence that truncation may have removed. */
  readonly trimWatermark: MailboxSeq | undefined
  /** Days with events, ascending. */
  readonly activeDays: readonly number[]
}

export interface RangeRequest extends MailboxPlace {
  /** Exclusive; beforeEpoch(epoch) for everything. */
  readonly afterSeq: MailboxSeq
  /** Inclusive. Not above what is durably whole: the watermark of the user's lane. */
  readonly upTo: MailboxSeq
  /** Events; a group is never cut, so that one larger group may exceed it. */
  readonly limit: number
}

export interface ScannedEvent extends MailboxEvent {
  readonly seq: MailboxSeq
}

export interface RangePage {
  /** Ascending by sequence and ordinal; groups whole. */
  readonly events: readonly ScannedEvent[]
  /** Everything up to this is in `events` or was never there. */
  readonly covered: MailboxSeq
}

/** A read that lies between Promote and its repetition; tests put an expiry there. */
export type BetweenReads = () => void | Promise<void>

/** Appends: @throws BadGroup, FutureWindow, DaySpan, Conflict, CorruptEntry, UnknownFormat, Fenced, ShardNotOpen */
export interface MailboxStore {
  append(group: EventGroup, epoch: number): Promise<AppendOutcome>
  /** Many in one go, each for itself; users should differ, see Materializer. */
  appendAll(groups: readonly EventGroup[], epoch: number): Promise<(AppendOutcome | MailboxError)[]>
  /**
   * The hot path: append, deduplicate and move the watermark of all lanes in one step, in the order given; a refusal
   * makes those behind it answer 'gap'.
   */
  materializeFresh(records: readonly FreshRecord[]): Promise<(FreshOutcome | MailboxError)[]>
  /** @throws ForeignEpoch, CursorExpired, CorruptEntry, UnknownFormat */
  rangeScan(request: RangeRequest): Promise<RangePage>
  /** Folds what has expired into the gap boundary. @throws CorruptEntry, UnknownFormat; then nothing is half done */
  promote(place: MailboxPlace): Promise<Retention>
  /** Removes events below `before`, as far as the user has any. Answers the trim watermark. */
  truncateBefore(place: MailboxPlace, before: MailboxSeq): Promise<MailboxSeq | undefined>
  /** Forgets a damaged mailbox, so that the log can be replayed into it. `ownerEpoch`: the fence. */
  beginRebuild(place: MailboxPlace, ownerEpoch: number): Promise<void>
}

/** What a scan can be refused for before anything is read; true when there is nothing to read. */
export function isEmptyRange(request: RangeRequest): boolean {
  const { afterSeq, upTo, epoch, limit } = request
  const isStart = afterSeq === beforeEpoch(epoch)
  if ((!isStart && epochOf(afterSeq) !== epoch) || epochOf(upTo) !== epoch) {
    throw new ForeignEpoch(`the range ${afterSeq.toString(16)} to ${upTo.toString(16)} is not of epoch ${epoch}`)
  }
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > SCAN_LIMIT_MAX) {
    throw new Malformed(`the limit of a scan is 1 to ${SCAN_LIMIT_MAX}, not ${limit}`)
  }
  return upTo <= afterSeq
}

/** @throws ForeignEpoch */
export function checkTruncation(place: MailboxPlace, before: MailboxSeq): void {
  if (epochOf(before) === place.epoch) return
  throw new ForeignEpoch(`${before.toString(16)} is not of epoch ${place.epoch}`)
}

/** The greatest sequence that may be gone; undefined when nothing is. */
export function lostUpTo(retention: Retention): MailboxSeq | undefined {
  const { gapBoundary, trimWatermark } = retention
  if (gapBoundary === undefined || trimWatermark === undefined) return gapBoundary ?? trimWatermark
  return maxSeq(gapBoundary, trimWatermark)
}

/** @throws CursorExpired when something behind `afterSeq` may be gone */
export function checkCursor(afterSeq: MailboxSeq, retention: Retention): void {
  const lost = lostUpTo(retention)
  if (lost !== undefined && afterSeq < lost) throw new CursorExpired(lost)
}

/** The first `limit` events, but whole groups and at least one; `complete`: nothing else lies in the range. */
export function pageOf(events: readonly ScannedEvent[], request: RangeRequest, complete: boolean): RangePage {
  let end = events.length
  if (end > request.limit) {
    end = request.limit
    while (end > 0 && events[end - 1].seq === events[end].seq) end--
    if (end === 0) while (end < events.length && events[end].seq === events[0].seq) end++
  }
  const taken = events.slice(0, end)
  const isAll = complete && end === events.length
  return { events: taken, covered: isAll ? request.upTo : taken[taken.length - 1].seq }
}
