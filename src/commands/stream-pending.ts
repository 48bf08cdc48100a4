// XPENDING: what of a group is delivered and not acknowledged. Used by: stream-commands. Uses: stream-arguments.

import { ReplyError, replyErrors } from '../base/errors.js'
import { ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { ConsumerGroup, Pending } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { endAt, groupAt, startAt, takeCount } from './stream-arguments.js'

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

function writeSummary(reply: Reply, group: ConsumerGroup): void {
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
  const owners = [...group.consumers()].filter(consumer => consumer.pendingCount > 0)
  reply.array(owners.length)
  for (const owner of owners) {
    reply.array(2)
    reply.latin1(owner.name)
    reply.latin1(String(owner.pendingCount))
  }
}

function rowsOf(ctx: CommandContext, group: ConsumerGroup, options: PendingOptions): Pending[] {
  const { start, end, count, minIdleMs } = options
  const owner = options.consumer === undefined ? undefined : group.consumer(options.consumer)
  if (count === 0 || (options.consumer !== undefined && owner === undefined)) return []
  const range =
    minIdleMs > 0
      ? group.pendingIdleRange(start, end, ctx.nowMs - minIdleMs, owner)
      : group.pendingRange(start, end, owner)
  const rows: Pending[] = []
  for (const row of range) {
    rows.push(row)
    if (rows.length === count) break
  }
  return rows
}

function runPending(ctx: CommandContext, options: PendingOptions): void {
  const { group } = groupAt(ctx, options.key, options.group)
  if (options.summary) return writeSummary(ctx.reply, group)
  const rows = rowsOf(ctx, group, options)
  const reply = ctx.reply
  reply.array(rows.length)
  for (const row of rows) {
    reply.array(4)
    reply.streamId(row.id)
    reply.latin1(row.ownerName)
    reply.integer(row.idleMs(ctx.nowMs))
    reply.integer(row.deliveries)
  }
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
