// HEXPIRE and its three siblings, HTTL and its three, HPERSIST: expiries of single fields of a hash, as in Redis 7.4.
// Journaled are absolute times; fields whose time lies in the past are removed and journaled as their removal. What is
// due later is removed when the hash is next looked at, or by the expire cycle (types/database).

import { ReplyError } from '../base/errors.js'
import type { HashValue } from '../types/hash/hash-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { invalidExpireTime } from './expire-time.js'
import { hashAt, hashToWrite } from './hash-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { attempt, granted } from './stream-arguments.js'

/** Redis keeps such times in 46 bits. */
const EXPIRE_AT_MS_MAX = 2 ** 46 - 1
const NO_FIELDS = 'ERR Mandatory argument FIELDS is missing or not at the right position'
const COUNT_TO_EXPIRE = 'ERR Parameter `numFields` should be greater than 0'
const COUNT_TO_READ = 'ERR Number of fields must be a positive integer'
const WRONG_COUNT = 'ERR The `numfields` parameter must match the number of arguments'

/** What a field is answered with. */
const NO_FIELD = -2
const NO_EXPIRY = -1
const REFUSED = 0
const DONE = 1
const REMOVED = 2

type Condition = 'NX' | 'XX' | 'GT' | 'LT'

interface ExpireOptions {
  readonly time: number | bigint
  readonly condition: Condition | undefined
  readonly fields: readonly string[]
}

interface FieldsOf<T> {
  readonly key: string
  /** Redis looks at the key before it complains about these. */
  readonly rest: T | ReplyError
}

/** FIELDS numfields field …, to the end. @throws ReplyError */
function parseFields(args: Args, countError: string): string[] {
  if (!args.take('FIELDS')) throw new ReplyError(NO_FIELDS)
  if (args.remaining === 0) throw new ReplyError(countError)
  const count = attempt(args, a => a.integer())
  if (count instanceof ReplyError || count < 1) throw new ReplyError(countError)
  if (count !== args.remaining) throw new ReplyError(WRONG_COUNT)
  return args.texts()
}

function parseCondition(args: Args): Condition | undefined {
  for (const word of ['NX', 'XX', 'GT', 'LT'] as const) if (args.take(word)) return word
  return undefined
}

function parseExpire(args: Args, name: string, unit: 's' | 'ms'): ExpireOptions {
  const time = args.int64()
  if (time < 0) throw new ReplyError('ERR invalid expire time, must be >= 0')
  const bound = unit === 's' ? EXPIRE_AT_MS_MAX / 1000 : EXPIRE_AT_MS_MAX
  if (time > bound) throw invalidExpireTime(name)
  const condition = parseCondition(args)
  return { time, condition, fields: parseFields(args, COUNT_TO_EXPIRE) }
}

/** A field without expiry counts as one that never expires. */
function mayExpire(condition: Condition | undefined, atMs: number, oldMs: number): boolean {
  if (condition === undefined) return true
  if (oldMs === 0) return condition === 'NX' || condition === 'LT'
  return condition === 'XX' || (condition === 'GT' && atMs > oldMs) || (condition === 'LT' && atMs < oldMs)
}

function answerAll(ctx: CommandContext, fields: readonly string[], answer: number): void {
  ctx.reply.array(fields.length)
  for (let i = 0; i < fields.length; i++) ctx.reply.integer(answer)
}

function runExpire(ctx: CommandContext, key: string, hash: HashValue, options: ExpireOptions, atMs: number): void {
  const { condition, fields } = options
  const set: string[] = []
  const removed: string[] = []
  ctx.reply.array(fields.length)
  for (const field of fields) {
    const answer = expireField(ctx, hash, field, atMs, condition)
    if (answer === DONE) set.push(field)
    else if (answer === REMOVED) removed.push(field)
    ctx.reply.integer(answer)
  }
  if (set.length > 0) ctx.effect('HPEXPIREAT', key, atMs, 'FIELDS', set.length, ...set)
  if (removed.length > 0) ctx.effect('HDEL', key, ...removed)
  if (set.length + removed.length === 0) return
  ctx.touched(key)
  ctx.notify('h', removed.length > 0 ? 'hdel' : 'hexpire', key)
  if (hash.count > 0) {
    if (set.length > 0) ctx.db.noteFieldExpiry(ctx.db.peek(key)!, atMs)
    return
  }
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}

function expireField(
  ctx: CommandContext,
  hash: HashValue,
  field: string,
  atMs: number,
  condition: Condition | undefined,
): number {
  if (!hash.has(field)) return NO_FIELD
  if (!mayExpire(condition, atMs, hash.expiryOf(field))) return REFUSED
  // At replay a past time is kept: the removal of the field follows in the journal.
  if (atMs <= ctx.nowMs && !ctx.replaying) {
    hash.remove(field)
    return REMOVED
  }
  hash.setExpiry(field, atMs)
  return DONE
}

