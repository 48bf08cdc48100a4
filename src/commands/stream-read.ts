// XLEN, XRANGE, XREVRANGE, XREAD. Entries are stored as the RESP that a reader receives: replies are slices of pages.
// Uses: stream-read-options, stream-arguments.

import { ReplyError } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { compareIds, ID_MAX, ID_MIN, nextId, parseId, previousId } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { Stream, WireSlice } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext, Wait } from './context.js'
import { JoinedReply, LONG_REPLY_BYTES, ReadReply, ShortReply } from './long-reply.js'
import type { LongReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { COUNT_ALL, endAt, startAt, streamAt, streamIfAny, takeCount, writeEntries } from './stream-arguments.js'
import type { ReadBudget } from './stream-read-budget.js'
import {
  BLOCK_NOT,
  budgetOf,
  ID_DOLLAR,
  ID_LAST,
  ID_MALFORMED,
  ID_NEW,
  parseRead,
  refuseBlockInScript,
} from './stream-read-options.js'
import type { ReadOptions } from './stream-read-options.js'

export const xlen = defineCommand<string>({
  name: 'xlen',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RO'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Number of entries in a stream.',
  complexity: 'O(1)',
  parse: a => a.key(),
  run(ctx, key) {
    const stream = streamAt(ctx, key)
    ctx.reply.integer(stream === undefined ? 0 : stream.length)
  },
})

/** Ranks of entries, [from, to). */
interface RankRange {
  readonly from: number
  readonly to: number
}

/** False for what is answered at once; true when the ranks must be looked at. */
export function mayBeLong(ctx: CommandContext, { entryBytes, length }: Stream, count: number): boolean {
  return entryBytes > LONG_REPLY_BYTES && count * (entryBytes / length) > LONG_REPLY_BYTES && ctx.mayStream
}

/** Judged by the mean entry: an exact sum would cost a pass over the descriptors. */
export function isLong({ entryBytes, length }: Stream, { from, to }: RankRange): boolean {
  return (to - from) * (entryBytes / length) > LONG_REPLY_BYTES
}

/** Ranks of the first `count` entries of [start, end], of the last ones with `reverse`. */
export function rangeOf(stream: Stream, start: StreamId, end: StreamId, count: number, reverse: boolean): RankRange {
  const afterEnd = nextId(end)
  const from = stream.rank(start)
  const to = Math.max(from, afterEnd === undefined ? stream.length : stream.rank(afterEnd))
  return reverse ? { from: Math.max(from, to - count), to } : { from, to: Math.min(to, from + count) }
}

export function entriesReply(stream: Stream, { from, to }: RankRange, reverse = false): LongReply {
  const read = stream.longRead(from, to, reverse)
  return new ReadReply(read, reply => (bytes, at, end) => reply.wire(bytes, at, end))
}

interface RangeOptions {
  key: string
  start: StreamId
  end: StreamId
  count: number
}

function parseRange(a: Args, reverse: boolean): RangeOptions {
  const key = a.key()
  const start = startAt(a.request, reverse ? a.at + 1 : a.at)
  const end = endAt(a.request, reverse ? a.at : a.at + 1)
  a.at += 2
  let count = COUNT_ALL
  while (a.remaining > 1 && a.take('COUNT')) count = takeCount(a)
  a.end()
  return { key, start, end, count }
}

function runRange(ctx: CommandContext, { key, start, end, count }: RangeOptions, reverse: boolean): void {
  const stream = streamAt(ctx, key)
  if (stream === undefined) return ctx.reply.array(0)
  if (count === 0) return ctx.reply.nullArray()
  if (mayBeLong(ctx, stream, count)) {
    const range = rangeOf(stream, start, end, count, reverse)
    if (isLong(stream, range)) {
      ctx.reply.array(range.to - range.from)
      return ctx.stream(entriesReply(stream, range, reverse))
    }
  }
  writeEntries(ctx.reply, [...(reverse ? stream.rangeReverse(start, end, count) : stream.range(start, end, count))])
}

export const xrange = defineCommand<RangeOptions>({
  name: 'xrange',
  arity: -4,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Entries between two IDs, ascending.',
  complexity: 'O(log N) to find the start, then a copy of the bytes of the entries',
  parse: a => parseRange(a, false),
  run: (ctx, options) => runRange(ctx, options, false),
})

export const xrevrange = defineCommand<RangeOptions>({
  name: 'xrevrange',
  arity: -4,
  flags: Flag.ReadOnly,
  categories: ['stream'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Entries between two IDs, descending; the higher ID comes first.',
  complexity: 'O(log N) to find the start, then a copy of the bytes of the entries',
  parse: a => parseRange(a, true),
  run: (ctx, options) => runRange(ctx, options, true),
})

/** What one stream gives to the reply of XREAD or XREADGROUP. */
export interface StreamReply {
  readonly key: string
  /** Writes the array of entries; only its head when there is a rest. */
  write(reply: Reply): void
  /** What is long is sent as the client takes it. */
  readonly rest?: LongReply
}

/** Map of keys to entries in RESP3; pairs in RESP2. What is long is left to be streamed. */
export function writeStreamReplies(ctx: CommandContext, replies: readonly StreamReply[]): void {
  const { reply } = ctx
  const pairs = reply.protocol === 2
  if (pairs) reply.array(replies.length)
  else reply.map(replies.length)
  const rest: LongReply[] = []
  for (let i = 0; i < replies.length; i++) {
    const one = replies[i]
    const write = (out: Reply): void => {
      if (pairs) out.array(2)
      out.latin1(one.key)
      one.write(out)
    }
    if (rest.length === 0) write(reply)
    else rest.push(new ShortReply(write))
    if (one.rest !== undefined) rest.push(one.rest)
  }
  if (rest.length > 0) ctx.stream(new JoinedReply(rest))
}

export class EntriesReply implements StreamReply {
  constructor(
    readonly key: string,
    readonly slices: readonly WireSlice[],
  ) {}

  get count(): number {
    let entries = 0
    for (let i = 0; i < this.slices.length; i++) entries += this.slices[i].entries
    return entries
  }

  write(reply: Reply): void {
    writeEntries(reply, this.slices)
  }
}

/** Lets go of what replies hold that will not be sent. */
export function closeReplies(replies: readonly StreamReply[]): void {
  for (const { rest } of replies) rest?.close()
}

/** The entries of one stream, to be sent as the client takes them. */
export class LongEntriesReply implements StreamReply {
  readonly rest: LongReply

  constructor(
    readonly key: string,
    stream: Stream,
    readonly range: RankRange,
  ) {
    this.rest = entriesReply(stream, range)
  }

  get count(): number {
    return this.range.to - this.range.from
  }

  write(reply: Reply): void {
    reply.array(this.count)
  }
}

/** The ID after which a stream is read, now that the stream is known. @throws ReplyError */
function readAfter(stream: Stream | undefined, id: StreamId): StreamId {
  if (id === ID_DOLLAR) return stream === undefined ? ID_MIN : stream.lastId
  if (id === ID_NEW) throw new ReplyError(streamErrors.newInRead)
  if (id === ID_MALFORMED) throw new ReplyError(streamErrors.invalidId)
  if (id !== ID_LAST) return id
  const last = stream?.last()
  if (last === undefined) return stream === undefined ? ID_MIN : stream.lastId
  return previousId(entryId(last))!
}

/** ID of the first entry of a slice, read from its stored form '*2 $<length> <id> …'. */
function entryId({ bytes, from }: WireSlice): StreamId {
  const at = bytes.indexOf('\r\n', from + ENTRY_HEAD_BYTES) + 2
  return parseId(bytes, at, bytes.indexOf('\r\n', at))!
}

/** '*2', CR, LF, '$'. */
const ENTRY_HEAD_BYTES = 5

interface ReadSource {
  readonly key: string
  readonly stream: Stream | undefined
  readonly after: StreamId
}

/** @throws ReplyError when `id` is none for XREAD */
function sourceOf(key: string, stream: Stream | undefined, id: StreamId): ReadSource {
  return { key, stream, after: readAfter(stream, id) }
}

/** Replies with the entries that are there. False, and nothing written, when no stream has any. */
function serveRead(ctx: CommandContext, sources: readonly ReadSource[], options: ReadOptions): boolean {
  const replies: StreamReply[] = []
  const { count } = options
  const budget = budgetOf(options)
  try {
    for (const { key, stream, after } of sources) {
      if (stream === undefined || compareIds(stream.lastId, after) <= 0) continue
      budget?.begin(key, ctx.reply.protocol)
      const reply =
        (budget === undefined ? longRead(ctx, key, stream, after, count) : undefined) ??
        shortRead(key, stream, after, count, budget)
      if (reply !== undefined) replies.push(reply)
    }
  } catch (error) {
    closeReplies(replies)
    throw error
  }
  if (replies.length === 0) return false
  writeStreamReplies(ctx, replies)
  return true
}

function shortRead(
  key: string,
  stream: Stream,
  after: StreamId,
  count: number,
  budget: ReadBudget | undefined,
): StreamReply | undefined {
  const range = stream.range(nextId(after)!, ID_MAX, count)
  const slices = budget === undefined ? [...range] : budget.fitting(range)
  return slices.length > 0 ? new EntriesReply(key, slices) : undefined
}

/** At most `count` entries after `after`; undefined when they are few. */
export function longRead(
  ctx: CommandContext,
  key: string,
  stream: Stream,
  after: StreamId,
  count: number,
): LongEntriesReply | undefined {
  if (!mayBeLong(ctx, stream, count)) return undefined
  const range = rangeOf(stream, nextId(after)!, ID_MAX, count, false)
  return isLong(stream, range) ? new LongEntriesReply(key, stream, range) : undefined
}

/** Waits for the first of its streams that gets an entry, and answers with that one. */
class ReadWait implements Wait {
  readonly kind = 'stream'
  readonly keys: readonly string[]
  readonly timeoutMs: number

  constructor(
    readonly options: ReadOptions,
    readonly after: readonly StreamId[],
  ) {
    this.keys = [...new Set(options.keys)]
    this.timeoutMs = options.blockMs
  }

  serve(ctx: CommandContext, key: string): boolean {
    const stream = streamIfAny(ctx, key)
    if (stream === undefined) return false
    const { keys } = this.options
    const sources = this.after.map(after => ({ key, stream, after })).filter((_, i) => keys[i] === key)
    return serveRead(ctx, sources, this.options)
  }

  onTimeout(reply: Reply): void {
    reply.nullArray()
  }
}

export const xread = defineCommand<ReadOptions>({
  name: 'xread',
  arity: -4,
  flags: Flag.ReadOnly | Flag.Blocking | Flag.MovableKeys,
  categories: ['stream'],
  keys: [
    {
      flags: ['RO', 'access'],
      begin: { keyword: 'STREAMS', startFrom: 1 },
      find: { lastKey: -1, step: 1, limit: 2 },
    },
  ],
  group: 'stream',
  since: '5.0.0',
  summary: 'Entries after given IDs of one or more streams; can wait until there are some.',
  complexity: 'O(log N) per stream, then a copy of the bytes of the entries',
  parse: a => parseRead(a, false),
  run(ctx, options) {
    const { keys, ids } = options
    refuseBlockInScript(ctx, options.blockMs)
    const sources = keys.map((key, i) => sourceOf(key, streamAt(ctx, key), ids[i]))
    if (serveRead(ctx, sources, options)) return
    if (options.blockMs === BLOCK_NOT || !ctx.mayBlock) return ctx.reply.nullArray()
    ctx.block(
      new ReadWait(
        options,
        sources.map(source => source.after),
      ),
    )
  },
})
