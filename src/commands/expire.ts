// EXPIRE and its three siblings, TTL and its three, PERSIST. Expiries are journaled as absolute times; one that lies in
// the past removes the key and is journaled as its removal.

import { ReplyError, quoting } from '../base/errors.js'
import type { KeyEntry } from '../types/keyspace.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { expireAtMsOf, wholeMs } from './expire-time.js'
import type { ExpireTime } from './expire-time.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

interface ExpireOptions {
  readonly key: string
  readonly time: ExpireTime
  readonly nx: boolean
  readonly xx: boolean
  readonly gt: boolean
  readonly lt: boolean
}

function parseExpire(args: Args, unit: 's' | 'ms', absolute: boolean): ExpireOptions {
  const key = args.key()
  // The options are judged before the time, so the time is read last.
  const timeAt = args.at++
  let nx = false
  let xx = false
  let gt = false
  let lt = false
  while (args.remaining > 0) {
    if (args.take('NX')) nx = true
    else if (args.take('XX')) xx = true
    else if (args.take('GT')) gt = true
    else if (args.take('LT')) lt = true
    else throw new ReplyError(quoting`ERR Unsupported option ${args.text()}`)
  }
  if (nx && (xx || gt || lt)) {
    throw new ReplyError('ERR NX and XX, GT or LT options at the same time are not compatible')
  }
  if (gt && lt) throw new ReplyError('ERR GT and LT options at the same time are not compatible')
  args.at = timeAt
  return { key, time: { value: args.int64(), unit, absolute }, nx, xx, gt, lt }
}

function runExpire(ctx: CommandContext, name: string, options: ExpireOptions): void {
  const { key } = options
  const atMs = expireAtMsOf(options.time, ctx.nowMs, name)
  const entry = ctx.db.findToWrite(key)
  if (entry === undefined || !mayExpire(options, entry, atMs)) return ctx.reply.integer(0)
  // At replay a past time is kept: the removal of the key follows in the journal.
  if (atMs <= ctx.nowMs && !ctx.replaying) {
    ctx.db.remove(key)
    ctx.effect('DEL', key)
    ctx.touched(key)
    ctx.notify('g', 'del', key)
  } else {
    ctx.db.setExpiry(entry, atMs)
    ctx.effect('PEXPIREAT', key, wholeMs(atMs))
    ctx.touched(key)
    ctx.notify('g', 'expire', key)
  }
  ctx.reply.integer(1)
}

/** A key without expiry counts as one that never expires. */
function mayExpire(options: ExpireOptions, entry: KeyEntry, atMs: number): boolean {
  const now = entry.expireAtMs
  if (options.nx && now !== 0) return false
  if (options.xx && now === 0) return false
  if (options.gt && (now === 0 || atMs <= now)) return false
  return !(options.lt && now !== 0 && atMs >= now)
}

function expireCommand(
  name: string,
  unit: 's' | 'ms',
  absolute: boolean,
  since: string,
  summary: string,
): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.Write | Flag.Fast,
    categories: ['keyspace'],
    keys: keysAt(['RW', 'update'], 1),
    group: 'generic',
    since,
    summary,
    complexity: 'O(1); O(log N) in the number of keys with an expiry',
    parse: (args: Args) => parseExpire(args, unit, absolute),
    run: (ctx, options) => runExpire(ctx, name, options),
  })
}

type Reading = (expireAtMs: number, nowMs: number) => number

const wholeSeconds = (ms: number): number => Math.floor((ms + 500) / 1000)

function ttlCommand(name: string, since: string, summary: string, read: Reading): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 2,
    flags: Flag.ReadOnly | Flag.Fast,
    categories: ['keyspace'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'generic',
    since,
    summary,
    complexity: 'O(1)',
    ...(name.endsWith('ttl') ? { tips: ['nondeterministic_output'] } : {}),
    parse: (args: Args) => args.key(),
    run(ctx, key) {
      const entry = ctx.db.findUntouched(key)
      if (entry === undefined) return ctx.reply.integer(-2)
      if (entry.expireAtMs === 0) return ctx.reply.integer(-1)
      ctx.reply.integer(wholeMs(read(entry.expireAtMs, ctx.nowMs)))
    },
  })
}

const persist = defineCommand({
  name: 'persist',
  arity: 2,
  flags: Flag.Write | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'generic',
  since: '2.2.0',
  summary: 'Takes the expiry from a key.',
  complexity: 'O(1); O(log N) in the number of keys with an expiry',
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const entry = ctx.db.findToWrite(key)
    if (entry === undefined || entry.expireAtMs === 0) return ctx.reply.integer(0)
    ctx.db.setExpiry(entry, 0)
    ctx.changed()
    ctx.touched(key)
    ctx.notify('g', 'persist', key)
    ctx.reply.integer(1)
  },
})

export const expireCommands: readonly CommandSpec<never>[] = [
  expireCommand('expire', 's', false, '1.0.0', 'Makes a key expire after a number of seconds.'),
  expireCommand('pexpire', 'ms', false, '2.6.0', 'Makes a key expire after a number of milliseconds.'),
  expireCommand('expireat', 's', true, '1.2.0', 'Makes a key expire at a Unix time in seconds.'),
  expireCommand('pexpireat', 'ms', true, '2.6.0', 'Makes a key expire at a Unix time in milliseconds.'),
  ttlCommand('ttl', '1.0.0', 'Seconds until a key expires.', (at, now) => wholeSeconds(Math.max(0, at - now))),
  ttlCommand('pttl', '2.6.0', 'Milliseconds until a key expires.', (at, now) => Math.max(0, at - now)),
  ttlCommand('expiretime', '7.0.0', 'Unix time in seconds at which a key expires.', at => wholeSeconds(at)),
  ttlCommand('pexpiretime', '7.0.0', 'Unix time in milliseconds at which a key expires.', at => at),
  persist,
]
