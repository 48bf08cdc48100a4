// XADD, XDEL, XTRIM, XSETID. Uses: stream-trim-clause, stream-idempotence, stream-arguments.
// XADD is the hottest command of all: its fields are never looked at; their bytes go from the request to the tail page.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import {
  compareIds,
  equalIds,
  formatId,
  ID_MAX,
  ID_MIN,
  idOf,
  isMsAbove,
  isZeroId,
  nextId,
  parseAutoSeqId,
} from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import { eachOnce, Stream } from '../types/stream/stream-api.js'
import type { Count } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, idAt, nodeLimits, streamToWrite, takeId, takeIds } from './stream-arguments.js'
import { digestOfAdd, idempotenceDefaults, takeIdempotence } from './stream-idempotence.js'
import type { IdempotentAdd } from './stream-idempotence.js'
import { exactTrimOptions, TrimClause } from './stream-trim-clause.js'

/** Redis' bound for the fields and values of one entry. */
const ENTRY_BYTES_MAX = 1 << 30
const STAR = 42

interface AddOptions {
  key: string
  /** Index of the ID's argument; fields begin behind it. */
  idIndex: number
  /** '<ms>-<seq>', or '<ms>-0' for '<ms>-*'; undefined for '*'. */
  id: StreamId | undefined
  autoSeq: boolean
  makeStream: boolean
  trim: TrimClause | undefined
  idempotence: IdempotentAdd | undefined
}

function parseAdd(a: Args): AddOptions {
  const request = a.request
  const key = a.key()
  let trim: TrimClause | undefined
  let makeStream = true
  let idempotence: IdempotentAdd | undefined
  while (a.remaining > 0 && !isStar(a)) {
    const idempotent = takeIdempotence(a, idempotence)
    if (idempotent !== undefined) {
      idempotence = idempotent
    } else if (a.take('NOMKSTREAM')) {
      makeStream = false
    } else {
      const clause: TrimClause = trim ?? new TrimClause()
      if (!clause.take(a)) break
      trim = clause
    }
  }
  const idIndex = a.at
  const options: AddOptions = { key, idIndex, id: undefined, autoSeq: false, makeStream, trim, idempotence }
  if (a.remaining > 0 && !isStar(a)) parseAddId(a, options)
  trim?.check(false)
  const fields = request.argc - idIndex - 1
  if (fields < 2 || fields % 2 === 1) throw new ReplyError(replyErrors.wrongArity('xadd'))
  if (options.id !== undefined && !options.autoSeq && isZeroId(options.id)) throw new ReplyError(streamErrors.idIsZero)
  return options
}

function isStar(a: Args): boolean {
  return a.request.lengths[a.at] === 1 && a.request.buffer[a.request.starts[a.at]] === STAR
}

function parseAddId(a: Args, options: AddOptions): void {
  const start = a.request.starts[a.at]
  options.id = idAt(a.request, a.at)
  if (options.id !== undefined) return
  options.id = parseAutoSeqId(a.request.buffer, start, start + a.request.lengths[a.at])
  options.autoSeq = true
  if (options.id === undefined) throw new ReplyError(streamErrors.invalidId)
}

/** The ID of the new entry. @throws ReplyError when none above `last` fits */
function newId(options: AddOptions, last: StreamId, nowMs: number): StreamId {
  if (equalIds(last, ID_MAX)) throw new ReplyError(streamErrors.exhausted)
  if (options.id === undefined) {
    // The clock may have stepped back, or the stream may be ahead of it: IDs only ever grow.
    return isMsAbove(nowMs, last) ? idOf(nowMs) : nextId(last)!
  }
  let id = options.id
  if (options.autoSeq && id.msLo === last.msLo && id.msHi === last.msHi) {
    const following = nextId(last)!
    if (following.msLo !== id.msLo) throw new ReplyError(streamErrors.idNotAbove)
    id = following
  }
  if (compareIds(id, last) <= 0) throw new ReplyError(streamErrors.idNotAbove)
  return id
}

