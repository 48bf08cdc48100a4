// ZCARD, ZSCORE, ZMSCORE, ZRANK, ZREVRANK, ZSCAN.

import { ReplyError, replyErrors } from '../base/errors.js'
import { globMatch } from '../base/glob.js'
import { formatDouble } from '../base/numbers.js'
import type { Reply } from '../resp/reply.js'
import type { Args } from './args.js'
import { parseFieldsScan } from './fields-scan.js'
import { parseKeyAndMembers } from './set-change.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { granted } from './stream-arguments.js'
import { zsetAt } from './zset-store.js'

/** Redis packs whole numbers up to here as integers, and ZSCAN shows them as packed. */
const PACKED_INTEGER_MAX = 2 ** 62

function replyScore(reply: Reply, score: number | undefined): void {
  if (score === undefined) reply.nullBulk()
  else reply.double(score)
}

const zcard = defineCommand({
  name: 'zcard',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RO'], 1),
  group: 'sorted-set',
  since: '1.2.0',
  summary: 'Number of members of a sorted set.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run: (ctx, key) => ctx.reply.integer(zsetAt(ctx, key)?.count ?? 0),
})

const zscore = defineCommand({
  name: 'zscore',
  arity: 3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'sorted-set',
  since: '1.2.0',
  summary: 'The score of a member.',
  complexity: 'O(log N)',
  parse: (args: Args) => ({ key: args.key(), member: args.text() }),
  run: (ctx, { key, member }) => replyScore(ctx.reply, zsetAt(ctx, key)?.scoreOf(member)),
})

const zmscore = defineCommand({
  name: 'zmscore',
  arity: -3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'sorted-set',
  since: '6.2.0',
  summary: 'The scores of several members.',
  complexity: 'O(log N) for each member',
  parse: parseKeyAndMembers,
  run(ctx, { key, members }) {
    const zset = zsetAt(ctx, key)
    ctx.reply.array(members.length)
    for (const member of members) replyScore(ctx.reply, zset?.scoreOf(member))
  },
})

function ranking(name: string, since: string, summary: string, isDescending: boolean): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.ReadOnly | Flag.Fast,
    categories: ['sortedset'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'sorted-set',
    since,
    summary,
    complexity: 'O(log N)',
    parse(args: Args) {
      const key = args.key()
      const member = args.text()
      if (args.remaining > 1) throw new ReplyError(replyErrors.wrongArity(name))
      const withScore = args.take('WITHSCORE')
      args.end()
      return { key, member, withScore }
    },
    run(ctx, { key, member, withScore }) {
      const { reply } = ctx
      const zset = zsetAt(ctx, key)
      const found = zset?.rankOf(member)
      if (zset === undefined || found === undefined) return withScore ? reply.nullArray() : reply.nullBulk()
      if (withScore) reply.array(2)
      reply.integer(isDescending ? zset.count - 1 - found.rank : found.rank)
      if (withScore) reply.double(found.score)
    },
  })
}

function scannedScore(score: number, isPacked: boolean): string {
  const isInteger = isPacked && Number.isInteger(score) && Math.abs(score) <= PACKED_INTEGER_MAX
  return isInteger ? String(BigInt(score)) : formatDouble(score)
}

const zscan = defineCommand({
  name: 'zscan',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['sortedset'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'sorted-set',
  since: '2.8.0',
  summary: 'Goes through the members of a sorted set a few at a time.',
  complexity: 'O(log N) for each call, O(N) for a whole pass',
  tips: ['nondeterministic_output'],
  parse: parseFieldsScan,
  run(ctx, scan) {
    const { reply } = ctx
    const zset = zsetAt(ctx, scan.key)
    reply.array(2)
    if (zset === undefined) {
      reply.latin1('0')
      reply.array(0)
      return
    }
    const { count, pattern } = granted(scan.options)
    const isPacked = zset.encoding === 'listpack'
    const texts: string[] = []
    const next = zset.scan(scan.cursor, count, (member, score) => {
      if (pattern !== undefined && !globMatch(pattern, member)) return
      texts.push(member, scannedScore(score, isPacked))
    })
    reply.latin1(String(next))
    reply.array(texts.length)
    for (const text of texts) reply.latin1(text)
  },
})

export const zsetReaders: readonly CommandSpec<never>[] = [
  zcard,
  zscore,
  zmscore,
  ranking('zrank', '2.0.0', 'The rank of a member, counted from the lowest score.', false),
  ranking('zrevrank', '2.0.0', 'The rank of a member, counted from the highest score.', true),
  zscan,
]
