// Publish and subscribe. Subscribing and leaving answer with confirmations, one for each name, which PubSub writes:
// they are no replies, so CLIENT REPLY does not silence them.

import { globMatch } from '../base/glob.js'
import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import type { SubscriptionKind } from './server.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'

const COMMON = Flag.PubSub | Flag.Loading | Flag.Stale

/** In a cluster shard channels are placed like keys, though they are none. */
function shardNames(last: number): KeySpec[] {
  return [{ flags: ['not_key'], begin: { index: 1 }, find: { lastKey: last, step: 1, limit: 0 } }]
}

interface Row {
  readonly kind: SubscriptionKind
  readonly since: string
  readonly summary: string
  readonly complexity: string
}

const NO_WAITING = "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"

function subscribing(name: string, { kind, ...row }: Row): CommandSpec<never> {
  return defineCommand({
    ...row,
    name,
    arity: -2,
    flags: COMMON | Flag.NoScript,
    categories: [],
    keys: kind === 'shard' ? shardNames(-1) : [],
    channels: { first: 1, last: -1, pattern: kind === 'pattern' },
    group: 'pubsub',
    parse: (args: Args) => args.texts(),
    run(ctx, wanted) {
      // Redis lets the older two into transactions for the sake of what was written before it knew better.
      if (kind === 'shard' && !ctx.mayBlock) throw new ReplyError(NO_WAITING)
      for (const one of wanted) ctx.server.pubsub.subscribe(ctx.session, kind, one)
    },
  })
}

function leaving(name: string, { kind, ...row }: Row): CommandSpec<never> {
  return defineCommand({
    ...row,
    name,
    arity: -1,
    flags: COMMON | Flag.NoScript,
    categories: [],
    keys: kind === 'shard' ? shardNames(-1) : [],
    group: 'pubsub',
    parse: (args: Args) => args.texts(),
    run({ server: { pubsub }, session }, left) {
      if (left.length === 0) pubsub.unsubscribeAll(session, kind)
      for (const one of left) pubsub.unsubscribe(session, kind, one)
    },
  })
}

function publishing(name: string, { kind, ...row }: Row): CommandSpec<never> {
  return defineCommand({
    ...row,
    name,
    arity: 3,
    flags: COMMON | Flag.Fast | Flag.MayReplicate,
    categories: [],
    keys: kind === 'shard' ? shardNames(0) : [],
    channels: { first: 1, last: 1, pattern: false },
    group: 'pubsub',
    parse: args => ({ channel: args.text(), message: args.bytes() }),
    run({ server: { pubsub }, reply }, { channel, message }) {
      reply.integer(kind === 'shard' ? pubsub.publishToShard(channel, message) : pubsub.publish(channel, message))
    },
  })
}

function parsePattern(args: Args): string | undefined {
  if (args.remaining > 1) {
    const given = args.request.text(1)
    throw new ReplyError(`ERR unknown subcommand or wrong number of arguments for '${given}'. Try PUBSUB HELP.`)
  }
  return args.remaining === 1 ? args.text() : undefined
}

function listNames({ reply, server }: CommandContext, kind: SubscriptionKind, pattern: string | undefined): void {
  const list = reply.deferArray()
  let count = 0
  for (const name of server.pubsub.names(kind)) {
    if (pattern !== undefined && !globMatch(pattern, name)) continue
    reply.latin1(name)
    count++
  }
  reply.endArray(list, count)
}

/** Pairs of a name and a number; a flat array in RESP3 too. */
function listCounts({ reply, server }: CommandContext, kind: SubscriptionKind, wanted: readonly string[]): void {
  reply.array(wanted.length * 2)
  for (const name of wanted) {
    reply.latin1(name)
    reply.integer(server.pubsub.subscriberCount(kind, name))
  }
}

interface Question<O> {
  readonly name: string
  readonly arity: number
  readonly since: string
  readonly summary: string
  readonly complexity: string
  parse(args: Args): O
  run(ctx: CommandContext, options: O): void
}

function question<O>(row: Question<O>): CommandSpec<never> {
  return defineCommand<O>({ ...row, flags: COMMON, categories: [], keys: [], group: 'pubsub' })
}

