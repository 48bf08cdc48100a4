// What redis-store and streams-store share: everything but where the events lie. Used by: these two.
// Identity, days and boundaries are the same keys and scripts in both (lua/mailbox/_retention.lua).

import type { Redis } from 'ioredis'
import type { ScriptArgument } from '../client/lua-scripts.js'
import { checkedEvents, DAY_S, RETENTION_S_MAX } from './event-group.js'
import type { EventGroup, MailboxEvent } from './event-group.js'
import { CorruptEntry, ForeignEpoch, MailboxError, Malformed } from './mailbox-error.js'
import { MailboxKeys } from './mailbox-keys.js'
import { epochOf, formatSeq, logOffsetOf, mailboxSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import { MailboxScripts, textOf } from './mailbox-scripts.js'
import type { MailboxCall } from './mailbox-scripts.js'
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
  ScannedEvent,
} from './mailbox-store.js'

export interface StoreOptions {
  readonly keys?: MailboxKeys
  /** Seconds from the beginning of the UTC day of created_at until its bucket expires; 1 to 31 days' worth. */
  readonly retentionS: number
  /** For tests: how far the scripts' clock runs ahead of the server's; 0. */
  readonly clockAheadS?: () => number
  /** For tests: called between the two Promotes of a scan, before the read. */
  readonly betweenReads?: BetweenReads
}

interface ActiveDay {
  readonly day: number
  readonly max: MailboxSeq
}

export interface Promoted extends Retention {
  readonly days: readonly ActiveDay[]
}

/** What one read gave: events in order, and whether the range holds no others. */
export interface Slice {
  readonly events: readonly ScannedEvent[]
  readonly complete: boolean
}

export abstract class ScriptStore implements MailboxStore {
  protected readonly client: Redis
  protected readonly keys: MailboxKeys
  readonly #scripts: MailboxScripts
  readonly #retentionS: number
  readonly #aheadS: () => number
  readonly #betweenReads: BetweenReads | undefined

  constructor(client: Redis, options: StoreOptions) {
    this.client = client
    this.keys = options.keys ?? new MailboxKeys()
    this.#scripts = new MailboxScripts(client)
    this.#retentionS = checkedRetention(options.retentionS)
    this.#aheadS = options.clockAheadS ?? (() => 0)
    this.#betweenReads = options.betweenReads
  }

  protected abstract readonly layout: 'buckets' | 'stream'
  /** The key a group of `day` is written to. */
  protected abstract eventsKey(place: MailboxPlace, day: number): string
  /** The words of one event for _append.lua. */
  protected abstract eventWords(seq: MailboxSeq, event: MailboxEvent): ScriptArgument[]
  /** The stream as a key of a script, in that layout. */
  protected abstract streamKeys(place: MailboxPlace): string[]
  /** Reads (afterSeq, upTo] with about `count` events, then runs `second` in the same pipeline. */
  protected abstract read(request: RangeRequest, days: readonly ActiveDay[], count: number): Promise<Slice>

