// XREADGROUP and XACK. Uses: stream-read-options, stream-read (shape of the reply), stream-arguments.
// What is journaled per stream: a delivery as the same read with COUNT <delivered>, which replays alike whatever the
// stream holds by then (CLAIM belongs to it: what is claimed follows from the clock and the pending entries); a read
// of history when it raised delivery counts; else a consumer that it created.

import { ReplyError } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { equalIds, formatId, ID_MAX, nextId } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { StreamIdList } from '../base/stream-id-list.js'
import type { Reply } from '../resp/reply.js'
import { oneMore } from '../types/stream/count.js'
import type { Consumer, ConsumerGroup, Pending, Stream, WireSlice } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext, Wait } from './context.js'
import { ReadReply } from './long-reply.js'
import type { LongReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, listIds, streamAt, streamIfAny } from './stream-arguments.js'
import { claim, claimable, DELIVERY_BYTES, DeliveriesReply, hasClaimable, nextClaimMs } from './stream-claim-read.js'
import type { ReadBudget } from './stream-read-budget.js'
import { closeReplies, EntriesReply, longRead, mayBeLong, writeStreamReplies } from './stream-read.js'
import type { StreamReply } from './stream-read.js'
import {
  BLOCK_NOT,
  budgetOf,
  ID_DOLLAR,
  ID_LAST,
  ID_MALFORMED,
  ID_NEW,
  parseRead,
  refuseBlockInScript,
} from './stream-read-options.js'
import type { ReadOptions } from './stream-read-options.js'

function parseReadGroup(a: Args): ReadOptions {
  const options = parseRead(a, true)
  for (let i = 0; i < options.ids.length; i++) {
    // Redis keeps '>' as the highest ID, so that one spelled out means the same.
    if (equalIds(options.ids[i], ID_MAX)) options.ids[i] = ID_NEW
  }
  return options
}

/** One stream of the call, found. */
interface Target {
  readonly key: string
  readonly stream: Stream
  readonly group: ConsumerGroup
  /** ID_NEW, or where history begins. */
  readonly id: StreamId
}

/** @throws ReplyError, in Redis' order of checks, stream by stream */
function targetsOf(ctx: CommandContext, options: ReadOptions): Target[] {
  const targets: Target[] = []
  for (let i = 0; i < options.keys.length; i++) {
    const key = options.keys[i]
    const id = options.ids[i]
    const stream = streamAt(ctx, key)
    const group = stream?.group(options.group)
    if (stream === undefined || group === undefined) {
      throw new ReplyError(streamErrors.noGroupInRead(key, options.group))
    }
    if (id === ID_DOLLAR) throw new ReplyError(streamErrors.meaninglessInGroup('$'))
    if (id === ID_LAST) throw new ReplyError(streamErrors.meaninglessInGroup('+'))
    if (id === ID_MALFORMED) throw new ReplyError(streamErrors.invalidId)
    targets.push({ key, stream, group, id })
  }
  return targets
}

/** The consumer, created on its first use. What was created and not delivered to is the caller's to journal. */
export function useConsumer(ctx: CommandContext, key: string, group: ConsumerGroup, name: string): UsedConsumer {
  const used = group.ensureConsumer(name, ctx.nowMs)
  if (used.created) ctx.notify('t', 'xgroup-createconsumer', key)
  used.consumer.setSeen(ctx.nowMs)
  return used
}

export interface UsedConsumer {
  readonly consumer: Consumer
  readonly created: boolean
}

/** Takes what is there for one stream, or undefined when the client may wait for it. */
function take(
  ctx: CommandContext,
  options: ReadOptions,
  target: Target,
  budget: ReadBudget | undefined,
): StreamReply | undefined {
  const { key, group } = target
  const { consumer, created } = useConsumer(ctx, key, group, options.consumer)
  let journaled = false
  let reply: StreamReply | undefined
  if (target.id !== ID_NEW) {
    const rows = historyOf(target, consumer, options.count, budget)
    const history = new HistoryReply(target, rows, longHistory(ctx, target.stream, rows))
    journaled = history.redeliver(ctx, consumer)
    if (journaled)
      effectOfRead(ctx, options, key, budget === undefined ? options.count : rows.length, formatId(target.id))
    reply = history
  } else if (options.claimIdleMs !== undefined) {
    const deliveries = claimAndDeliver(ctx, options, target, consumer, budget)
    journaled = deliveries.count > 0
    if (journaled) {
      consumer.setActive(ctx.nowMs)
      effectOfRead(ctx, options, key, deliveries.count, '>')
      reply = deliveries
    }
  } else if (group.hasNew()) {
    const count = budget === undefined ? options.count : upcoming(group, options.count, budget)
    const long =
      budget === undefined ? longRead(ctx, key, target.stream, group.lastDeliveredId, options.count) : undefined
    const entries = long === undefined ? deliver(ctx, options, target, consumer, count) : undefined
    if (long !== undefined) deliverAll(ctx, options, target, consumer, long.count)
    consumer.setActive(ctx.nowMs)
    journaled = true
    reply = entries ?? long
    effectOfRead(ctx, options, key, entries?.count ?? long!.count, '>')
  }
  if (created && !journaled) ctx.effect('XGROUP', 'CREATECONSUMER', key, options.group, options.consumer)
  return reply
}

