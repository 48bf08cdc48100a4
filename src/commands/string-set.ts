// SET and what Redis had before SET had options: SETNX, SETEX, PSETEX, GETSET, MSET, MSETNX. Relative expiries are
// journaled as absolute ones; everything else depends on the data alone and is journaled as it came.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { positiveExpireAtMsOf, wholeMs } from './expire-time.js'
import type { ExpireTime } from './expire-time.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { parseStringOptions } from './string-options.js'
import type { StringOptions } from './string-options.js'
import { givenContent, replyString, storeContent, stringOf } from './string-store.js'
import type { GivenContent } from './string-store.js'

interface SetOptions {
  readonly key: string
  readonly content: GivenContent
  /** Undefined for the plain SET, which is nearly every one. */
  readonly options: StringOptions | undefined
}

function parseSet(args: Args): SetOptions {
  const key = args.key()
  const content = givenContent(args)
  return { key, content, options: args.remaining === 0 ? undefined : parseStringOptions(args, 'set') }
}

function runSet(ctx: CommandContext, { key, content, options }: SetOptions): void {
  if (options !== undefined) return runSetWith(ctx, key, content, options)
  storeContent(ctx, key, ctx.db.findToWrite(key), content)
  ctx.changed()
  ctx.touched(key)
  ctx.notify('$', 'set', key)
  ctx.reply.ok()
}

function runSetWith(ctx: CommandContext, key: string, content: GivenContent, options: StringOptions): void {
  const expireAtMs = options.expire === undefined ? 0 : positiveExpireAtMsOf(options.expire, ctx.nowMs, 'set')
  const entry = options.get ? ctx.db.find(key) : ctx.db.findToWrite(key)
  // Before it is replaced; a refusal from here on takes back what was written.
  if (options.get && entry !== undefined) replyString(ctx, stringOf(entry))
  const refused = entry === undefined ? options.xx : options.nx
  if (!refused) {
    const stored = storeContent(ctx, key, entry, content, options.keepTtl)
    if (expireAtMs !== 0) ctx.db.setExpiry(stored, expireAtMs)
    if (options.expire === undefined) ctx.changed()
    else ctx.effect('SET', key, content, 'PXAT', wholeMs(expireAtMs))
    ctx.touched(key)
    ctx.notify('$', 'set', key)
    if (expireAtMs !== 0) ctx.notify('g', 'expire', key)
  }
  if (options.get && entry !== undefined) return
  if (options.get || refused) ctx.reply.nullBulk()
  else ctx.reply.ok()
}

const set = defineCommand({
  name: 'set',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['RW', 'access', 'update', 'variable_flags'], 1),
  group: 'string',
  since: '1.0.0',
  summary: 'Makes a string the value of a key, on conditions and with an expiry if wanted.',
  complexity: 'O(1)',
  parse: parseSet,
  run: runSet,
})

const setnx = defineCommand({
  name: 'setnx',
  arity: 3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['OW', 'insert'], 1),
  group: 'string',
  since: '1.0.0',
  summary: 'Makes a string the value of a key that does not exist.',
  complexity: 'O(1)',
  parse: (args: Args) => ({ key: args.key(), content: givenContent(args) }),
  run(ctx, { key, content }) {
    if (ctx.db.findToWrite(key) !== undefined) return ctx.reply.integer(0)
    storeContent(ctx, key, undefined, content)
    ctx.changed()
    ctx.touched(key)
    ctx.notify('$', 'set', key)
    ctx.reply.integer(1)
  },
})

function setWithExpiry(name: string, unit: 's' | 'ms', since: string, summary: string): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 4,
    flags: Flag.Write | Flag.DenyOom,
    takesLarge: true,
    categories: ['string'],
    keys: keysAt(['OW', 'update'], 1),
    group: 'string',
    since,
    summary,
    complexity: 'O(1)',
    parse(args: Args) {
      const key = args.key()
      const time: ExpireTime = { value: args.int64(), unit, absolute: false }
      return { key, time, content: givenContent(args) }
    },
    run(ctx, { key, time, content }) {
      const expireAtMs = positiveExpireAtMsOf(time, ctx.nowMs, name)
      ctx.db.setExpiry(storeContent(ctx, key, ctx.db.findToWrite(key), content), expireAtMs)
      ctx.effect('SET', key, content, 'PXAT', wholeMs(expireAtMs))
      ctx.touched(key)
      ctx.notify('$', 'set', key)
      ctx.notify('g', 'expire', key)
      ctx.reply.ok()
    },
  })
}

const getset = defineCommand({
  name: 'getset',
  arity: 3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'string',
  since: '1.0.0',
  summary: 'Makes a string the value of a key and gives the one it had.',
  complexity: 'O(1)',
  parse: (args: Args) => ({ key: args.key(), content: givenContent(args) }),
  run(ctx, { key, content }) {
    const entry = ctx.db.find(key)
    if (entry === undefined) ctx.reply.nullBulk()
    else replyString(ctx, stringOf(entry))
    storeContent(ctx, key, entry, content)
    ctx.changed()
    ctx.touched(key)
    ctx.notify('$', 'set', key)
  },
})

interface Pairs {
  readonly keys: string[]
  readonly contents: GivenContent[]
}

function parsePairs(args: Args, name: string): Pairs {
  if (args.remaining % 2 !== 0) throw new ReplyError(replyErrors.wrongArity(name))
  const pairs: Pairs = { keys: [], contents: [] }
  while (args.remaining > 0) {
    pairs.keys.push(args.key())
    pairs.contents.push(givenContent(args))
  }
  return pairs
}

function storePairs(ctx: CommandContext, { keys, contents }: Pairs): void {
  for (let i = 0; i < keys.length; i++) {
    storeContent(ctx, keys[i], ctx.db.findToWrite(keys[i]), contents[i])
    ctx.touched(keys[i])
    ctx.notify('$', 'set', keys[i])
  }
  ctx.changed(keys.length)
}

const mset = defineCommand({
  name: 'mset',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['OW', 'update'], 1, -1, 2),
  group: 'string',
  since: '1.0.1',
  summary: 'Makes strings the values of several keys.',
  complexity: 'O(N) in the number of keys',
  tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'],
  parse: (args: Args) => parsePairs(args, 'mset'),
  run(ctx, pairs) {
    storePairs(ctx, pairs)
    ctx.reply.ok()
  },
})

const msetnx = defineCommand({
  name: 'msetnx',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['OW', 'insert'], 1, -1, 2),
  group: 'string',
  since: '1.0.1',
  summary: 'Makes strings the values of several keys if none of them exists.',
  complexity: 'O(N) in the number of keys',
  tips: ['request_policy:multi_shard', 'response_policy:agg_min'],
  parse: (args: Args) => parsePairs(args, 'msetnx'),
  run(ctx, pairs) {
    for (const key of pairs.keys) if (ctx.db.findToWrite(key) !== undefined) return ctx.reply.integer(0)
    storePairs(ctx, pairs)
    ctx.reply.integer(1)
  },
})

export const stringSetters: readonly CommandSpec<never>[] = [
  set,
  setnx,
  setWithExpiry('setex', 's', '2.0.0', 'Makes a string the value of a key that expires after a number of seconds.'),
  setWithExpiry('psetex', 'ms', '2.6.0', 'Makes a string the value of a key that expires after milliseconds.'),
  getset,
  mset,
  msetnx,
]
