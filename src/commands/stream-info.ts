// XINFO and its subcommands. Used by: stream-commands. Uses: stream-arguments.
// Field names and their order are Redis' own; consumers have the times of Redis 7.2.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { Consumer, ConsumerGroup, Count, Pending, Stream } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import {
  attempt,
  COUNT_ALL,
  granted,
  streamAt,
  subcommandSyntax,
  writeEntries,
  writeEntry,
} from './stream-arguments.js'
import { idempotenceDefaults } from './stream-idempotence.js'

const FULL_COUNT_DEFAULT = 10
const NEVER = -1
const TWO_32 = 4294967296

/** @throws ReplyError when the key does not exist or is no stream */
function streamNeeded(ctx: CommandContext, key: string): Stream {
  const stream = streamAt(ctx, key)
  if (stream === undefined) throw new ReplyError(replyErrors.noSuchKey)
  return stream
}

interface StreamOptions {
  key: string
  /** Entries per list of the full form, COUNT_ALL for all; undefined: the short form. */
  fullCount: number | undefined | ReplyError
}

function parseFullCount(a: Args): number | undefined {
  if (a.remaining === 0) return undefined
  if (!a.take('FULL')) throw subcommandSyntax('XINFO', a)
  if (a.remaining === 0) return FULL_COUNT_DEFAULT
  if (a.remaining !== 2 || !a.take('COUNT')) throw subcommandSyntax('XINFO', a)
  const count = a.integer()
  if (count < 0) return FULL_COUNT_DEFAULT
  return count === 0 ? COUNT_ALL : Math.min(count, COUNT_ALL)
}

/** The fields that both forms of XINFO STREAM begin with; how many says streamFields(). */
function writeStreamFields(ctx: CommandContext, stream: Stream): void {
  const { reply } = ctx
  reply.latin1('length')
  reply.integer(stream.length)
  reply.latin1('radix-tree-keys')
  reply.integer(stream.nodeCount)
  reply.latin1('radix-tree-nodes')
  reply.integer(stream.nodeCount + 1)
  reply.latin1('last-generated-id')
  reply.streamId(stream.lastId)
  reply.latin1('max-deleted-entry-id')
  reply.streamId(stream.maxDeletedId)
  reply.latin1('entries-added')
  reply.integer(stream.entriesAdded)
  reply.latin1('recorded-first-entry-id')
  reply.streamId(stream.firstId)
  if (stream.usesIdempotence) writeIdempotence(ctx, stream)
}

/** Only where it is in use: clients of Redis 7 count the fields. */
function writeIdempotence(ctx: CommandContext, stream: Stream): void {
  const { reply } = ctx
  const { durationS, sizeMax, producers, ids, added, duplicates } = stream.idempotence.figures(
    ctx.nowMs,
    idempotenceDefaults(ctx),
  )
  reply.latin1('idmp-duration')
  reply.integer(durationS)
  reply.latin1('idmp-maxsize')
  reply.integer(sizeMax)
  reply.latin1('pids-tracked')
  reply.integer(producers)
  reply.latin1('iids-tracked')
  reply.integer(ids)
  reply.latin1('iids-added')
  reply.integer(added)
  reply.latin1('iids-duplicates')
  reply.integer(duplicates)
}

const streamFields = (stream: Stream): number => (stream.usesIdempotence ? 13 : 7)

function writeShort(ctx: CommandContext, stream: Stream): void {
  const { reply } = ctx
  reply.map(streamFields(stream) + 3)
  writeStreamFields(ctx, stream)
  reply.latin1('groups')
  reply.integer(stream.groupCount)
  reply.latin1('first-entry')
  writeEntry(reply, stream.first())
  reply.latin1('last-entry')
  writeEntry(reply, stream.last())
}

function writeFull(ctx: CommandContext, stream: Stream, count: number): void {
  const { reply } = ctx
  const { streamCapacity } = ctx.server.config.values
  reply.map(streamFields(stream) + (streamCapacity ? 3 : 2))
  writeStreamFields(ctx, stream)
  reply.latin1('entries')
  writeEntries(reply, [...stream.range(ID_MIN, ID_MAX, count)])
  reply.latin1('groups')
  reply.array(stream.groupCount)
  for (const group of stream.groups()) writeFullGroup(ctx, group, count)
  if (streamCapacity) writeCapacity(reply, stream)
}

function writeCapacity(reply: Reply, stream: Stream): void {
  const capacity = stream.capacity()
  const facts = [
    ['payload-entries', capacity.payloadEntries],
    ['payload-bytes', capacity.payloadBytes],
    ['payload-bytes-cached', capacity.payloadBytesCached],
    ['groups', capacity.groups],
    ['consumers', capacity.consumers],
    ['pending', capacity.pending],
    ['delivery-bytes', capacity.deliveryBytes],
  ] as const
  reply.latin1('capacity')
  reply.map(facts.length)
  for (const [name, value] of facts) {
    reply.latin1(name)
    reply.integer(value)
  }
}

function writeFullGroup(ctx: CommandContext, group: ConsumerGroup, count: number): void {
  const { reply } = ctx
  reply.map(8)
  reply.latin1('name')
  reply.latin1(group.name)
  reply.latin1('last-delivered-id')
  reply.streamId(group.lastDeliveredId)
  writeProgress(ctx, group)
  reply.latin1('pel-count')
  reply.integer(group.pendingCount)
  reply.latin1('nacked-count')
  reply.integer(group.releasedCount)
  reply.latin1('pending')
  const rows = firstRows(group.pendingRange(ID_MIN, ID_MAX), count)
  reply.array(rows.length)
  for (const row of rows) {
    reply.array(4)
    reply.streamId(row.id)
    reply.latin1(row.ownerName)
    reply.integer(row.deliveredMs)
    reply.integer(row.deliveries)
  }
  reply.latin1('consumers')
  reply.array(group.consumerCount)
  for (const consumer of group.consumers()) writeFullConsumer(reply, group, consumer, count)
}

