// GET, MGET, GETEX, GETDEL, GETRANGE, SUBSTR, STRLEN: what reads a string, the last two of GET's kin with a change.

import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { positiveExpireAtMsOf, wholeMs } from './expire-time.js'
import { parseKeys } from './keys.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { parseStringOptions } from './string-options.js'
import { replyString, streamBefore, streamRange, streamString, stringOf } from './string-store.js'

const get = defineCommand({
  name: 'get',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'string',
  since: '1.0.0',
  summary: 'The string value of a key.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const entry = ctx.db.find(key)
    if (entry === undefined) ctx.reply.nullBulk()
    else streamString(ctx, stringOf(entry))
  },
})

const mget = defineCommand({
  name: 'mget',
  arity: -2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RO', 'access'], 1, -1),
  group: 'string',
  since: '1.0.0',
  summary: 'The string values of several keys; null for those that hold none.',
  complexity: 'O(N) in the number of keys',
  tips: ['request_policy:multi_shard'],
  parse: parseKeys,
  run(ctx, keys) {
    ctx.reply.array(keys.length)
    for (const key of keys) {
      const entry = ctx.db.find(key)
      if (entry === undefined || entry.type !== 'string') ctx.reply.nullBulk()
      else replyString(ctx, stringOf(entry))
    }
  },
})

const getex = defineCommand({
  name: 'getex',
  arity: -2,
  flags: Flag.Write | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'string',
  since: '6.2.0',
  summary: 'The string value of a key, whose expiry is set or taken away.',
  complexity: 'O(1)',
  parse: (args: Args) => ({ key: args.key(), options: parseStringOptions(args, 'getex') }),
  run(ctx, { key, options }) {
    const entry = ctx.db.find(key)
    if (entry === undefined) return ctx.reply.nullBulk()
    const value = stringOf(entry)
    if (options.fault !== undefined) throw options.fault
    const time = options.expire
    const atMs = time === undefined ? 0 : positiveExpireAtMsOf(time, ctx.nowMs, 'getex')
    replyString(ctx, value)
    if (time !== undefined) {
      if (time.absolute && atMs <= ctx.nowMs && !ctx.replaying) {
        removeKey(ctx, key)
      } else {
        ctx.db.setExpiry(entry, atMs)
        ctx.effect('PEXPIREAT', key, wholeMs(atMs))
        ctx.touched(key)
        ctx.notify('g', 'expire', key)
      }
    } else if (options.persist && entry.expireAtMs !== 0) {
      ctx.db.setExpiry(entry, 0)
      ctx.effect('PERSIST', key)
      ctx.touched(key)
      ctx.notify('g', 'persist', key)
    }
  },
})

function removeKey(ctx: CommandContext, key: string): void {
  ctx.db.remove(key)
  ctx.effect('DEL', key)
  ctx.touched(key)
  ctx.notify('g', 'del', key)
}

const getdel = defineCommand({
  name: 'getdel',
  arity: 2,
  flags: Flag.Write | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RW', 'access', 'delete'], 1),
  group: 'string',
  since: '6.2.0',
  summary: 'The string value of a key, which is removed.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const entry = ctx.db.find(key)
    if (entry === undefined) return ctx.reply.nullBulk()
    const replyRest = streamBefore(ctx, stringOf(entry))
    removeKey(ctx, key)
    replyRest()
  },
})

interface RangeOptions {
  readonly key: string
  readonly start: number
  readonly end: number
}

/** Offsets from the end are negative; what lies outside is cut off. */
function runGetRange(ctx: CommandContext, { key, start, end }: RangeOptions): void {
  const entry = ctx.db.find(key)
  if (entry === undefined) return ctx.reply.latin1('')
  const value = stringOf(entry)
  const { length } = value
  if (start < 0 && end < 0 && start > end) return ctx.reply.latin1('')
  const from = Math.max(0, start < 0 ? start + length : start)
  const to = Math.min(length - 1, Math.max(0, end < 0 ? end + length : end)) + 1
  if (from >= to) ctx.reply.latin1('')
  else streamRange(ctx, value, from, to)
}

function rangeCommand(name: string, since: string, summary: string): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 4,
    flags: Flag.ReadOnly,
    categories: ['string'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'string',
    since,
    summary,
    complexity: 'O(N) in the bytes returned',
    parse: (args: Args) => ({ key: args.key(), start: args.integer(), end: args.integer() }),
    run: runGetRange,
  })
}

const strlen = defineCommand({
  name: 'strlen',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RO'], 1),
  group: 'string',
  since: '2.2.0',
  summary: 'Bytes of the string value of a key; 0 when there is none.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const entry = ctx.db.find(key)
    ctx.reply.integer(entry === undefined ? 0 : stringOf(entry).length)
  },
})

export const stringGetters: readonly CommandSpec<never>[] = [
  get,
  mget,
  getex,
  getdel,
  rangeCommand('getrange', '2.4.0', 'Part of the string value of a key.'),
  rangeCommand('substr', '1.0.0', 'Part of the string value of a key; the old name of GETRANGE.'),
  strlen,
]
