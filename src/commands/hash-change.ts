// HSET, HMSET, HSETNX, HDEL, HINCRBY, HINCRBYFLOAT.

import { ReplyError, replyErrors } from '../base/errors.js'
import { LongDouble } from '../base/long-double.js'
import { int64Of } from '../base/numbers.js'
import type { Content } from '../types/hashed/fields.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { settleRemoval } from './fields-store.js'
import { createHash, hashToWrite, listpackLimits } from './hash-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { addInt64 } from './string-change.js'
import { contentOf } from './string-store.js'

interface SetOptions {
  readonly key: string
  readonly fields: readonly string[]
  readonly values: readonly Content[]
}

function parseSet(args: Args, name: string): SetOptions {
  const key = args.key()
  if (args.remaining % 2 === 1) throw new ReplyError(replyErrors.wrongArity(name))
  // One pair is what most bring, see Args.texts().
  if (args.remaining === 2) return { key, fields: [args.text()], values: [contentOf(args)] }
  const fields: string[] = []
  const values: Content[] = []
  while (args.remaining > 0) {
    fields.push(args.text())
    values.push(contentOf(args))
  }
  return { key, fields, values }
}

/** Returns the number of new fields. */
function setFields(ctx: CommandContext, { key, fields, values }: SetOptions): number {
  const hash = hashToWrite(ctx, key) ?? createHash(ctx, key)
  const limits = listpackLimits(ctx)
  let added = 0
  for (let i = 0; i < fields.length; i++) if (hash.set(fields[i], values[i], limits)) added++
  ctx.changed(fields.length)
  ctx.touched(key)
  ctx.notify('h', 'hset', key)
  return added
}

const hset = defineCommand({
  name: 'hset',
  arity: -4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Sets fields of a hash, which is created if need be, and answers how many were new.',
  complexity: 'O(log N) for each field',
  parse: (args: Args) => parseSet(args, 'hset'),
  run: (ctx, options) => ctx.reply.integer(setFields(ctx, options)),
})

const hmset = defineCommand({
  name: 'hmset',
  arity: -4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Sets fields of a hash; HSET with another reply.',
  complexity: 'O(log N) for each field',
  parse: (args: Args) => parseSet(args, 'hmset'),
  run(ctx, options) {
    setFields(ctx, options)
    ctx.reply.ok()
  },
})

const hsetnx = defineCommand({
  name: 'hsetnx',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'insert'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Sets a field of a hash unless the hash has it.',
  complexity: 'O(log N)',
  parse: (args: Args) => ({ key: args.key(), field: args.text(), value: contentOf(args) }),
  run(ctx, { key, field, value }) {
    const found = hashToWrite(ctx, key)
    if (found?.has(field) === true) return ctx.reply.integer(0)
    const hash = found ?? createHash(ctx, key)
    hash.set(field, value, listpackLimits(ctx))
    ctx.changed()
    ctx.touched(key)
    ctx.notify('h', 'hset', key)
    ctx.reply.integer(1)
  },
})

const hdel = defineCommand({
  name: 'hdel',
  arity: -3,
  flags: Flag.Write | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Removes fields from a hash and answers how many there were.',
  complexity: 'O(log N) for each field',
  parse(args: Args) {
    const key = args.key()
    return { key, fields: args.texts() }
  },
  run(ctx, { key, fields }) {
    const hash = hashToWrite(ctx, key)
    if (hash === undefined) return ctx.reply.integer(0)
    let removed = 0
    for (let i = 0; i < fields.length; i++) if (hash.remove(fields[i])) removed++
    ctx.reply.integer(removed)
    if (removed === 0) return
    ctx.changed(removed)
    settleRemoval(ctx, key, hash, 'h', 'hdel')
  },
})

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.latin1Slice()
}

const hincrby = defineCommand({
  name: 'hincrby',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Adds to the integer that a field of a hash holds.',
  complexity: 'O(log N)',
  parse: (args: Args) => ({ key: args.key(), field: args.text(), delta: args.int64() }),
  run(ctx, { key, field, delta }) {
    const found = hashToWrite(ctx, key)
    const value = found?.get(field)
    const old = value === undefined ? 0 : int64Of(textOf(value))
    if (old === undefined) throw new ReplyError('ERR hash value is not an integer')
    const sum = addInt64(old, delta)
    const hash = found ?? createHash(ctx, key)
    hash.set(field, String(sum), listpackLimits(ctx), true)
    ctx.changed()
    ctx.touched(key)
    ctx.notify('h', 'hincrby', key)
    ctx.reply.integer(sum)
  },
})

const hincrbyfloat = defineCommand({
  name: 'hincrbyfloat',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'hash',
  since: '2.6.0',
  summary: 'Adds a decimal number to the one that a field of a hash spells.',
  complexity: 'O(log N)',
  parse(args: Args) {
    const key = args.key()
    const field = args.text()
    const delta = LongDouble.parse(args.text())
    if (delta === undefined) throw new ReplyError(replyErrors.notAFloat)
    if (!delta.isFinite) throw new ReplyError('ERR value is NaN or Infinity')
    return { key, field, delta }
  },
  run(ctx, { key, field, delta }) {
    const found = hashToWrite(ctx, key)
    const value = found?.get(field)
    const old = value === undefined ? LongDouble.zero : LongDouble.parse(textOf(value))
    if (old === undefined) throw new ReplyError('ERR hash value is not a float')
    const sum = old.plus(delta)
    if (!sum.isFinite) throw new ReplyError('ERR increment would produce NaN or Infinity')
    const text = sum.format()
    const hash = found ?? createHash(ctx, key)
    hash.set(field, text, listpackLimits(ctx), true)
    ctx.effect('HSET', key, field, text)
    const expireAtMs = hash.expiryOf(field)
    if (expireAtMs !== 0) ctx.effect('HPEXPIREAT', key, expireAtMs, 'FIELDS', 1, field)
    ctx.touched(key)
    ctx.notify('h', 'hincrbyfloat', key)
    ctx.reply.latin1(text)
  },
})

export const hashChangers: readonly CommandSpec<never>[] = [hset, hmset, hsetnx, hdel, hincrby, hincrbyfloat]