function expireCommand(name: string, unit: 's' | 'ms', absolute: boolean, summary: string): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -6,
    flags: Flag.Write | Flag.DenyOom | Flag.Fast,
    categories: ['hash'],
    keys: keysAt(['RW', 'update'], 1),
    group: 'hash',
    since: '7.4.0',
    summary,
    complexity: 'O(log N) for each field',
    parse: (args: Args): FieldsOf<ExpireOptions> => ({
      key: args.key(),
      rest: attempt(args, a => parseExpire(a, name, unit)),
    }),
    run(ctx, { key, rest }) {
      const hash = hashToWrite(ctx, key)
      const options = granted(rest)
      const atMs = Number(options.time) * (unit === 's' ? 1000 : 1) + (absolute ? 0 : ctx.nowMs)
      if (atMs > EXPIRE_AT_MS_MAX) throw invalidExpireTime(name)
      if (hash === undefined) answerAll(ctx, options.fields, NO_FIELD)
      else runExpire(ctx, key, hash, options, atMs)
    },
  })
}

type Reading = (expireAtMs: number, nowMs: number) => number

function ttlCommand(name: string, summary: string, read: Reading): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -5,
    flags: Flag.ReadOnly | Flag.Fast,
    categories: ['hash'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'hash',
    since: '7.4.0',
    summary,
    complexity: 'O(log N) for each field',
    ...(name.endsWith('ttl') ? { tips: ['nondeterministic_output'] } : {}),
    parse: (args: Args): FieldsOf<string[]> => ({
      key: args.key(),
      rest: attempt(args, a => parseFields(a, COUNT_TO_READ)),
    }),
    run(ctx, { key, rest }) {
      const hash = hashAt(ctx, key)
      const fields = granted(rest)
      if (hash === undefined) return answerAll(ctx, fields, NO_FIELD)
      ctx.reply.array(fields.length)
      for (const field of fields) {
        const expireAtMs = hash.expiryOf(field)
        if (expireAtMs !== 0) ctx.reply.integer(read(expireAtMs, ctx.nowMs))
        else ctx.reply.integer(hash.has(field) ? NO_EXPIRY : NO_FIELD)
      }
    },
  })
}

const hpersist = defineCommand({
  name: 'hpersist',
  arity: -5,
  flags: Flag.Write | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'hash',
  since: '7.4.0',
  summary: 'Takes the expiry from fields of a hash.',
  complexity: 'O(log N) for each field',
  parse: (args: Args): FieldsOf<string[]> => ({
    key: args.key(),
    rest: attempt(args, a => parseFields(a, COUNT_TO_READ)),
  }),
  run(ctx, { key, rest }) {
    const hash = hashToWrite(ctx, key)
    const fields = granted(rest)
    if (hash === undefined) return answerAll(ctx, fields, NO_FIELD)
    let persisted = 0
    ctx.reply.array(fields.length)
    for (const field of fields) {
      if (hash.persist(field)) persisted++
      else {
        ctx.reply.integer(hash.has(field) ? NO_EXPIRY : NO_FIELD)
        continue
      }
      ctx.reply.integer(DONE)
    }
    if (persisted === 0) return
    ctx.changed(persisted)
    ctx.touched(key)
    ctx.notify('h', 'hpersist', key)
  },
})

/** Rounded up: a field that has a part of a second left is not said to be due. */
const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000)

export const hashExpiries: readonly CommandSpec<never>[] = [
  expireCommand('hexpire', 's', false, 'Makes fields of a hash expire after a number of seconds.'),
  expireCommand('hpexpire', 'ms', false, 'Makes fields of a hash expire after a number of milliseconds.'),
  expireCommand('hexpireat', 's', true, 'Makes fields of a hash expire at a Unix time in seconds.'),
  expireCommand('hpexpireat', 'ms', true, 'Makes fields of a hash expire at a Unix time in milliseconds.'),
  ttlCommand('httl', 'Seconds until fields of a hash expire.', (at, now) => wholeSeconds(at - now)),
  ttlCommand('hpttl', 'Milliseconds until fields of a hash expire.', (at, now) => at - now),
  ttlCommand('hexpiretime', 'Unix times in seconds at which fields of a hash expire.', at => wholeSeconds(at)),
  ttlCommand('hpexpiretime', 'Unix times in milliseconds at which fields of a hash expire.', at => at),
  hpersist,
]
