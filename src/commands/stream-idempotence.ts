// Entries that a producer may send twice: the options IDMP and IDMPAUTO of XADD, XCFGSET and XIDMPRECORD.
// Used by: stream-write, stream-commands. Uses: stream-arguments.
// XADD is journaled with its options and the ID that it answered, also when it found a duplicate: replay finds the
// same.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { idOf, compareIds } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Request } from '../resp/request.js'
import { digestOfId, digestOfPairs } from '../types/stream/stream-api.js'
import type { IdempotenceLimits, Stream } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, streamToWrite, takeId } from './stream-arguments.js'

export interface IdempotentAdd {
  readonly producer: string
  /** Of the ID given; undefined: that of fields and values is taken. */
  readonly digest: string | undefined
}

/** Takes the next arguments if they are IDMP or IDMPAUTO and what belongs to it. @throws ReplyError */
export function takeIdempotence(a: Args, given: IdempotentAdd | undefined): IdempotentAdd | undefined {
  const auto = a.remaining > 1 && a.take('IDMPAUTO')
  if (!auto && !(a.remaining > 2 && a.take('IDMP'))) return undefined
  if (given !== undefined) throw new ReplyError(streamErrors.idempotenceTwice)
  const producer = a.text()
  if (producer === '') throw new ReplyError(streamErrors.producerEmpty(auto ? 'IDMPAUTO' : 'IDMP'))
  if (auto) return { producer, digest: undefined }
  const id = a.bytes()
  if (id.length === 0) throw new ReplyError(streamErrors.idempotentIdEmpty)
  return { producer, digest: digestOfId(id) }
}

/** What stands for the entry of `request`, whose fields begin at argument `fieldsFrom`. */
export function digestOfAdd(add: IdempotentAdd, request: Request, fieldsFrom: number): string {
  if (add.digest !== undefined) return add.digest
  const pairs: Buffer[] = []
  for (let i = fieldsFrom; i < request.argc; i++) pairs.push(request.copy(i))
  return digestOfPairs(pairs)
}

/** The limits of a stream that has none of its own yet. */
export function idempotenceDefaults(ctx: CommandContext): IdempotenceLimits {
  const { streamIdmpDuration, streamIdmpMaxsize } = ctx.server.config.values
  return { durationS: streamIdmpDuration, sizeMax: streamIdmpMaxsize }
}

interface ConfigureOptions {
  readonly key: string
  /** Redis looks for the stream before it complains about what follows. */
  readonly limits: Partial<IdempotenceLimits> | ReplyError
}

const DURATION_S_MAX = 86_400
const SIZE_MAX = 10_000

function parseLimits(a: Args): Partial<IdempotenceLimits> {
  const limits: Partial<IdempotenceLimits> = {}
  while (a.remaining > 0) {
    if (a.remaining > 1 && a.take('IDMP-DURATION')) {
      if (limits.durationS !== undefined) throw new ReplyError(streamErrors.windowTwice('IDMP-DURATION'))
      limits.durationS = takeWithin(a, DURATION_S_MAX, streamErrors.windowDuration)
    } else if (a.remaining > 1 && a.take('IDMP-MAXSIZE')) {
      if (limits.sizeMax !== undefined) throw new ReplyError(streamErrors.windowTwice('IDMP-MAXSIZE'))
      limits.sizeMax = takeWithin(a, SIZE_MAX, streamErrors.windowSize)
    } else {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  if (limits.durationS === undefined && limits.sizeMax === undefined) {
    throw new ReplyError(streamErrors.windowParameterMissing)
  }
  return limits
}

function takeWithin(a: Args, max: number, error: string): number {
  const value = a.integer()
  if (value < 1 || value > max) throw new ReplyError(error)
  return value
}

/** @throws ReplyError when the key does not exist or is no stream */
function streamNeeded(ctx: CommandContext, key: string): Stream {
  const stream = streamToWrite(ctx, key)
  if (stream === undefined) throw new ReplyError(replyErrors.noSuchKey)
  return stream
}

export const xcfgset = defineCommand<ConfigureOptions>({
  name: 'xcfgset',
  arity: -2,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '8.6.0',
  summary: 'Sets how long and how many idempotent IDs a stream knows; a new value makes it forget those it knew.',
  complexity: 'O(1); O(P) in the producers that are forgotten',
  parse: a => ({ key: a.key(), limits: attempt(a, parseLimits) }),
  run(ctx, { key, limits }) {
    const stream = streamNeeded(ctx, key)
    stream.idempotence.configure(granted(limits), idempotenceDefaults(ctx))
    ctx.reply.ok()
    ctx.changed()
  },
})

interface RecordOptions {
  readonly key: string
  readonly producer: string
  readonly idempotentId: Buffer
  readonly id: StreamId
}

function parseRecord(a: Args): RecordOptions {
  const options: RecordOptions = { key: a.key(), producer: a.text(), idempotentId: a.bytes(), id: takeId(a) }
  if (options.producer === '') throw new ReplyError(streamErrors.recordProducerEmpty)
  if (options.idempotentId.length === 0) throw new ReplyError(streamErrors.recordIdEmpty)
  return options
}

function runRecord(ctx: CommandContext, { key, producer, idempotentId, id }: RecordOptions): void {
  const stream = streamNeeded(ctx, key)
  if (!stream.has(id)) throw new ReplyError(streamErrors.recordEntryMissing)
  const digest = digestOfId(idempotentId)
  const known = stream.idempotence.find(producer, digest, ctx.nowMs)
  if (known !== undefined && compareIds(known, id) !== 0) throw new ReplyError(streamErrors.recordDiffers)
  ctx.reply.ok()
  if (known !== undefined) return
  stream.idempotence.add(producer, digest, id, addedMsOf(id, ctx.nowMs), idempotenceDefaults(ctx))
  ctx.changed()
}

/** When an entry was added, as far as its ID tells: not later than now. */
function addedMsOf(id: StreamId, nowMs: number): number {
  const now = idOf(nowMs)
  return compareIds(id, now) < 0 ? id.msHi * 2 ** 32 + id.msLo : nowMs
}

export const xidmprecord = defineCommand<RecordOptions>({
  name: 'xidmprecord',
  arity: 5,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '8.6.2',
  summary: 'Notes the idempotent ID of an entry that is there, for tools that rebuild streams.',
  complexity: 'O(1)',
  parse: parseRecord,
  run: runRecord,
})