/** Appends the entry of the request; gives the stream, new if there was none. @throws ReplyError before any change */
function append(ctx: CommandContext, options: AddOptions, present: Stream | undefined, id: StreamId): Stream {
  const { idIndex } = options
  const { request } = ctx
  const from = request.headerOf(idIndex + 1)
  if (request.to - from > ENTRY_BYTES_MAX) throw new ReplyError(streamErrors.tooLarge)
  let stream = present
  if (stream === undefined) {
    stream = Stream.create(ctx.keyspace.rows)
    ctx.db.put(options.key, stream)
  }
  stream.append(id, (request.argc - idIndex - 1) / 2, request.buffer, from, request.to, nodeLimits(ctx))
  return stream
}

function journalAdd(ctx: CommandContext, { id: asked, autoSeq, idIndex }: AddOptions, id: StreamId): void {
  if (asked !== undefined && !autoSeq) ctx.changed()
  else ctx.effectWithId(idIndex, id)
}

/** What nearly every XADD is; whatever has an option is done apart, so that this stays small enough to be inlined. */
function runAdd(ctx: CommandContext, options: AddOptions): void {
  if (options.idempotence !== undefined || options.trim !== undefined) return runAddWith(ctx, options)
  const { key } = options
  const stream = streamToWrite(ctx, key)
  if (stream === undefined && !options.makeStream) return ctx.reply.nullBulk()
  const id = newId(options, stream === undefined ? ID_MIN : stream.lastId, ctx.nowMs)
  append(ctx, options, stream, id)
  ctx.reply.streamId(id)
  journalAdd(ctx, options, id)
  ctx.touched(key)
  ctx.notify('t', 'xadd', key)
}

function runAddWith(ctx: CommandContext, options: AddOptions): void {
  const { key, idIndex, idempotence, trim } = options
  const { request } = ctx
  if (idempotence !== undefined && options.id !== undefined && !ctx.replaying) {
    throw new ReplyError(streamErrors.idempotenceNeedsStar)
  }
  const present = streamToWrite(ctx, key)
  if (present === undefined && !options.makeStream) return ctx.reply.nullBulk()
  const digest = idempotence === undefined ? undefined : digestOfAdd(idempotence, request, idIndex + 1)
  if (digest !== undefined && answersDuplicate(ctx, options, present, digest)) return
  const id = newId(options, present === undefined ? ID_MIN : present.lastId, ctx.nowMs)
  // Before anything is changed: among very many groups the command comes back for it.
  const trimmable = present === undefined ? undefined : trim?.find(present, nodeLimits(ctx))
  const stream = append(ctx, options, present, id)
  if (digest !== undefined) {
    stream.idempotence.add(idempotence!.producer, digest, id, ctx.nowMs, idempotenceDefaults(ctx))
  }
  const removed = trim === undefined ? 0 : trim.apply(stream, nodeLimits(ctx), trimmable)
  ctx.reply.streamId(id)
  // What ACKED removes follows from the groups, and from nothing else.
  if (trim !== undefined && trim.approximate && trim.policy !== 'acked') {
    ctx.effectSpliced(2, idIndex + 1, ...exactTrimOptions(request, 2, idIndex, stream.length), formatId(id))
  } else journalAdd(ctx, options, id)
  ctx.touched(key)
  ctx.notify('t', 'xadd', key)
  if (removed > 0) ctx.notify('t', 'xtrim', key)
}

/** Answers an entry that its producer sent before with the ID it got then. False when it is new. */
function answersDuplicate(
  ctx: CommandContext,
  { idIndex, idempotence }: AddOptions,
  stream: Stream | undefined,
  digest: string,
): boolean {
  const known = stream?.idempotence.find(idempotence!.producer, digest, ctx.nowMs)
  if (stream === undefined || known === undefined) return false
  stream.idempotence.countDuplicate()
  ctx.reply.streamId(known)
  ctx.effectWithId(idIndex, known)
  return true
}

export const xadd = defineCommand<AddOptions>({
  name: 'xadd',
  arity: -5,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Adds an entry at the end of a stream, which is created if need be, and trims it if asked.',
  complexity: 'O(1) to add; to trim, O(N) in the entries removed',
  tips: ['nondeterministic_output'],
  parse: parseAdd,
  run: runAdd,
})

