// ZREM, ZREMRANGEBYRANK, ZREMRANGEBYSCORE, ZREMRANGEBYLEX. Uses: zset-bounds.

import type { ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { settleRemoval } from './fields-store.js'
import { parseKeyAndMembers } from './set-change.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { parseNameRange, parseRankRange, parseScoreRange } from './zset-bounds.js'
import type { MemberRange } from './zset-bounds.js'
import { zsetToWrite } from './zset-store.js'

/** Removes the members of ranks [from, to), of which there are some; a set that becomes empty goes with its key. */
export function removeRanks(
  ctx: CommandContext,
  key: string,
  zset: ZsetValue,
  from: number,
  to: number,
  event: string,
): void {
  if (to - from < zset.count) {
    zset.removeRange(from, to)
    return settleRemoval(ctx, key, zset, 'z', event)
  }
  // The value goes whole, in O(1), rather than member by member.
  ctx.touched(key)
  ctx.notify('z', event, key)
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}

const zrem = defineCommand({
  name: 'zrem',
  arity: -3,
  flags: Flag.Write | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'sorted-set',
  since: '1.2.0',
  summary: 'Removes members from a sorted set and answers how many there were.',
  complexity: 'O(log N) for each member',
  parse: parseKeyAndMembers,
  run(ctx, { key, members }) {
    const zset = zsetToWrite(ctx, key)
    if (zset === undefined) return ctx.reply.integer(0)
    let removed = 0
    for (let i = 0; i < members.length; i++) if (zset.remove(members[i])) removed++
    ctx.reply.integer(removed)
    if (removed === 0) return
    ctx.changed(removed)
    settleRemoval(ctx, key, zset, 'z', 'zrem')
  },
})

function removing(name: string, since: string, summary: string, parse: (args: Args) => MemberRange) {
  return defineCommand({
    name,
    arity: 4,
    flags: Flag.Write,
    categories: ['sortedset'],
    keys: keysAt(['RW', 'delete'], 1),
    group: 'sorted-set',
    since,
    summary,
    complexity: 'O(log N) for each member removed',
    parse: (args: Args) => ({ key: args.key(), range: parse(args) }),
    run(ctx, { key, range }) {
      const zset = zsetToWrite(ctx, key)
      if (zset === undefined) return ctx.reply.integer(0)
      const { from, to } = range.windowIn(zset)
      ctx.reply.integer(Math.max(to - from, 0))
      if (from >= to) return
      ctx.changed(to - from)
      removeRanks(ctx, key, zset, from, to, name)
    },
  })
}

export const zsetRemovers: readonly CommandSpec<never>[] = [
  zrem,
  removing('zremrangebyrank', '2.0.0', 'Removes the members in a range of ranks.', parseRankRange),
  removing('zremrangebyscore', '1.2.0', 'Removes the members in a range of scores.', parseScoreRange),
  removing(
    'zremrangebylex',
    '2.8.9',
    'Removes the members in a range of names, all scores being equal.',
    parseNameRange,
  ),
]