  async append(group: EventGroup, epoch: number): Promise<AppendOutcome> {
    return textOf(await this.#scripts.run(this.#appendCall(group, epoch), placeName(group))) as AppendOutcome
  }

  async appendAll(groups: readonly EventGroup[], epoch: number): Promise<(AppendOutcome | MailboxError)[]> {
    return this.#runEach(groups, group => this.#appendCall(group, epoch))
  }

  async materializeFresh(records: readonly FreshRecord[]): Promise<(FreshOutcome | MailboxError)[]> {
    return this.#runEach(records, record => this.#freshCall(record))
  }

  async rangeScan(request: RangeRequest): Promise<RangePage> {
    if (isEmptyRange(request)) return { events: [], covered: request.afterSeq }
    const before = await this.#promote(request)
    checkCursor(request.afterSeq, before)
    await this.#betweenReads?.()
    for (let count = request.limit + 1; ; count *= 4) {
      const slice = await this.read(request, before.days, count)
      checkCursor(request.afterSeq, await this.#promote(request))
      if (slice.complete) this.#checkMaxima(request, before.days, slice.events)
      // A slice without one whole group is read again, larger.
      if (slice.complete || slice.events.length > 0) return pageOf(slice.events, request, slice.complete)
    }
  }

  async promote(place: MailboxPlace): Promise<Retention> {
    const { days, ...retention } = await this.#promote(place)
    return { ...retention, activeDays: days.map(({ day }) => day).sort((a, b) => a - b) }
  }

  async truncateBefore(place: MailboxPlace, before: MailboxSeq): Promise<MailboxSeq | undefined> {
    checkTruncation(place, before)
    const offset = logOffsetOf(before)
    const parts = this.keys.bucketParts(place.shard, place.epoch, place.user)
    const args = [epochDigits(place.epoch), this.#aheadS(), offset, before.toString(), ...parts]
    const call: MailboxCall = { script: 'truncate_before', keys: this.#identityKeys(place), args }
    return seqAt(place.epoch, (await this.#scripts.run(call, placeName(place))) as number)
  }

  async beginRebuild(place: MailboxPlace, ownerEpoch: number): Promise<void> {
    const parts = this.keys.bucketParts(place.shard, place.epoch, place.user)
    const keys = [this.keys.watermarks(place.shard), ...this.#identityKeys(place)]
    const args = [ownerEpoch, epochDigits(place.epoch), this.#aheadS(), ...parts]
    await this.#scripts.run({ script: 'begin_rebuild', keys, args }, placeName(place))
  }

  async #promote(place: MailboxPlace): Promise<Promoted> {
    const args = [epochDigits(place.epoch), this.#aheadS()]
    const call: MailboxCall = { script: 'promote', keys: this.#identityKeys(place), args }
    const reply = (await this.#scripts.run(call, placeName(place))) as number[]
    const days: ActiveDay[] = []
    for (let i = 3; i < reply.length; i += 3) {
      days.push({ day: reply[i], max: mailboxSeq(place.epoch, reply[i + 1]) })
    }
    return {
      gapBoundary: seqAt(place.epoch, reply[0]),
      trimWatermark: seqAt(place.epoch, reply[1]),
      activeDays: [],
      days,
    }
  }

  /** The greatest group that each day proves must have been read: a bucket that vanished alone is damage. */
  #checkMaxima(request: RangeRequest, days: readonly ActiveDay[], events: readonly ScannedEvent[]): void {
    const found = new Set(events.map(event => event.seq))
    for (const { day, max } of days) {
      if (max > request.afterSeq && max <= request.upTo && !found.has(max)) {
        throw new CorruptEntry(`${placeName(request)}: day ${day} proves ${formatSeq(max)}, which is gone`)
      }
    }
  }

  async #runEach<Item, Outcome extends string>(
    items: readonly Item[],
    callOf: (item: Item) => MailboxCall,
  ): Promise<(Outcome | MailboxError)[]> {
    if (items.length === 0) return []
    const replies = await this.#scripts.runAll(items.map(callOf), 'mailbox')
    return replies.map(reply => {
      if (reply instanceof MailboxError) return reply
      if (reply instanceof Error) throw reply
      return textOf(reply) as Outcome
    })
  }

  #appendCall(group: EventGroup, epoch: number): MailboxCall {
    const { place, day, words } = this.#words(group)
    if (place.epoch > epoch) {
      throw new ForeignEpoch(`${placeName(group)}: ${formatSeq(group.seq)} is of an epoch after ${epoch}`)
    }
    const [meta, days, index] = this.#identityKeys(place)
    const keys = [this.keys.watermarks(group.shard), meta, days, index, this.eventsKey(place, day)]
    return { script: 'append_event_group', keys, args: [epoch, ...words] }
  }

  #freshCall(record: FreshRecord): MailboxCall {
    const { group, epoch, expectedPrevious, dispatchId } = record
    const { place, day, words } = this.#words(group)
    if (place.epoch !== epoch) throw new ForeignEpoch(`${placeName(group)}: the record is not of epoch ${epoch}`)
    const [meta, days, index] = this.#identityKeys(place)
    return {
      script: 'materialize_fresh_single_recipient',
      keys: [
        this.keys.watermarks(group.shard),
        this.keys.dispatches(group.shard),
        meta,
        days,
        index,
        this.eventsKey(place, day),
        this.keys.earlierDispatches(group.shard),
      ],
      args: [epoch, expectedPrevious ?? '', logOffsetOf(group.seq), dispatchId, ...words],
    }
  }

  #words(group: EventGroup): { place: MailboxPlace; day: number; words: ScriptArgument[] } {
    const { day, events } = checkedEvents(group)
    const place = { shard: group.shard, user: group.user, epoch: epochOf(group.seq) }
    const isStream = this.layout === 'stream'
    const words: ScriptArgument[] = [
      formatSeq(group.seq),
      isStream ? group.seq.toString() : '',
      isStream ? (group.seq - 1n).toString() : '',
      day,
      this.#retentionS,
      this.#aheadS(),
      this.layout,
    ]
    for (const event of events) words.push(...this.eventWords(group.seq, event))
    return { place, day, words }
  }

  #identityKeys({ shard, epoch, user }: MailboxPlace): string[] {
    const { keys } = this
    const identity = [keys.meta(shard, epoch, user), keys.days(shard, epoch, user), keys.index(shard, epoch, user)]
    return [...identity, ...this.streamKeys({ shard, epoch, user })]
  }
}

export function placeName(place: { readonly shard: number; readonly user: string }): string {
  return `shard ${place.shard}, user ${place.user}`
}

export function checkedRetention(retentionS: number): number {
  if (!Number.isSafeInteger(retentionS) || retentionS < 1 || retentionS > RETENTION_S_MAX) {
    throw new Malformed(`retention is 1 to ${RETENTION_S_MAX} seconds (${RETENTION_S_MAX / DAY_S} days)`)
  }
  return retentionS
}

function epochDigits(epoch: number): string {
  return epoch.toString(16).padStart(4, '0')
}

function seqAt(epoch: number, offset: number): MailboxSeq | undefined {
  return offset < 0 ? undefined : mailboxSeq(epoch, offset)
}
