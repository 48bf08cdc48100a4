// SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP: strings as rows of bits.

import { ReplyError, replyErrors } from '../base/errors.js'
import { combineBits } from '../types/string/bits.js'
import type { BitOperation } from '../types/string/bits.js'
import type { Args } from './args.js'
import { bitByteAt, bytesOf, combinedPieces, countIn, findIn } from './bit-values.js'
import type { CommandContext } from './context.js'
import { parseKeys } from './keys.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import {
  isLong,
  pieceBytes,
  storeContent,
  storePieces,
  storeZeros,
  stringEntryToWrite,
  stringOf,
  stringToChange,
} from './string-store.js'

const BAD_OFFSET = 'ERR bit offset is not an integer or out of range'
const BAD_BIT = 'ERR bit is not an integer or out of range'

function parseOffset(args: Args): number {
  const offset = args.integer(BAD_OFFSET)
  if (offset < 0) throw new ReplyError(BAD_OFFSET)
  return offset
}

function checkOffset(ctx: CommandContext, offset: number): void {
  if (Math.floor(offset / 8) >= ctx.server.config.values.protoMaxBulkLen) throw new ReplyError(BAD_OFFSET)
}

const setbit = defineCommand({
  name: 'setbit',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['bitmap'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'bitmap',
  since: '2.2.0',
  summary: 'Sets or clears a bit of the string value of a key and gives the one that was there.',
  complexity: 'O(1)',
  parse(args: Args) {
    const key = args.key()
    const offset = parseOffset(args)
    // The limit of the offset is a setting, so a wrong bit is told when it runs, behind a wrong offset.
    return { key, offset, bit: args.text() }
  },
  run(ctx, { key, offset, bit }) {
    checkOffset(ctx, offset)
    if (bit !== '0' && bit !== '1') throw new ReplyError(BAD_BIT)
    const entry = stringEntryToWrite(ctx, key)
    const before = entry === undefined ? 0 : stringOf(entry).length
    const length = Math.max(before, Math.floor(offset / 8) + 1)
    const value = entry === undefined ? storeZeros(ctx, key, length) : stringToChange(ctx, entry, length)
    const old = value.setBit(offset, Number(bit))
    if (entry === undefined || old !== Number(bit) || length !== before) {
      ctx.changed()
      ctx.touched(key)
      ctx.notify('$', 'setbit', key)
    }
    ctx.reply.integer(old)
  },
})

const getbit = defineCommand({
  name: 'getbit',
  arity: 3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['bitmap'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'bitmap',
  since: '2.2.0',
  summary: 'A bit of the string value of a key.',
  complexity: 'O(1)',
  parse: (args: Args) => ({ key: args.key(), offset: parseOffset(args) }),
  run(ctx, { key, offset }) {
    checkOffset(ctx, offset)
    const entry = ctx.db.find(key)
    const byte = entry === undefined ? 0 : bitByteAt(stringOf(entry), Math.floor(offset / 8))
    ctx.reply.integer((byte >> (7 - (offset % 8))) & 1)
  },
})

interface BitRange {
  readonly start: number
  /** Undefined: to the end, and what lies behind it counts as zeros. */
  readonly end: number | undefined
  readonly unitBits: 1 | 8
}

function parseUnit(args: Args): 1 | 8 {
  if (args.remaining === 0 || args.take('BYTE')) return 8
  if (args.take('BIT')) return 1
  throw new ReplyError(replyErrors.syntax)
}

/** Bits [from, to) of a string of `length` bytes; empty when from >= to. */
function bitsOf(range: BitRange, length: number): { from: number; to: number } {
  const units = (length * 8) / range.unitBits
  const end = range.end ?? -1
  const first = Math.max(0, range.start < 0 ? range.start + units : range.start)
  const last = Math.min(units - 1, Math.max(0, end < 0 ? end + units : end))
  return { from: first * range.unitBits, to: (last + 1) * range.unitBits }
}

/** Parsed, or the fault: a key that does not exist, or holds no string, is told before a wrong range. */
type Late<T> = { readonly value: T; readonly fault: undefined } | { readonly value: undefined; readonly fault: unknown }

function late<T>(parse: () => T): Late<T> {
  try {
    return { value: parse(), fault: undefined }
  } catch (fault) {
    return { value: undefined, fault }
  }
}

function parseCountRange(args: Args): BitRange {
  if (args.remaining === 0) return { start: 0, end: undefined, unitBits: 8 }
  if (args.remaining === 1 || args.remaining > 3) throw new ReplyError(replyErrors.syntax)
  const [start, end] = [args.integer(), args.integer()]
  // Nothing is counted whatever the unit, and then it is not looked at.
  if (isBeforeString(start, end)) return { start, end, unitBits: 8 }
  return { start, end, unitBits: parseUnit(args) }
}

/** Only BITCOUNT cares: BITPOS looks at the first unit then. */
function isBeforeString(start: number, end: number): boolean {
  return start < 0 && end < 0 && start > end
}

const bitcount = defineCommand({
  name: 'bitcount',
  arity: -2,
  flags: Flag.ReadOnly,
  categories: ['bitmap'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'bitmap',
  since: '2.6.0',
  summary: 'Counts the ones in the string value of a key, or in a part of it.',
  complexity: 'O(N) in the bytes looked at',
  parse: (args: Args) => ({ key: args.key(), range: late(() => parseCountRange(args)) }),
  run(ctx, { key, range }) {
    const entry = ctx.db.find(key)
    if (entry === undefined) return ctx.reply.integer(0)
    const value = stringOf(entry)
    if (range.value === undefined) throw range.fault
    const { start, end = start } = range.value
    if (isBeforeString(start, end)) return ctx.reply.integer(0)
    const { from, to } = bitsOf(range.value, value.length)
    ctx.reply.integer(countIn(value, from, to))
  },
})

function parsePositionRange(args: Args): BitRange {
  if (args.remaining > 3) throw new ReplyError(replyErrors.syntax)
  const start = args.remaining > 0 ? args.integer() : 0
  const unitAt = args.at + 1
  if (args.remaining < 2) return { start, end: args.remaining > 0 ? args.integer() : undefined, unitBits: 8 }
  // The unit is judged before the end.
  const endAt = args.at
  args.at = unitAt
  const unitBits = parseUnit(args)
  args.at = endAt
  return { start, end: args.integer(), unitBits }
}

const bitpos = defineCommand({
  name: 'bitpos',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['bitmap'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'bitmap',
  since: '2.8.7',
  summary: 'Position of the first one or zero in the string value of a key.',
  complexity: 'O(N) in the bytes looked at',
  parse(args: Args) {
    const key = args.key()
    const bit = args.integer()
    if (bit !== 0 && bit !== 1) throw new ReplyError('ERR The bit argument must be 1 or 0.')
    return { key, bit, range: late(() => parsePositionRange(args)) }
  },
  run(ctx, { key, bit, range }) {
    const entry = ctx.db.find(key)
    if (entry === undefined) return ctx.reply.integer(bit === 1 ? -1 : 0)
    const value = stringOf(entry)
    if (range.value === undefined) throw range.fault
    const { length } = value
    const { from, to } = bitsOf(range.value, length)
    if (from >= to) return ctx.reply.integer(-1)
    const position = findIn(value, bit, from, to)
    // Without an end the string goes on in zeros for ever.
    ctx.reply.integer(position < 0 && bit === 0 && range.value.end === undefined ? length * 8 : position)
  },
})

const OPERATIONS: readonly BitOperation[] = ['and', 'or', 'xor', 'not']

const bitop = defineCommand({
  name: 'bitop',
  arity: -4,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['bitmap'],
  keys: [...keysAt(['OW', 'update'], 2), ...keysAt(['RO', 'access'], 3, -1)],
  group: 'bitmap',
  since: '2.6.0',
  summary: 'Combines the bits of several strings and stores the result.',
  complexity: 'O(N) in the bytes of the longest string',
  parse(args: Args) {
    const operation = OPERATIONS.find(one => args.take(one.toUpperCase()))
    if (operation === undefined) throw new ReplyError(replyErrors.syntax)
    const target = args.key()
    const sources = parseKeys(args)
    if (operation === 'not' && sources.length !== 1) {
      throw new ReplyError('ERR BITOP NOT must be called with a single source key.')
    }
    return { operation, target, sources }
  },
  run(ctx, { operation, target, sources }) {
    const values = sources.map(key => {
      const entry = ctx.db.find(key)
      return entry === undefined ? undefined : stringOf(entry)
    })
    const length = values.reduce((longest, value) => Math.max(longest, value?.length ?? 0), 0)
    const entry = ctx.db.findToWrite(target)
    if (length > 0) {
      if (isLong(ctx, length)) {
        const bytes = pieceBytes(ctx, length)
        storePieces(ctx, target, combinedPieces(operation, values, length, bytes), bytes)
      } else storeContent(ctx, target, entry, combineBits(operation, values.map(bytesOf)), false, 'raw')
      ctx.changed()
      ctx.touched(target)
      ctx.notify('$', 'set', target)
    } else if (entry !== undefined) {
      ctx.db.remove(target)
      ctx.changed()
      ctx.touched(target)
      ctx.notify('g', 'del', target)
    }
    ctx.reply.integer(length)
  },
})

export const bitmapCommands: readonly CommandSpec<never>[] = [setbit, getbit, bitcount, bitpos, bitop]