const questions: readonly CommandSpec<never>[] = [
  question({
    name: 'pubsub|channels',
    arity: -2,
    since: '2.8.0',
    summary: 'Channels with a subscriber.',
    complexity: 'O(N) in the number of channels',
    parse: parsePattern,
    run: (ctx, pattern) => listNames(ctx, 'channel', pattern),
  }),
  question({
    name: 'pubsub|numsub',
    arity: -2,
    since: '2.8.0',
    summary: 'How many subscribers channels have, those by pattern not counted.',
    complexity: 'O(1) for every channel',
    parse: (args: Args) => args.texts(),
    run: (ctx, channels) => listCounts(ctx, 'channel', channels),
  }),
  question({
    name: 'pubsub|numpat',
    arity: 2,
    since: '2.8.0',
    summary: 'How many patterns have a subscriber.',
    complexity: 'O(1)',
    parse: () => undefined,
    run: ({ reply, server }) => reply.integer(server.pubsub.count('pattern')),
  }),
  question({
    name: 'pubsub|shardchannels',
    arity: -2,
    since: '7.0.0',
    summary: 'Shard channels with a subscriber.',
    complexity: 'O(N) in the number of shard channels',
    parse: parsePattern,
    run: (ctx, pattern) => listNames(ctx, 'shard', pattern),
  }),
  question({
    name: 'pubsub|shardnumsub',
    arity: -2,
    since: '7.0.0',
    summary: 'How many subscribers shard channels have.',
    complexity: 'O(1) for every shard channel',
    parse: (args: Args) => args.texts(),
    run: (ctx, channels) => listCounts(ctx, 'shard', channels),
  }),
  helpRow(
    'pubsub',
    'pubsub',
    [],
    [
      ['CHANNELS [<pattern>]', 'Channels with a subscriber, all or those that fit the pattern.'],
      ['NUMPAT', 'How many patterns have a subscriber.'],
      ['NUMSUB [<channel> ...]', 'How many subscribers the channels have, those by pattern not counted.'],
      ['SHARDCHANNELS [<pattern>]', 'Shard channels with a subscriber, all or those that fit the pattern.'],
      ['SHARDNUMSUB [<shardchannel> ...]', 'How many subscribers the shard channels have.'],
    ],
  ),
]

export const pubsubCommands: readonly CommandSpec<never>[] = [
  subscribing('subscribe', {
    kind: 'channel',
    since: '2.0.0',
    summary: 'Subscribes to channels.',
    complexity: 'O(1) for every channel',
  }),
  leaving('unsubscribe', {
    kind: 'channel',
    since: '2.0.0',
    summary: 'Leaves channels, or all of them.',
    complexity: 'O(1) for every channel',
  }),
  subscribing('psubscribe', {
    kind: 'pattern',
    since: '2.0.0',
    summary: 'Subscribes to all channels that fit glob-like patterns.',
    complexity: 'O(1) for every pattern',
  }),
  leaving('punsubscribe', {
    kind: 'pattern',
    since: '2.0.0',
    summary: 'Leaves patterns, or all of them.',
    complexity: 'O(1) for every pattern',
  }),
  subscribing('ssubscribe', {
    kind: 'shard',
    since: '7.0.0',
    summary: 'Subscribes to shard channels.',
    complexity: 'O(1) for every channel',
  }),
  leaving('sunsubscribe', {
    kind: 'shard',
    since: '7.0.0',
    summary: 'Leaves shard channels, or all of them.',
    complexity: 'O(1) for every channel',
  }),
  publishing('publish', {
    kind: 'channel',
    since: '2.0.0',
    summary: 'Sends a message to the subscribers of a channel, and says how many there were.',
    complexity: 'O(N+M): N subscribers of the channel, M patterns of all clients',
  }),
  publishing('spublish', {
    kind: 'shard',
    since: '7.0.0',
    summary: 'Sends a message to the subscribers of a shard channel, and says how many there were.',
    complexity: 'O(N) in the number of its subscribers',
  }),
  defineCommand({
    name: 'pubsub',
    arity: -2,
    flags: 0,
    categories: [],
    keys: [],
    group: 'pubsub',
    since: '2.8.0',
    summary: 'Who subscribed to what.',
    complexity: 'Depends on the subcommand',
    subcommands: questions,
    parse: () => undefined,
    run: () => undefined,
  }),
]
