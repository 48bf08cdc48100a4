// What the stream commands share: reading IDs, intervals and lists of IDs from arguments, finding the stream of a key,
// and writing stored entries. Used by: stream-*.ts. Uses: base/stream-id, types/stream.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { nextId, parseId, parseRangeId, previousId } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import { StreamIdList } from '../base/stream-id-list.js'
import type { Reply } from '../resp/reply.js'
import type { Request } from '../resp/request.js'
import type { ConsumerGroup, NodeLimits, Stream, WireSlice } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'

/** More entries than any stream has: "no COUNT". */
export const COUNT_ALL = Number.MAX_SAFE_INTEGER

/** Argument `i` as '<ms>' or '<ms>-<seq>'; undefined when it is neither. '-' and '+' are none. */
export function idAt(request: Request, i: number): StreamId | undefined {
  const start = request.starts[i]
  return parseId(request.buffer, start, start + request.lengths[i])
}

/** The next argument as an ID. @throws ReplyError */
export function takeId(a: Args): StreamId {
  if (a.remaining === 0) throw new ReplyError(replyErrors.syntax)
  const id = idAt(a.request, a.at)
  if (id === undefined) throw new ReplyError(streamErrors.invalidId)
  a.at++
  return id
}

/** All arguments that are left, as IDs. @throws ReplyError */
export function takeIds(a: Args): StreamId[] {
  const ids: StreamId[] = []
  while (a.remaining > 0) ids.push(takeId(a))
  return ids
}

const listedIds = new StreamIdList()

/** As takeIds(). The list is valid until the next call: none is made per command. @throws ReplyError */
export function listIds(a: Args): StreamIdList {
  const { buffer, starts, lengths, argc } = a.request
  listedIds.clear()
  for (; a.at < argc; a.at++) {
    const start = starts[a.at]
    if (!listedIds.parse(buffer, start, start + lengths[a.at])) throw new ReplyError(streamErrors.invalidId)
  }
  return listedIds
}

/** Argument `i` as the lower end of an interval: '-', '+', an ID, or '(' and an ID. @throws ReplyError */
export function startAt(request: Request, i: number): StreamId {
  if (!isExclusive(request, i)) return rangeIdAt(request, i, 0)
  const id = nextId(exclusiveIdAt(request, i, 0))
  if (id === undefined) throw new ReplyError(streamErrors.invalidStart)
  return id
}

/** As startAt(), for the upper end. */
export function endAt(request: Request, i: number): StreamId {
  if (!isExclusive(request, i)) return rangeIdAt(request, i, 'max')
  const id = previousId(exclusiveIdAt(request, i, 'max'))
  if (id === undefined) throw new ReplyError(streamErrors.invalidEnd)
  return id
}

const OPENING_PARENTHESIS = 40

function isExclusive(request: Request, i: number): boolean {
  return request.lengths[i] > 1 && request.buffer[request.starts[i]] === OPENING_PARENTHESIS
}

function exclusiveIdAt(request: Request, i: number, missingSeq: 0 | 'max'): StreamId {
  const start = request.starts[i]
  const id = parseId(request.buffer, start + 1, start + request.lengths[i], missingSeq)
  if (id === undefined) throw new ReplyError(streamErrors.invalidId)
  return id
}

/** Argument `i` as an ID, '-' (the lowest) or '+' (the highest). @throws ReplyError */
export function rangeIdAt(request: Request, i: number, missingSeq: 0 | 'max'): StreamId {
  const start = request.starts[i]
  const id = parseRangeId(request.buffer, start, start + request.lengths[i], missingSeq)
  if (id === undefined) throw new ReplyError(streamErrors.invalidId)
  return id
}

/** The next argument as a COUNT: what is negative is 0, what no stream can hold is COUNT_ALL. @throws ReplyError */
export function takeCount(a: Args): number {
  return Math.min(Math.max(a.integer(), 0), COUNT_ALL)
}

/**
 * Runs `parse` and returns its result or its ReplyError: where Redis looks at the key before it complains about the
 * arguments, the error waits until run() calls granted().
 */
export function attempt<T>(a: Args, parse: (a: Args) => T): T | ReplyError {
  try {
    return parse(a)
  } catch (error) {
    if (error instanceof ReplyError) return error
    throw error
  }
}

/** The result of attempt(). @throws ReplyError when it was one */
export function granted<T>(result: T | ReplyError): T {
  if (result instanceof ReplyError) throw result
  return result
}

/** The stream of a key, looked up as Redis' reading commands do. @throws ReplyError WRONGTYPE */
export function streamAt(ctx: CommandContext, key: string): Stream | undefined {
  return ctx.db.typed<Stream>(key, 'stream')
}

/** As streamAt(), for commands that Redis counts as neither hit nor miss. */
export function streamToWrite(ctx: CommandContext, key: string): Stream | undefined {
  return ctx.db.typedToWrite<Stream>(key, 'stream')
}

/** The stream of a key if it is one now: for somebody who waits no other type is an error, and no look-up counts. */
export function streamIfAny(ctx: CommandContext, key: string): Stream | undefined {
  const entry = ctx.db.peek(key)
  return entry?.type === 'stream' ? (entry.value as Stream) : undefined
}

/** Both, or the error of XPENDING, XCLAIM and XAUTOCLAIM. @throws ReplyError NOGROUP, WRONGTYPE */
export function groupAt(ctx: CommandContext, key: string, name: string): { stream: Stream; group: ConsumerGroup } {
  const stream = streamAt(ctx, key)
  const group = stream?.group(name)
  if (stream === undefined || group === undefined) throw new ReplyError(streamErrors.noKeyOrGroup(key, name))
  return { stream, group }
}

/** As groupAt(), for commands that Redis counts as neither hit nor miss. */
export function groupToWrite(ctx: CommandContext, key: string, name: string): { stream: Stream; group: ConsumerGroup } {
  const stream = streamToWrite(ctx, key)
  const group = stream?.group(name)
  if (stream === undefined || group === undefined) throw new ReplyError(streamErrors.noKeyOrGroup(key, name))
  return { stream, group }
}

const limits: NodeLimits = { entriesMax: 0, bytesMax: 0 }

/** The bounds of macro nodes as configured now. The object is valid until the next call: none is made per XADD. */
export function nodeLimits(ctx: CommandContext): NodeLimits {
  const values = ctx.server.config.values
  limits.entriesMax = values.streamNodeMaxEntries
  limits.bytesMax = values.streamNodeMaxBytes
  return limits
}

/** Writes an array of stored entries. */
export function writeEntries(reply: Reply, slices: readonly WireSlice[]): void {
  let entries = 0
  for (let i = 0; i < slices.length; i++) entries += slices[i].entries
  reply.array(entries)
  for (let i = 0; i < slices.length; i++) reply.wire(slices[i].bytes, slices[i].from, slices[i].to)
}

/** Writes a stored entry, or the bulk null for none. */
export function writeEntry(reply: Reply, slice: WireSlice | undefined): void {
  if (slice === undefined) reply.nullBulk()
  else reply.wire(slice.bytes, slice.from, slice.to)
}

/** The client's own spelling of the subcommand, for the error that names it. */
export function subcommandSyntax(container: string, a: Args): ReplyError {
  return new ReplyError(streamErrors.subcommandSyntax(container, a.request.text(1)))
}
