// ZRANGE and what came before it, ZRANGESTORE, ZCOUNT, ZLEXCOUNT. Uses: zset-bounds.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { ScoredMember, ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { LONG_REPLY_BYTES, ReadReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { parseNameRange, parseRankRange, parseScoreRange } from './zset-bounds.js'
import type { MemberRange, Window } from './zset-bounds.js'
import { storeMembers, zsetAt } from './zset-store.js'

const LIMIT_BY_RANK = 'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX'
const SCORES_BY_NAME = 'ERR syntax error, WITHSCORES not supported in combination with BYLEX'
/** Any negative number means all; Redis cannot tell this one from no LIMIT at all. */
const NO_LIMIT = -1

/** A large sorted set holds each member twice. */
const TREES = 2

const PARSERS = { rank: parseRankRange, score: parseScoreRange, name: parseNameRange }
type RangeKind = keyof typeof PARSERS

interface RangeOptions {
  readonly key: string
  readonly range: MemberRange
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
  readonly withScores: boolean
}

/** What a command fixes about its range; undefined where the client may say. */
interface Grammar {
  readonly kind?: RangeKind
  readonly isDescending?: boolean
  readonly stores?: boolean
}

function parseRange(args: Args, grammar: Grammar): RangeOptions {
  const key = args.key()
  const bounds = args.at
  args.at += 2
  let { kind, isDescending } = grammar
  let offset = 0
  let limit = NO_LIMIT
  let withScores = false
  while (args.remaining > 0) {
    if (grammar.stores !== true && args.take('WITHSCORES')) withScores = true
    else if (args.remaining > 2 && args.take('LIMIT')) {
      offset = args.integer()
      limit = args.integer()
    } else if (isDescending === undefined && args.take('REV')) isDescending = true
    else if (kind === undefined && args.take('BYLEX')) kind = 'name'
    else if (kind === undefined && args.take('BYSCORE')) kind = 'score'
    else throw new ReplyError(replyErrors.syntax)
  }
  kind ??= 'rank'
  isDescending ??= false
  if (limit !== NO_LIMIT && kind === 'rank') throw new ReplyError(LIMIT_BY_RANK)
  if (withScores && kind === 'name') throw new ReplyError(SCORES_BY_NAME)
  // The bounds come last: Redis complains about the options first.
  args.at = bounds
  const range = PARSERS[kind](args, isDescending)
  if (kind === 'rank') offset = 0
  return { key, range, isDescending, offset, limit, withScores }
}

function windowOf(zset: ZsetValue, { range, isDescending, offset, limit }: RangeOptions): Window {
  const { from, to } = range.windowIn(zset)
  if (offset < 0) return { from, to: from }
  const count = limit < 0 ? Infinity : limit
  return isDescending
    ? { from: Math.max(from, to - offset - count), to: to - offset }
    : { from: from + offset, to: Math.min(to, from + offset + count) }
}

/** Begins an array of members; with scores RESP3 makes pairs of them, RESP2 one flat list. */
export function replyMembersHead(reply: Reply, count: number, withScores: boolean): void {
  reply.array(withScores && reply.protocol === 2 ? count * 2 : count)
}

export function replyMember(reply: Reply, member: string, score: number, withScores: boolean): void {
  if (withScores && reply.protocol === 3) reply.array(2)
  reply.latin1(member)
  if (withScores) reply.double(score)
}

function runRange(ctx: CommandContext, options: RangeOptions): void {
  const { reply } = ctx
  const { withScores, isDescending } = options
  const zset = zsetAt(ctx, options.key)
  if (zset === undefined) return reply.array(0)
  const { from, to } = windowOf(zset, options)
  replyMembersHead(reply, Math.max(to - from, 0), withScores)
  const isLong = (to - from) * (zset.contentBytes / zset.count) > LONG_REPLY_BYTES * TREES && ctx.mayStream
  const read = isLong ? zset.longRead(from, to, isDescending) : undefined
  if (read !== undefined) {
    return ctx.stream(new ReadReply(read, out => (member, score) => replyMember(out, member, score, withScores)))
  }
  const visit = (member: string, score: number) => replyMember(reply, member, score, withScores)
  if (isDescending) zset.eachDown(visit, from, to)
  else zset.each(visit, from, to)
}

function ranging(name: string, since: string, summary: string, grammar: Grammar): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -4,
    flags: Flag.ReadOnly,
    categories: ['sortedset'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'sorted-set',
    since,
    summary,
    complexity: 'O(log N + M) for M members given',
    parse: (args: Args) => parseRange(args, grammar),
    run: runRange,
  })
}

const zrangestore = defineCommand({
  name: 'zrangestore',
  arity: -5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['sortedset'],
  keys: [...keysAt(['OW', 'update'], 1), ...keysAt(['RO', 'access'], 2)],
  group: 'sorted-set',
  since: '6.2.0',
  summary: 'Stores a range of a sorted set in another key.',
  complexity: 'O(log N + M log M) for M members stored',
  parse: (args: Args) => ({ to: args.key(), options: parseRange(args, { stores: true }) }),
  run(ctx, { to, options }) {
    const zset = zsetAt(ctx, options.key)
    const members: ScoredMember[] = []
    if (zset !== undefined) {
      const window = windowOf(zset, options)
      zset.each((member, score) => void members.push({ member, score }), window.from, window.to)
    }
    storeMembers(ctx, to, members, 'zrangestore')
  },
})

function counting(name: string, since: string, summary: string, kind: RangeKind): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 4,
    flags: Flag.ReadOnly | Flag.Fast,
    categories: ['sortedset'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'sorted-set',
    since,
    summary,
    complexity: 'O(log N)',
    parse: (args: Args) => ({ key: args.key(), range: PARSERS[kind](args) }),
    run(ctx, { key, range }) {
      const zset = zsetAt(ctx, key)
      if (zset === undefined) return ctx.reply.integer(0)
      const { from, to } = range.windowIn(zset)
      ctx.reply.integer(Math.max(to - from, 0))
    },
  })
}

const up = { isDescending: false }
const down = { isDescending: true }

export const zsetRanges: readonly CommandSpec<never>[] = [
  ranging('zrange', '1.2.0', 'Members in a range of ranks, scores or names.', {}),
  ranging('zrevrange', '1.2.0', 'Members in a range of ranks, the highest first.', { kind: 'rank', ...down }),
  ranging('zrangebyscore', '1.0.5', 'Members in a range of scores.', { kind: 'score', ...up }),
  ranging('zrevrangebyscore', '2.2.0', 'Members in a range of scores, the highest first.', { kind: 'score', ...down }),
  ranging('zrangebylex', '2.8.9', 'Members in a range of names, all scores being equal.', { kind: 'name', ...up }),
  ranging('zrevrangebylex', '2.8.9', 'Members in a range of names, the highest first.', { kind: 'name', ...down }),
  zrangestore,
  counting('zcount', '2.0.0', 'Number of members in a range of scores.', 'score'),
  counting('zlexcount', '2.8.9', 'Number of members in a range of names, all scores being equal.', 'name'),
]
