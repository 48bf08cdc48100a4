// SCARD, SISMEMBER, SMISMEMBER, SMEMBERS, SRANDMEMBER, SSCAN.

import { ReplyError, replyErrors } from '../base/errors.js'
import { randomBelow, randomRanks } from '../base/random.js'
import type { SetValue } from '../types/set/set-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { parseFieldsScan, replyScan } from './fields-scan.js'
import { LONG_REPLY_BYTES, ReadReply } from './long-reply.js'
import { parseKeyAndMembers } from './set-change.js'
import { setAt } from './set-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const INT64_MIN = -(2n ** 63n)
const COUNT_OUT_OF_RANGE = 'ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807'
/** Ranks drawn at a time, so that a huge count needs no huge array. */
const DRAWN_AT_ONCE = 4096

const scard = defineCommand({
  name: 'scard',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RO'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Number of members of a set.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run: (ctx, key) => ctx.reply.integer(setAt(ctx, key)?.count ?? 0),
})

const sismember = defineCommand({
  name: 'sismember',
  arity: 3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RO'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Says whether a set has a member.',
  complexity: 'O(log N)',
  parse: (args: Args) => ({ key: args.key(), member: args.text() }),
  run: (ctx, { key, member }) => ctx.reply.integer(setAt(ctx, key)?.has(member) === true ? 1 : 0),
})

const smismember = defineCommand({
  name: 'smismember',
  arity: -3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'set',
  since: '6.2.0',
  summary: 'Says of each of several members whether a set has it.',
  complexity: 'O(log N) for each member',
  parse: parseKeyAndMembers,
  run(ctx, { key, members }) {
    const set = setAt(ctx, key)
    ctx.reply.array(members.length)
    for (const member of members) ctx.reply.integer(set?.has(member) === true ? 1 : 0)
  },
})

const smembers = defineCommand({
  name: 'smembers',
  arity: 2,
  flags: Flag.ReadOnly,
  categories: ['set'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'All members of a set.',
  complexity: 'O(N)',
  tips: ['nondeterministic_output_order'],
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const set = setAt(ctx, key)
    ctx.reply.set(set?.count ?? 0)
    const read = set !== undefined && set.contentBytes > LONG_REPLY_BYTES && ctx.mayStream ? set.longRead() : undefined
    if (read !== undefined) ctx.stream(new ReadReply(read, reply => member => reply.latin1(member)))
    else set?.each(member => ctx.reply.latin1(member))
  },
})

/** A count of random members or fields: negative ones allow repeats. @throws ReplyError */
export function parseRandomCount(args: Args): number {
  const count = args.int64()
  if (count === INT64_MIN) throw new ReplyError(COUNT_OUT_OF_RANGE)
  return Number(count)
}

function replyRandomMembers(ctx: CommandContext, set: SetValue, count: number): void {
  const { reply } = ctx
  const size = set.count
  if (count >= 0) {
    reply.array(Math.min(count, size))
    if (count >= size) set.each(member => reply.latin1(member))
    else for (const member of set.atRanks(randomRanks(count, size))) reply.latin1(member)
    return
  }
  reply.array(-count)
  for (let left = -count; left > 0 && ctx.session.outputFull !== true; left -= DRAWN_AT_ONCE) {
    const ranks = Array.from({ length: Math.min(left, DRAWN_AT_ONCE) }, () => randomBelow(size))
    for (const member of set.atRanks(ranks)) reply.latin1(member)
  }
}

const srandmember = defineCommand({
  name: 'srandmember',
  arity: -2,
  flags: Flag.ReadOnly,
  categories: ['set'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Random members of a set, which stay in it.',
  complexity: 'O(log N) for each member',
  tips: ['nondeterministic_output'],
  parse(args: Args) {
    const key = args.key()
    if (args.remaining === 0) return { key, count: undefined }
    if (args.remaining > 1) throw new ReplyError(replyErrors.syntax)
    return { key, count: parseRandomCount(args) }
  },
  run(ctx, { key, count }) {
    const set = setAt(ctx, key)
    if (set === undefined) {
      if (count === undefined) ctx.reply.nullBulk()
      else ctx.reply.array(0)
    } else if (count === undefined) {
      ctx.reply.latin1(set.at(randomBelow(set.count)))
    } else {
      replyRandomMembers(ctx, set, count)
    }
  },
})

const sscan = defineCommand({
  name: 'sscan',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['set'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'set',
  since: '2.8.0',
  summary: 'Goes through the members of a set a few at a time.',
  complexity: 'O(log N) for each call, O(N) for a whole pass',
  tips: ['nondeterministic_output'],
  parse: parseFieldsScan,
  run: (ctx, scan) => replyScan(ctx, setAt(ctx, scan.key), scan, false),
})

export const setReaders: readonly CommandSpec<never>[] = [scard, sismember, smismember, smembers, srandmember, sscan]
