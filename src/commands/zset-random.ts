// ZRANDMEMBER.

import { ReplyError } from '../base/errors.js'
import { randomBelow, randomRanks } from '../base/random.js'
import type { ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { parseRandomCount } from './set-read.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { replyMember, replyMembersHead } from './zset-range.js'
import { zsetAt } from './zset-store.js'

/** Pairs are twice as many elements; Redis bounds the count so that their number fits 64 bits. */
const PAIRS_MAX = 2n ** 62n

interface RandomOptions {
  readonly key: string
  /** Undefined for one member alone; negative ones allow repeats. */
  readonly count: number | undefined
  readonly withScores: boolean
}

function parse(args: Args): RandomOptions {
  const key = args.key()
  if (args.remaining === 0) return { key, count: undefined, withScores: false }
  const count = parseRandomCount(args)
  const withScores = args.take('WITHSCORES')
  args.end()
  if (withScores && Math.abs(count) >= PAIRS_MAX) throw new ReplyError('ERR value is out of range')
  return { key, count, withScores }
}

function replyMembers(ctx: CommandContext, zset: ZsetValue, count: number, withScores: boolean): void {
  const { reply } = ctx
  const size = zset.count
  const visit = (member: string, score: number) => replyMember(reply, member, score, withScores)
  replyMembersHead(reply, count < 0 ? -count : Math.min(count, size), withScores)
  if (count >= size) {
    zset.eachDown(visit) // as Redis does
  } else if (count >= 0) {
    for (const rank of randomRanks(count, size)) zset.each(visit, rank, rank + 1)
  } else {
    for (let left = -count; left > 0 && ctx.session.outputFull !== true; left--) {
      const rank = randomBelow(size)
      zset.each(visit, rank, rank + 1)
    }
  }
}

export const zrandmember = defineCommand({
  name: 'zrandmember',
  arity: -2,
  flags: Flag.ReadOnly,
  categories: ['sortedset'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'sorted-set',
  since: '6.2.0',
  summary: 'Random members of a sorted set, with their scores if asked.',
  complexity: 'O(log N) for each member',
  tips: ['nondeterministic_output'],
  parse,
  run(ctx, { key, count, withScores }) {
    const zset = zsetAt(ctx, key)
    if (zset === undefined) {
      if (count === undefined) ctx.reply.nullBulk()
      else ctx.reply.array(0)
    } else if (count === undefined) {
      const rank = randomBelow(zset.count)
      zset.each(member => ctx.reply.latin1(member), rank, rank + 1)
    } else {
      replyMembers(ctx, zset, count, withScores)
    }
  },
})
