// XPENDING: what of a group is delivered and not acknowledged. Used by: stream-commands. Uses: stream-arguments.

import { ReplyError, replyErrors } from '../base/errors.js'
import { ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { LongRead } from '../types/long-read.js'
import type { Consumer, ConsumerGroup, Pending } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { ListedReply, ReadReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { endAt, groupAt, startAt, takeCount } from './stream-arguments.js'
import { LISTED_AT_ONCE } from './stream-info-full.js'

interface PendingOptions {
  key: string
  group: string
  summary: boolean
  minIdleMs: number
  start: StreamId
  end: StreamId
  count: number
  consumer: string | undefined
}

const ARGC_SUMMARY = 3
const ARGC_RANGE_MIN = 6
const ARGC_IDLE_MIN = 8
const ARGC_MAX = 9
/** Of a consumer that owns so much of a PEL, idle entries are looked for among everybody's. */
const SHARE_OF_ALL = 1 / 8

function parsePending(a: Args): PendingOptions {
  const argc = a.request.argc
  const options: PendingOptions = {
    key: a.key(),
    group: a.text(),
    summary: argc === ARGC_SUMMARY,
    minIdleMs: 0,
    start: ID_MIN,
    end: ID_MAX,
    count: 0,
    consumer: undefined,
  }
  if (options.summary) return options
  if (argc < ARGC_RANGE_MIN || argc > ARGC_MAX) throw new ReplyError(replyErrors.syntax)
  if (a.take('IDLE')) {
    options.minIdleMs = a.integer()
    if (argc < ARGC_IDLE_MIN) throw new ReplyError(replyErrors.syntax)
  }
  const startIndex = a.at
  a.at += 2
  options.count = takeCount(a)
  options.start = startAt(a.request, startIndex)
  options.end = endAt(a.request, startIndex + 1)
  if (a.remaining > 0) options.consumer = a.text()
  return options
}

function writeSummary(ctx: CommandContext, group: ConsumerGroup): void {
  const { reply } = ctx
  const first = group.firstPendingId()
  const last = group.lastPendingId()
  reply.array(4)
  reply.integer(group.pendingCount)
  if (first === undefined || last === undefined) {
    reply.nullBulk()
    reply.nullBulk()
    reply.nullArray()
    return
  }
  reply.streamId(first)
  reply.streamId(last)
  // As they are now: together they make up the count.
  const owners: Owner[] = []
  for (const { name, pendingCount } of group.consumers()) if (pendingCount > 0) owners.push({ name, pendingCount })
  reply.array(owners.length)
  if (owners.length > LISTED_AT_ONCE && ctx.mayStream) return ctx.stream(new ListedReply(owners, writeOwner))
  for (const owner of owners) writeOwner(reply, owner)
}

interface Owner {
  readonly name: string
  readonly pendingCount: number
}

function writeOwner(reply: Reply, { name, pendingCount }: Owner): void {
  reply.array(2)
  reply.latin1(name)
  reply.latin1(String(pendingCount))
}

function writeRows(ctx: CommandContext, group: ConsumerGroup, options: PendingOptions): void {
  const { start, end, count, minIdleMs } = options
  const { reply, nowMs } = ctx
  const owner = options.consumer === undefined ? undefined : group.consumer(options.consumer)
  if (count === 0 || group.pendingCount === 0 || (options.consumer !== undefined && owner === undefined)) {
    return reply.array(0)
  }
  const most = Math.min(count, owner?.pendingCount ?? group.pendingCount)
  if (most > LISTED_AT_ONCE && ctx.mayStream && writeInPieces(ctx, group, options, owner)) return
  const range =
    minIdleMs > 0 ? group.pendingIdleRange(start, end, nowMs - minIdleMs, owner) : group.pendingRange(start, end, owner)
  const rows: Pending[] = []
  for (const row of range) {
    rows.push(row)
    if (rows.length === count) break
  }
  reply.array(rows.length)
  for (const row of rows) writeRow(reply, row, nowMs)
}

/** False when they are few, or the records of others would have to be looked at for these. */
function writeInPieces(
  ctx: CommandContext,
  group: ConsumerGroup,
  options: PendingOptions,
  owner: Consumer | undefined,
): boolean {
  const { start, end, count, minIdleMs } = options
  const { nowMs } = ctx
  let read: LongRead<(row: Pending) => void>
  let rows: number
  if (minIdleMs > 0) {
    if (owner !== undefined && owner.pendingCount < group.pendingCount * SHARE_OF_ALL) return false
    const found = group.gatherIdle({ start, end, deliveredMaxMs: nowMs - minIdleMs, max: count, consumer: owner })
    rows = found.count
    read = found
  } else {
    const span = group.pendingSpan(start, end, count, owner)
    rows = span.to - span.from
    if (rows <= LISTED_AT_ONCE) return false
    read = group.pendingRead(rows, owner, span.from)
  }
  ctx.reply.array(rows)
  if (rows > LISTED_AT_ONCE) ctx.stream(new ReadReply(read, reply => row => writeRow(reply, row, nowMs)))
  else while (read.next(row => writeRow(ctx.reply, row, nowMs)));
  return true
}

function writeRow(reply: Reply, row: Pending, nowMs: number): void {
  reply.array(4)
  reply.streamId(row.id)
  reply.latin1(row.ownerName)
  reply.integer(row.idleMs(nowMs))
  reply.integer(row.deliveries)
}

function runPending(ctx: CommandContext, options: PendingOptions): void {
  const { group } = groupAt(ctx, options.key, options.group)
  if (options.summary) writeSummary(ctx, group)
  else writeRows(ctx, group, options)
}

export const xpending = defineCommand<PendingOptions>({
  name: 'xpending',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Pending entries of a group: a summary, or the entries of a range, with owner, idle time and deliveries.',
  complexity: 'O(log N) to find the start, then O(1) per entry; O(C) in the consumers for the summary',
  tips: ['nondeterministic_output'],
  parse: parsePending,
  run: runPending,
})
