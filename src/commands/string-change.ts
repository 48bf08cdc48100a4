// APPEND, SETRANGE, INCR, DECR, INCRBY, DECRBY, INCRBYFLOAT: what changes a string and keeps its expiry.

import { ReplyError, replyErrors } from '../base/errors.js'
import { LongDouble, NUMBER_CHARS_MAX } from '../base/long-double.js'
import { LargeArgument } from '../resp/large-argument.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import {
  checkLength,
  givenContent,
  storeContent,
  storeZeros,
  stringEntryToWrite,
  stringOf,
  stringToChange,
} from './string-store.js'
import type { AnyString } from './string-store.js'

const INT64_MAX = 0x7fffffffffffffffn
const INT64_MIN = -0x8000000000000000n

const append = defineCommand({
  name: 'append',
  arity: 3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  takesLarge: true,
  categories: ['string'],
  keys: keysAt(['RW', 'insert'], 1),
  group: 'string',
  since: '2.0.0',
  summary: 'Adds bytes at the end of the string value of a key.',
  complexity: 'O(1) amortized',
  parse: (args: Args) => ({ key: args.key(), tail: givenContent(args) }),
  run(ctx, { key, tail }) {
    const entry = stringEntryToWrite(ctx, key)
    let length = tail.length
    if (entry === undefined) {
      storeContent(ctx, key, undefined, tail)
    } else {
      length += stringOf(entry).length
      checkLength(ctx, length)
      const value = stringToChange(ctx, entry, length)
      if (tail instanceof LargeArgument) for (const piece of tail.pieces) value.append(piece)
      else value.append(typeof tail === 'string' ? Buffer.from(tail, 'latin1') : tail)
    }
    ctx.changed()
    ctx.touched(key)
    ctx.notify('$', 'append', key)
    ctx.reply.integer(length)
  },
})

const setrange = defineCommand({
  name: 'setrange',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['string'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'string',
  since: '2.2.0',
  summary: 'Writes bytes into the string value of a key, from an offset on.',
  complexity: 'O(N) in the bytes written, and in those before them that did not exist',
  parse(args: Args) {
    const key = args.key()
    const offset = args.integer()
    if (offset < 0) throw new ReplyError('ERR offset is out of range')
    return { key, offset, piece: args.bytes() }
  },
  run(ctx, { key, offset, piece }) {
    const entry = stringEntryToWrite(ctx, key)
    const before = entry === undefined ? 0 : stringOf(entry).length
    if (piece.length === 0) return ctx.reply.integer(before)
    checkLength(ctx, offset + piece.length)
    const length = Math.max(before, offset + piece.length)
    const value = entry === undefined ? storeZeros(ctx, key, length) : stringToChange(ctx, entry, length)
    value.overwrite(offset, piece)
    ctx.changed()
    ctx.touched(key)
    ctx.notify('$', 'setrange', key)
    ctx.reply.integer(length)
  },
})

function increment(ctx: CommandContext, key: string, delta: number | bigint): void {
  const entry = ctx.db.findToWrite(key)
  const old = entry === undefined ? 0 : stringOf(entry).int64()
  if (old === undefined) throw new ReplyError(replyErrors.notAnInteger)
  const sum = addInt64(old, delta)
  const text = String(sum)
  storeContent(ctx, key, entry, text, true)
  ctx.changed()
  ctx.touched(key)
  ctx.notify('$', 'incrby', key)
  ctx.reply.integer(sum)
}

/** @throws ReplyError when the sum is no signed 64-bit integer */
export function addInt64(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  const sum = BigInt(a) + BigInt(b)
  if (sum > INT64_MAX || sum < INT64_MIN) throw new ReplyError('ERR increment or decrement would overflow')
  return sum
}

function numberIn(value: AnyString): LongDouble | undefined {
  return value.length > NUMBER_CHARS_MAX ? undefined : LongDouble.parse(value.bytes().latin1Slice())
}

interface Increment {
  readonly key: string
  readonly delta: number | bigint
}

function incrementCommand(
  name: string,
  arity: number,
  since: string,
  summary: string,
  parse: (args: Args) => Increment,
): CommandSpec<never> {
  return defineCommand({
    name,
    arity,
    flags: Flag.Write | Flag.DenyOom | Flag.Fast,
    categories: ['string'],
    keys: keysAt(['RW', 'access', 'update'], 1),
    group: 'string',
    since,
    summary,
    complexity: 'O(1)',
    parse,
    run: (ctx, { key, delta }) => increment(ctx, key, delta),
  })
}

function parseDecrement(args: Args): Increment {
  const key = args.key()
  const delta = args.int64()
  if (typeof delta === 'number') return { key, delta: delta === 0 ? 0 : -delta }
  if (delta === INT64_MIN) throw new ReplyError('ERR decrement would overflow')
  return { key, delta: -delta }
}

const incrbyfloat = defineCommand({
  name: 'incrbyfloat',
  arity: 3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['string'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'string',
  since: '2.6.0',
  summary: 'Adds a decimal number to the one that the string value of a key spells.',
  complexity: 'O(1)',
  // Both numbers are read when it runs: Redis looks at the type of the key, then its number, then the argument.
  parse: (args: Args) => ({ key: args.key(), delta: args.text() }),
  run(ctx, { key, delta }) {
    const entry = ctx.db.findToWrite(key)
    const old = entry === undefined ? LongDouble.zero : numberIn(stringOf(entry))
    const step = old === undefined ? undefined : LongDouble.parse(delta)
    if (old === undefined || step === undefined) throw new ReplyError(replyErrors.notAFloat)
    const sum = old.plus(step)
    if (!sum.isFinite) throw new ReplyError('ERR increment would produce NaN or Infinity')
    const text = sum.format()
    storeContent(ctx, key, entry, text, true, 'text')
    ctx.effect('SET', key, text, 'KEEPTTL')
    ctx.touched(key)
    ctx.notify('$', 'incrbyfloat', key)
    ctx.reply.latin1(text)
  },
})

export const stringChangers: readonly CommandSpec<never>[] = [
  append,
  setrange,
  incrementCommand('incr', 2, '1.0.0', 'Adds one to the integer that a key holds.', args => {
    return { key: args.key(), delta: 1 }
  }),
  incrementCommand('decr', 2, '1.0.0', 'Takes one from the integer that a key holds.', args => {
    return { key: args.key(), delta: -1 }
  }),
  incrementCommand('incrby', 3, '1.0.0', 'Adds to the integer that a key holds.', args => {
    return { key: args.key(), delta: args.int64() }
  }),
  incrementCommand('decrby', 3, '1.0.0', 'Takes from the integer that a key holds.', parseDecrement),
  incrbyfloat,
]
