// Mailboxes in memory. Used by: backends. The rules of retention and replay identity in their plainest form: the other
// two stores answer the same (test/mailbox/contract).

import type { Clock } from '../base/clock.js'
import { checkedEvents, DAY_S, FUTURE_DAYS_MAX, SPAN_DAYS_MAX } from './event-group.js'
import type { EventGroup, MailboxEvent } from './event-group.js'
import {
  Conflict,
  CorruptEntry,
  DaySpan,
  ForeignEpoch,
  FutureWindow,
  MailboxError,
  UnknownFormat,
} from './mailbox-error.js'
import { epochOf, formatSeq, logOffsetOf, maxSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import { checkCursor, checkTruncation, isEmptyRange, pageOf } from './mailbox-store.js'
import type {
  AppendOutcome,
  BetweenReads,
  FreshOutcome,
  FreshRecord,
  MailboxPlace,
  MailboxStore,
  RangePage,
  RangeRequest,
  Retention,
} from './mailbox-store.js'
import type { MemoryShard, MemoryShards } from './memory-shards.js'
import { checkedRetention, placeName } from './script-store.js'

const FORMAT = 4

interface Day {
  readonly expiresAtS: number
  max: MailboxSeq
  readonly groups: Map<MailboxSeq, readonly MailboxEvent[]>
}

/** One mailbox. */
interface Box {
  format: number
  readonly days: Map<number, Day>
  gap: MailboxSeq | undefined
  trim: MailboxSeq | undefined
  highest: MailboxSeq | undefined
}

export interface MemoryStoreOptions {
  readonly clock: Clock
  /** As StoreOptions.retentionS. */
  readonly retentionS: number
  /** For tests: called between the two Promotes of a scan. */
  readonly betweenReads?: BetweenReads
}

export class MemoryMailboxStore implements MailboxStore {
  readonly #shards: MemoryShards
  readonly #options: MemoryStoreOptions
  readonly #boxes = new Map<string, Box>()

  constructor(shards: MemoryShards, options: MemoryStoreOptions) {
    checkedRetention(options.retentionS)
    this.#shards = shards
    this.#options = options
  }

  async append(group: EventGroup, epoch: number): Promise<AppendOutcome> {
    const checked = checkedEvents(group)
    if (epochOf(group.seq) > epoch) {
      throw new ForeignEpoch(`${placeName(group)}: ${formatSeq(group.seq)} is of an epoch after ${epoch}`)
    }
    this.#shards.fenced(group.shard, epoch)
    return this.#append(group, checked.day, checked.events)
  }

  async appendAll(groups: readonly EventGroup[], epoch: number): Promise<(AppendOutcome | MailboxError)[]> {
    groups.forEach(checkedEvents)
    return Promise.all(groups.map(group => this.append(group, epoch).catch(asMailboxError)))
  }

  async materializeFresh(records: readonly FreshRecord[]): Promise<(FreshOutcome | MailboxError)[]> {
    for (const { group, epoch } of records) {
      checkedEvents(group)
      if (epochOf(group.seq) !== epoch) throw new ForeignEpoch(`${placeName(group)}: not of epoch ${epoch}`)
    }
    return records.map(record => {
      try {
        return this.#fresh(record)
      } catch (error) {
        return asMailboxError(error)
      }
    })
  }

  async rangeScan(request: RangeRequest): Promise<RangePage> {
    if (isEmptyRange(request)) return { events: [], covered: request.afterSeq }
    checkCursor(request.afterSeq, await this.promote(request))
    await this.#options.betweenReads?.()
    const box = this.#boxOf(request)
    const groups = [...box.days.values()].flatMap(day => [...day.groups])
    const events = groups
      .filter(([seq]) => seq > request.afterSeq && seq <= request.upTo)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([seq, group]) => group.map(event => ({ ...event, seq })))
    checkCursor(request.afterSeq, await this.promote(request))
    return pageOf(events, request, true)
  }

  async promote(place: MailboxPlace): Promise<Retention> {
    const box = this.#boxOf(place)
    checkFormat(place, box)
    this.#fold(box)
    return {
      gapBoundary: box.gap,
      trimWatermark: box.trim,
      activeDays: [...box.days.keys()].sort((a, b) => a - b),
    }
  }

  async truncateBefore(place: MailboxPlace, before: MailboxSeq): Promise<MailboxSeq | undefined> {
    checkTruncation(place, before)
    await this.promote(place)
    const box = this.#boxOf(place)
    if (box.highest === undefined || logOffsetOf(before) === 0) return box.trim
    const below = (before - 1n) as MailboxSeq
    const trim = below < box.highest ? below : box.highest
    if (box.trim !== undefined && trim <= box.trim) return box.trim
    box.trim = trim
    for (const [number, day] of box.days) {
      for (const seq of day.groups.keys()) if (seq < before) day.groups.delete(seq)
      if (day.max < before) box.days.delete(number)
    }
    return trim
  }

  async beginRebuild(place: MailboxPlace, ownerEpoch: number): Promise<void> {
    this.#shards.fenced(place.shard, ownerEpoch)
    const box = this.#boxOf(place)
    box.format = FORMAT
    box.days.clear()
    box.highest = box.trim
  }

  /** For tests: what a store of another format would have left. */
  plantFormat(place: MailboxPlace, format: number): void {
    this.#boxOf(place).format = format
  }

  #fresh(record: FreshRecord): FreshOutcome {
    const { group, epoch, expectedPrevious, dispatchId } = record
    const shard = this.#shards.fenced(group.shard, epoch)
    const offset = logOffsetOf(group.seq)
    if (shard.lanes.every(lane => lane !== undefined && lane.w >= offset)) return 'past'
    const [first] = shard.lanes
    if (shard.lanes.some(lane => lane?.w !== first?.w || lane?.floor !== first?.floor)) return 'diverged'
    if (first?.w !== expectedPrevious) return 'gap'
    const outcome = this.#unlessDuplicate(shard, dispatchId, offset, group)
    shard.lanes.fill({ w: offset, floor: first?.floor ?? offset })
    return outcome
  }

  #unlessDuplicate(shard: MemoryShard, dispatchId: string, offset: number, group: EventGroup): FreshOutcome {
    const seen = shard.dispatches.get(dispatchId)
    if (seen === undefined ? shard.earlierDispatches.has(dispatchId) : seen !== offset) return 'duplicate'
    const { day, events } = checkedEvents(group)
    const outcome = this.#append(group, day, events)
    shard.dispatches.set(dispatchId, offset)
    return outcome
  }

  #append(group: EventGroup, dayNumber: number, events: readonly MailboxEvent[]): AppendOutcome {
    const { seq } = group
    const place = `${placeName(group)}: ${formatSeq(seq)}`
    const nowS = this.#nowS()
    if (dayNumber > Math.floor(nowS / DAY_S) + FUTURE_DAYS_MAX) {
      throw new FutureWindow(`${place}: day ${dayNumber} lies more than ${FUTURE_DAYS_MAX} days ahead`)
    }
    const box = this.#boxOf({ shard: group.shard, user: group.user, epoch: epochOf(seq) })
    checkFormat(group, box)
    const day = box.days.get(dayNumber)
    const expiresAtS = day?.expiresAtS ?? dayNumber * DAY_S + this.#options.retentionS
    const home = [...box.days].find(([, { expiresAtS: end, groups }]) => end > nowS && groups.has(seq))
    if (home && home[0] !== dayNumber) throw new Conflict(`${place} lives in another day than ${dayNumber}`)
    if (expiresAtS <= nowS) {
      if (box.trim !== undefined && seq <= box.trim) return 'trimmed'
      this.#fold(box)
      box.gap = box.gap === undefined ? seq : maxSeq(box.gap, seq)
      box.highest = box.highest === undefined ? seq : maxSeq(box.highest, seq)
      return 'expired'
    }
    if (home) {
      const stored = home[1].groups.get(seq)!
      this.#fold(box)
      home[1].groups.set(seq, events)
      return isSame(stored, events) ? 'replayed' : 'replaced'
    }
    if (box.trim !== undefined && seq <= box.trim) return 'trimmed'
    if (box.highest !== undefined && seq <= box.highest) {
      throw new CorruptEntry(`${place} is not above ${formatSeq(box.highest)} and has no identity member`)
    }
    checkSpan(place, box, dayNumber, nowS)
    this.#fold(box)
    this.#add(box, dayNumber, expiresAtS, seq, events)
    return 'appended'
  }

  #add(box: Box, dayNumber: number, expiresAtS: number, seq: MailboxSeq, events: readonly MailboxEvent[]): void {
    let day = box.days.get(dayNumber)
    if (day === undefined) {
      day = { expiresAtS, max: seq, groups: new Map() }
      box.days.set(dayNumber, day)
    }
    day.groups.set(seq, events)
    day.max = seq
    box.highest = seq
  }

  #fold(box: Box): void {
    for (const [number, day] of box.days) {
      if (day.expiresAtS > this.#nowS()) continue
      box.gap = box.gap === undefined ? day.max : maxSeq(box.gap, day.max)
      box.days.delete(number)
    }
  }

  #nowS(): number {
    return Math.floor(this.#options.clock.nowMs() / 1000)
  }

  #boxOf({ shard, user, epoch }: MailboxPlace): Box {
    const key = `${shard}:${epoch}:${user}`
    let box = this.#boxes.get(key)
    if (box === undefined) {
      box = { format: FORMAT, days: new Map(), gap: undefined, trim: undefined, highest: undefined }
      this.#boxes.set(key, box)
    }
    return box
  }
}

function checkFormat(place: { readonly shard: number; readonly user: string }, box: Box): void {
  if (box.format === FORMAT) return
  throw new UnknownFormat(`${placeName(place)}: retention_format_version is not ${FORMAT}`)
}

function checkSpan(place: string, box: Box, day: number, nowS: number): void {
  const active = [...box.days].filter(([, { expiresAtS }]) => expiresAtS > nowS).map(([number]) => number)
  const [low, high] = [Math.min(day, ...active), Math.max(day, ...active)]
  if (high - low > SPAN_DAYS_MAX) throw new DaySpan(`${place}: the active days would be ${low} to ${high}`)
}

function isSame(a: readonly MailboxEvent[], b: readonly MailboxEvent[]): boolean {
  return a.length === b.length && a.every((event, i) => isSameEvent(event, b[i]))
}

function isSameEvent(a: MailboxEvent, b: MailboxEvent): boolean {
  if (a.ordinal !== b.ordinal || a.createdAtMs !== b.createdAtMs) return false
  return a.messageId === b.messageId && a.payload.equals(b.payload)
}

function asMailboxError(error: unknown): MailboxError {
  if (error instanceof MailboxError) return error
  throw error
}
