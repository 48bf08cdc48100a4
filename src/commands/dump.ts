// DUMP and RESTORE: a value as the bytes of Redis' RDB format, and back. Used by: key-commands. Uses: types/rdb.
// RESTORE is journaled with the payload it came with and an absolute expiry; a payload is looked at in full before the
// keyspace changes, so that a bad one leaves no trace.

import { ReplyError, replyErrors } from '../base/errors.js'
import { dumpOf, isIntact, valueOf } from '../types/rdb/dump-payload.js'
import { PayloadError } from '../types/rdb/payload-error.js'
import type { KeyValue } from '../types/key-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { wholeMs } from './expire-time.js'
import { listpackLimits } from './hash-store.js'
import { integersMax } from './set-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { zsetLimits } from './zset-store.js'

const BUSY_KEY = 'BUSYKEY Target key name already exists.'
const INVALID_TTL = 'ERR Invalid TTL value, must be >= 0'
const INVALID_IDLE_TIME = 'ERR Invalid IDLETIME value, must be >= 0'
const INVALID_FREQUENCY = 'ERR Invalid FREQ value, must be >= 0 and <= 255'
const NOT_INTACT = 'ERR DUMP payload version or checksum are wrong'
const BAD_FORMAT = 'ERR Bad data format'

const PAYLOAD_AT = 3
const FREQUENCY_MAX = 255
/** A payload may unpack to this many times the longest string that may be sent. */
const UNPACKED_RATIO = 4

const dump = defineCommand({
  name: 'dump',
  arity: 2,
  flags: Flag.ReadOnly,
  categories: ['keyspace'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'generic',
  since: '2.6.0',
  summary: 'Gives the value of a key in the serialization that RESTORE takes.',
  complexity: 'O(N) in the bytes of the value',
  tips: ['nondeterministic_output'],
  parse: (args: Args) => args.key(),
  run(ctx, key) {
    const entry = ctx.db.find(key)
    if (entry === undefined) return ctx.reply.nullBulk()
    ctx.reply.bulk(dumpOf(entry.value, ctx.server.config.values.protoMaxBulkLen))
  },
})

interface RestoreOptions {
  readonly key: string
  /** Judged after a look at the key, as in Redis. */
  readonly ttl: number | bigint | ReplyError
  readonly replace: boolean
  readonly absolute: boolean
  readonly idleS: number
  readonly frequency: number | undefined
}

function parseRestore(args: Args): RestoreOptions {
  const key = args.key()
  const ttl = parseTtl(args)
  args.at = PAYLOAD_AT + 1
  let replace = false
  let absolute = false
  let idleS: number | undefined
  let frequency: number | undefined
  while (args.remaining > 0) {
    if (args.take('REPLACE')) replace = true
    else if (args.take('ABSTTL')) absolute = true
    else if (args.remaining > 1 && frequency === undefined && args.take('IDLETIME')) {
      idleS = args.integer()
      if (idleS < 0) throw new ReplyError(INVALID_IDLE_TIME)
    } else if (args.remaining > 1 && idleS === undefined && args.take('FREQ')) {
      frequency = args.integer()
      if (frequency < 0 || frequency > FREQUENCY_MAX) throw new ReplyError(INVALID_FREQUENCY)
    } else throw new ReplyError(replyErrors.syntax)
  }
  return { key, ttl, replace, absolute, idleS: idleS ?? 0, frequency }
}

function parseTtl(args: Args): number | bigint | ReplyError {
  try {
    const ttl = args.int64()
    return ttl < 0 ? new ReplyError(INVALID_TTL) : ttl
  } catch (error) {
    if (error instanceof ReplyError) return error
    throw error
  }
}

/** The expiry in Unix ms, 0 for none; relative ones wrap at 64 bits, as in Redis. */
function expireAtMsOf(ttl: number | bigint, absolute: boolean, nowMs: number): number {
  if (absolute || ttl == 0) return Number(ttl)
  return Number(BigInt.asIntN(64, BigInt(ttl) + BigInt(nowMs)))
}

function restoredValue(ctx: CommandContext, payload: Buffer): KeyValue {
  if (!isIntact(payload)) throw new ReplyError(NOT_INTACT)
  const { protoMaxBulkLen } = ctx.server.config.values
  // What was restored once must be so again, whatever is configured now.
  const stringBytesMax = ctx.replaying ? Infinity : protoMaxBulkLen
  const limits = { stringBytesMax, unpackedBytesMax: UNPACKED_RATIO * stringBytesMax }
  const packing = { integersMax: integersMax(ctx), listpack: listpackLimits(ctx), zset: zsetLimits(ctx) }
  try {
    return valueOf(payload, ctx.keyspace.rows, limits, packing)
  } catch (error) {
    if (error instanceof PayloadError) throw new ReplyError(BAD_FORMAT)
    throw error
  }
}

const restore = defineCommand({
  name: 'restore',
  arity: -4,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['keyspace', 'dangerous'],
  keys: keysAt(['OW', 'update'], 1),
  group: 'generic',
  since: '2.6.0',
  summary: 'Makes a key out of the serialization that DUMP gave.',
  complexity: 'O(N) in the bytes of the value, O(log N) for each entry of a collection',
  parse: parseRestore,
  run(ctx, { key, ttl, replace, absolute, idleS, frequency }) {
    if (!replace && ctx.db.findToWrite(key) !== undefined) throw new ReplyError(BUSY_KEY)
    if (ttl instanceof ReplyError) throw ttl
    const payload = ctx.request.bytes(PAYLOAD_AT)
    const value = restoredValue(ctx, payload)
    const removed = ctx.db.remove(key)
    const expireAtMs = expireAtMsOf(ttl, absolute, ctx.nowMs)
    ctx.reply.ok()
    // At replay a past time is kept: the removal of the key follows in the journal.
    if (expireAtMs !== 0 && expireAtMs <= ctx.nowMs && !ctx.replaying) {
      value.drop()
      if (!removed) return
      ctx.effect('DEL', key)
      ctx.touched(key)
      ctx.notify('g', 'del', key)
      return
    }
    const entry = ctx.db.put(key, value)
    if (expireAtMs !== 0) ctx.db.setExpiry(entry, expireAtMs)
    const { frequencies } = ctx.keyspace
    if (frequencies === undefined) entry.accessMs = Math.max(0, ctx.nowMs - idleS * 1000)
    else if (frequency !== undefined) frequencies.set(entry, frequency, ctx.nowMs)
    if (absolute) ctx.changed()
    else ctx.effect('RESTORE', key, wholeMs(expireAtMs), payload, ...(replace ? ['REPLACE'] : []), 'ABSTTL')
    ctx.touched(key)
    ctx.notify('g', 'restore', key)
  },
})

export const dumpCommands: readonly CommandSpec<never>[] = [dump, restore]