/** Entries delivered at a time when there are many: the pages of one batch are in memory together. */
const DELIVERED_AT_ONCE = 10_000

function deliver(
  ctx: CommandContext,
  options: ReadOptions,
  target: Target,
  consumer: Consumer,
  max: number,
): EntriesReply {
  return new EntriesReply(target.key, target.group.deliver(consumer, max, ctx.nowMs, options.noAck))
}

/** Delivers `count` entries, which are there, without keeping them. */
function deliverAll(
  ctx: CommandContext,
  options: ReadOptions,
  target: Target,
  consumer: Consumer,
  count: number,
): void {
  for (let left = count; left > 0;)
    left -= deliver(ctx, options, target, consumer, Math.min(left, DELIVERED_AT_ONCE)).count
}

/** How many of the next `max` entries may be delivered. */
function upcoming(group: ConsumerGroup, max: number, budget: ReadBudget, extraBytes = 0): number {
  let entries = 0
  for (const slice of budget.fitting(group.upcoming(max), extraBytes)) entries += slice.entries
  return entries
}

/** CLAIM: what waits for somebody first, then what is new, COUNT of both together. */
function claimAndDeliver(
  ctx: CommandContext,
  options: ReadOptions,
  { key, group }: Target,
  consumer: Consumer,
  budget: ReadBudget | undefined,
): DeliveriesReply {
  const query = { nowMs: ctx.nowMs, idleMsMin: options.claimIdleMs!, max: options.count }
  const claimed = claimable(group, query, budget)
  claim(group, consumer, claimed, ctx.nowMs)
  let rest = options.count - claimed.length
  if (budget !== undefined) rest = upcoming(group, rest, budget, DELIVERY_BYTES)
  const fresh = rest > 0 ? group.deliver(consumer, rest, ctx.nowMs, options.noAck) : []
  return new DeliveriesReply(key, claimed, fresh, ctx.nowMs)
}