function writeFullConsumer(reply: Reply, group: ConsumerGroup, consumer: Consumer, count: number): void {
  reply.map(5)
  reply.latin1('name')
  reply.latin1(consumer.name)
  reply.latin1('seen-time')
  reply.integer(consumer.seenMs)
  reply.latin1('active-time')
  reply.integer(consumer.activeMs ?? NEVER)
  reply.latin1('pel-count')
  reply.integer(consumer.pendingCount)
  reply.latin1('pending')
  const rows = firstRows(group.pendingRange(ID_MIN, ID_MAX, consumer), count)
  reply.array(rows.length)
  for (const row of rows) {
    reply.array(3)
    reply.streamId(row.id)
    reply.integer(row.deliveredMs)
    reply.integer(row.deliveries)
  }
}

function firstRows(range: Iterable<Pending>, count: number): Pending[] {
  const rows: Pending[] = []
  for (const row of range) {
    rows.push(row)
    if (rows.length === count) break
  }
  return rows
}

function writeProgress({ reply, server }: CommandContext, group: ConsumerGroup): void {
  const { streamExactLag } = server.config.values
  reply.latin1('entries-read')
  writeCount(reply, streamExactLag ? group.position : group.entriesRead)
  reply.latin1('lag')
  writeCount(reply, streamExactLag ? group.lag() : group.estimatedLag())
}

/** In milliseconds, null without such an entry: since a delivery the clock tells, since an addition the entry's ID. */
function writeAges({ reply, nowMs }: CommandContext, group: ConsumerGroup): void {
  const pendingSinceMs = group.oldestDeliveryMs()
  const undelivered = group.firstUndeliveredId()
  reply.latin1('oldest-pending-age')
  writeCount(reply, pendingSinceMs === undefined ? undefined : Math.max(nowMs - pendingSinceMs, 0))
  reply.latin1('oldest-undelivered-age')
  writeCount(
    reply,
    undelivered === undefined ? undefined : Math.max(nowMs - (undelivered.msHi * TWO_32 + undelivered.msLo), 0),
  )
}

function writeCount(reply: Reply, count: Count | undefined): void {
  if (count === undefined) reply.nullBulk()
  else reply.integer(count)
}

const stream = defineCommand<StreamOptions>({
  name: 'xinfo|stream',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'Facts about a stream; in full with its entries, groups, consumers and pending entries.',
  complexity: 'O(1); O(N) in what the full form lists',
  parse: a => ({ key: a.key(), fullCount: attempt(a, parseFullCount) }),
  run(ctx, options) {
    const found = streamNeeded(ctx, options.key)
    const fullCount = granted(options.fullCount)
    if (fullCount === undefined) writeShort(ctx, found)
    else writeFull(ctx, found, fullCount)
  },
})

const groups = defineCommand<string>({
  name: 'xinfo|groups',
  arity: 3,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'The consumer groups of a stream: progress, lag and how much is pending.',
  complexity: 'O(G) in the groups',
  parse: a => a.key(),
  run(ctx, key) {
    const found = streamNeeded(ctx, key)
    const reply = ctx.reply
    const ages = ctx.server.config.values.streamGroupAges
    reply.array(found.groupCount)
    for (const group of found.groups()) {
      reply.map(ages ? 8 : 6)
      reply.latin1('name')
      reply.latin1(group.name)
      reply.latin1('consumers')
      reply.integer(group.consumerCount)
      reply.latin1('pending')
      reply.integer(group.pendingCount)
      reply.latin1('last-delivered-id')
      reply.streamId(group.lastDeliveredId)
      writeProgress(ctx, group)
      if (ages) writeAges(ctx, group)
    }
  },
})

interface ConsumersOptions {
  key: string
  group: string
}

const consumers = defineCommand<ConsumersOptions>({
  name: 'xinfo|consumers',
  arity: 4,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'The consumers of a group: what they have pending and when they were last seen and active.',
  complexity: 'O(C) in the consumers',
  tips: ['nondeterministic_output'],
  parse: a => ({ key: a.key(), group: a.text() }),
  run(ctx, options) {
    const group = streamNeeded(ctx, options.key).group(options.group)
    if (group === undefined) throw new ReplyError(streamErrors.noGroup(options.key, options.group))
    const reply = ctx.reply
    reply.array(group.consumerCount)
    for (const consumer of group.consumers()) {
      const { activeMs } = consumer
      reply.map(4)
      reply.latin1('name')
      reply.latin1(consumer.name)
      reply.latin1('pending')
      reply.integer(consumer.pendingCount)
      reply.latin1('idle')
      reply.integer(Math.max(ctx.nowMs - consumer.seenMs, 0))
      reply.latin1('inactive')
      reply.integer(activeMs === undefined ? NEVER : Math.max(ctx.nowMs - activeMs, 0))
    }
  },
})

const help = helpRow(
  'xinfo',
  'stream',
  ['stream'],
  [
    ['CONSUMERS <key> <group>', 'The consumers of the group.'],
    ['GROUPS <key>', 'The consumer groups of the stream.'],
    [
      'STREAM <key> [FULL [COUNT <count>]]',
      'Facts about the stream; FULL lists entries, groups and pending entries too.',
    ],
  ],
)

export const xinfo = defineCommand<undefined>({
  name: 'xinfo',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'stream',
  since: '5.0.0',
  summary: 'Facts about streams, groups and consumers.',
  complexity: 'By subcommand',
  subcommands: [consumers, groups, help, stream],
  parse: () => undefined,
  run: () => undefined,
})