interface DeleteOptions {
  key: string
  ids: StreamId[] | ReplyError
}

export const xdel = defineCommand<DeleteOptions>({
  name: 'xdel',
  arity: -3,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Deletes entries by ID and answers how many there were; the key stays even when the stream becomes empty.',
  complexity: 'O(log N) per ID',
  parse: a => ({ key: a.key(), ids: attempt(a, takeIds) }),
  run(ctx, options) {
    const stream = streamToWrite(ctx, options.key)
    if (stream === undefined) return ctx.reply.integer(0)
    let deleted = 0
    for (const was of eachOnce(granted(options.ids), ids => stream.deleteAll(ids))) if (was) deleted++
    ctx.reply.integer(deleted)
    if (deleted === 0) return
    ctx.changed(deleted)
    ctx.touched(options.key)
    ctx.notify('t', 'xdel', options.key)
  },
})

interface TrimOptions {
  key: string
  trim: TrimClause
}

export const xtrim = defineCommand<TrimOptions>({
  name: 'xtrim',
  arity: -4,
  flags: Flag.Write,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Removes the oldest entries until a length or a lowest ID is reached; answers how many went.',
  complexity: 'O(N) in the entries removed; with ~ in the nodes removed',
  tips: ['nondeterministic_output'],
  parse(a) {
    const key = a.key()
    const trim = new TrimClause()
    while (a.remaining > 0) if (!trim.take(a)) a.end()
    trim.check(true)
    return { key, trim }
  },
  run(ctx, { key, trim }) {
    const stream = streamToWrite(ctx, key)
    const removed = stream === undefined ? 0 : trim.apply(stream, nodeLimits(ctx))
    ctx.reply.integer(removed)
    if (stream === undefined || removed === 0) return
    if (!trim.approximate || trim.policy === 'acked') ctx.changed(removed)
    else if (trim.policy === 'drop') ctx.effect('XTRIM', key, 'MAXLEN', '=', stream.length, 'DELREF')
    else ctx.effect('XTRIM', key, 'MAXLEN', '=', stream.length)
    ctx.touched(key)
    ctx.notify('t', 'xtrim', key)
  },
})

interface SetIdOptions {
  key: string
  id: StreamId
  entriesAdded: Count | undefined
  maxDeletedId: StreamId | undefined
}

function parseSetId(a: Args): SetIdOptions {
  const options: SetIdOptions = { key: a.key(), id: takeId(a), entriesAdded: undefined, maxDeletedId: undefined }
  while (a.remaining > 1) {
    if (a.take('ENTRIESADDED')) {
      options.entriesAdded = a.int64()
      if (options.entriesAdded < 0) throw new ReplyError(streamErrors.entriesAddedNegative)
    } else if (a.take('MAXDELETEDID')) {
      const id = takeId(a)
      if (compareIds(options.id, id) < 0) throw new ReplyError(streamErrors.setIdBelowGivenTombstone)
      options.maxDeletedId = isZeroId(id) ? undefined : id
    } else {
      a.end()
    }
  }
  a.end()
  return options
}

export const xsetid = defineCommand<SetIdOptions>({
  name: 'xsetid',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Sets the last ID of a stream, and its counters, for tools that rebuild streams.',
  complexity: 'O(1)',
  parse: parseSetId,
  run(ctx, { key, id, entriesAdded, maxDeletedId }) {
    const stream = streamToWrite(ctx, key)
    if (stream === undefined) throw new ReplyError(replyErrors.noSuchKey)
    if (stream.length > 0) {
      const above = nextId(id)
      if (above !== undefined && stream.countRange(above, ID_MAX) > 0) throw new ReplyError(streamErrors.setIdBelowTop)
      if (entriesAdded !== undefined && entriesAdded < stream.length) {
        throw new ReplyError(streamErrors.entriesAddedBelowLength)
      }
    }
    stream.setId(id, entriesAdded, maxDeletedId)
    ctx.reply.ok()
    ctx.changed()
    ctx.notify('t', 'xsetid', key)
  },
})
