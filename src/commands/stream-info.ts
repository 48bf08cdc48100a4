// XINFO and its subcommands. Used by: stream-commands. Uses: stream-info-full (entries, groups), stream-info-progress.
// Field names and their order are Redis' own; consumers have the times of Redis 7.2.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import type { Reply } from '../resp/reply.js'
import type { Consumer, ConsumerGroup, Stream } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { ListedReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, COUNT_ALL, granted, streamAt, subcommandSyntax, writeEntry } from './stream-arguments.js'
import { idempotenceDefaults } from './stream-idempotence.js'
import { LISTED_AT_ONCE, writeInFull } from './stream-info-full.js'
import { factsOf, NEVER, writeAges, writeProgress } from './stream-info-progress.js'
import type { InfoFacts } from './stream-info-progress.js'

const FULL_COUNT_DEFAULT = 10

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
  writeInFull(ctx, stream, count, out => {
    if (streamCapacity) writeCapacity(out, stream)
  })
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

/** Many items are written as the client takes them, each as it is then. */
function writeListed<T>(ctx: CommandContext, items: readonly T[], write: (reply: Reply, item: T) => void): void {
  if (items.length > LISTED_AT_ONCE && ctx.mayStream) return ctx.stream(new ListedReply(items, write))
  for (const item of items) write(ctx.reply, item)
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
    const stream = streamNeeded(ctx, key)
    const facts = factsOf(ctx)
    const ages = ctx.server.config.values.streamGroupAges
    const found = stream.groups()
    ctx.reply.array(found.length)
    writeListed(ctx, found, (reply, group) => writeGroup(reply, group, facts, ages))
  },
})

function writeGroup(reply: Reply, group: ConsumerGroup, facts: InfoFacts, ages: boolean): void {
  reply.map(ages ? 8 : 6)
  reply.latin1('name')
  reply.latin1(group.name)
  reply.latin1('consumers')
  reply.integer(group.consumerCount)
  reply.latin1('pending')
  reply.integer(group.pendingCount)
  reply.latin1('last-delivered-id')
  reply.streamId(group.lastDeliveredId)
  writeProgress(reply, group, facts)
  if (ages) writeAges(reply, group, facts)
}

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
    const found = group.consumers()
    const { nowMs } = ctx
    ctx.reply.array(found.length)
    writeListed(ctx, found, (reply, consumer) => {
      group.catchUp()
      writeConsumer(reply, consumer, nowMs)
    })
  },
})

function writeConsumer(reply: Reply, consumer: Consumer, nowMs: number): void {
  const { activeMs } = consumer
  reply.map(4)
  reply.latin1('name')
  reply.latin1(consumer.name)
  reply.latin1('pending')
  reply.integer(consumer.pendingCount)
  reply.latin1('idle')
  reply.integer(Math.max(nowMs - consumer.seenMs, 0))
  reply.latin1('inactive')
  reply.integer(activeMs === undefined ? NEVER : Math.max(nowMs - activeMs, 0))
}

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