function effectOfRead(ctx: CommandContext, options: ReadOptions, key: string, count: number, id: string): void {
  const { group, consumer } = options
  if (options.claimIdleMs !== undefined) {
    const claimed = ['CLAIM', options.claimIdleMs, ...(options.noAck ? ['NOACK'] : [])]
    ctx.effect('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, ...claimed, 'STREAMS', key, id)
  } else if (options.noAck) {
    ctx.effect('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'NOACK', 'STREAMS', key, id)
  } else {
    ctx.effect('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'STREAMS', key, id)
  }
}

/** About what an entry that was deleted takes in the reply. */
const DELETED_BYTES = 32

/** At most `max` of the consumer's pending entries after target.id. Collected first: reading them changes them. */
function historyOf(target: Target, consumer: Consumer, max: number, budget: ReadBudget | undefined): Pending[] {
  const rows: Pending[] = []
  for (const row of target.group.pendingRange(nextId(target.id)!, ID_MAX, consumer)) {
    if (budget !== undefined && !budget.takes(target.stream.get(row.id)?.bytesOf(1) ?? DELETED_BYTES)) break
    rows.push(row)
    if (rows.length === max) break
  }
  return rows
}

/** Pending entries as the client gets them: the entry, or [id, null array] when it was deleted from the stream. */
class HistoryReply implements StreamReply {
  readonly key: string
  /** Those found, in the order of the rows; none when they are left to the rest. */
  readonly #slices: (WireSlice | undefined)[] = []

  constructor(
    readonly target: Target,
    readonly rows: readonly Pending[],
    readonly rest: LongReply | undefined,
  ) {
    this.key = target.key
  }

  /** Counts the delivery of each entry that still exists; false when there was none. */
  redeliver(ctx: CommandContext, consumer: Consumer): boolean {
    const { stream, group } = this.target
    let any = false
    for (const row of this.rows) {
      const slice = stream.get(row.id)
      if (this.rest === undefined) this.#slices.push(slice)
      if (slice === undefined) continue
      group.setPending(row.id, consumer, ctx.nowMs, oneMore(row.deliveries))
      any = true
    }
    group.settlePending()
    if (any) consumer.setActive(ctx.nowMs)
    return any
  }

  write(reply: Reply): void {
    reply.array(this.rows.length)
    if (this.rest !== undefined) return
    for (let i = 0; i < this.rows.length; i++) {
      const slice = this.#slices[i]
      writeFound(reply, this.rows[i].id, slice?.bytes, slice?.from ?? 0, slice?.to ?? 0)
    }
  }
}

function writeFound(reply: Reply, id: StreamId, bytes: Buffer | undefined, from: number, to: number): void {
  if (bytes !== undefined) return reply.wire(bytes, from, to)
  reply.array(2)
  reply.streamId(id)
  reply.nullArray()
}

/** The entries of pending rows, to be sent as the client takes them; undefined when they are few. */
function longHistory(ctx: CommandContext, stream: Stream, rows: readonly Pending[]): LongReply | undefined {
  if (!mayBeLong(ctx, stream, rows.length)) return undefined
  const read = stream.longReadOf(rows.map(row => row.id))
  return new ReadReply(read, reply => (id, bytes, from, to) => writeFound(reply, id, bytes, from, to))
}

/** Replies with what is there for all streams; false, and nothing written, when there is nothing. */
function serveTargets(ctx: CommandContext, options: ReadOptions, targets: readonly Target[]): boolean {
  const replies: StreamReply[] = []
  const budget = budgetOf(options)
  try {
    for (let i = 0; i < targets.length; i++) {
      if (budget?.spent === true) break
      budget?.begin(targets[i].key, ctx.reply.protocol)
      const reply = take(ctx, options, targets[i], budget)
      if (reply !== undefined) replies.push(reply)
    }
  } catch (error) {
    closeReplies(replies)
    throw error
  }
  if (replies.length === 0) return false
  writeStreamReplies(ctx, replies)
  return true
}

/** Waits for new entries, all IDs being '>' since history never waits; answers with the first stream that has some. */
class ReadGroupWait implements Wait {
  readonly kind = 'stream'
  readonly keys: readonly string[]
  readonly timeoutMs: number
  retryMs: number | undefined

  constructor(
    readonly options: ReadOptions,
    ctx: CommandContext,
  ) {
    this.keys = [...new Set(options.keys)]
    this.timeoutMs = options.blockMs
    this.#lookAhead(ctx)
  }

  serve(ctx: CommandContext, key: string): boolean {
    const { options } = this
    const stream = streamIfAny(ctx, key)
    if (stream === undefined) {
      ctx.reply.error(streamErrors.keyGone)
      return true
    }
    const group = stream.group(options.group)
    if (group === undefined) {
      ctx.reply.error(streamErrors.groupGone)
      return true
    }
    const claims = options.claimIdleMs !== undefined && hasClaimable(ctx, group, options.claimIdleMs)
    if ((claims || group.hasNew()) && serveTargets(ctx, options, [{ key, stream, group, id: ID_NEW }])) return true
    this.#lookAhead(ctx)
    return false
  }

  /** With CLAIM, when to look again: as soon as a pending entry of one of the streams may be idle long enough. */
  #lookAhead(ctx: CommandContext): void {
    const { claimIdleMs, group } = this.options
    if (claimIdleMs === undefined) return
    const waits = this.keys.map(key => nextClaimMs(streamIfAny(ctx, key), group, ctx.nowMs, claimIdleMs))
    this.retryMs = Math.min(...waits)
  }

  onTimeout(reply: Reply): void {
    reply.nullArray()
  }
}

export const xreadgroup = defineCommand<ReadOptions>({
  name: 'xreadgroup',
  arity: -7,
  flags: Flag.Write | Flag.Blocking | Flag.MovableKeys,
  categories: ['stream'],
  keys: [
    {
      flags: ['RO', 'access'],
      begin: { keyword: 'STREAMS', startFrom: 4 },
      find: { lastKey: -1, step: 1, limit: 2 },
    },
  ],
  group: 'stream',
  since: '5.0.0',
  summary: 'New or pending entries of one or more streams for a consumer of a group; can wait for new ones.',
  complexity: 'O(log N) per stream, then a copy of the bytes of the entries and a record per entry',
  parse: parseReadGroup,
  run(ctx, options) {
    refuseBlockInScript(ctx, options.blockMs)
    if (serveTargets(ctx, options, targetsOf(ctx, options))) return
    if (options.blockMs === BLOCK_NOT || !ctx.mayBlock) ctx.reply.nullArray()
    else ctx.block(new ReadGroupWait(options, ctx))
  },
})

interface AckOptions {
  key: string
  group: string
  ids: StreamIdList | ReplyError
}

export const xack = defineCommand<AckOptions>({
  name: 'xack',
  arity: -4,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Takes entries out of the pending entries of a group and answers how many were there.',
  complexity: 'O(log N) per ID',
  parse: a => ({ key: a.key(), group: a.text(), ids: attempt(a, listIds) }),
  run(ctx, options) {
    const group = streamAt(ctx, options.key)?.group(options.group)
    if (group === undefined) return ctx.reply.integer(0)
    const acknowledged = group.ackAll(granted(options.ids))
    ctx.reply.integer(acknowledged)
    if (acknowledged > 0) ctx.changed(acknowledged)
  },
})
