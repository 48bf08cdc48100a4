// What the string commands share: contents out of a request, the value of a key, a new content behind a key, replies.
// A string longer than string-row-max-bytes is kept in pieces from the first change in place on, or when it is stored.

import { allocate, PIECE_BYTES } from '../base/allocation.js'
import { ReplyError, replyErrors } from '../base/errors.js'
import { LargeArgument } from '../resp/large-argument.js'
import type { Reply } from '../resp/reply.js'
import type { KeyEntry } from '../types/keyspace.js'
import { PiecedString } from '../types/string/pieced-string.js'
import { StringValue, TEXT_BYTES_MAX } from '../types/string/string-value.js'
import type { StringForm } from '../types/string/string-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { JoinedReply, LONG_REPLY_BYTES, ReadReply, ShortReply } from './long-reply.js'

const TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)'

/** From here on what lies in memory is sent as it is: whoever changes it next copies it first. */
const LENT_BYTES_MIN = 1 << 20
/** Pieces are so many times shorter than the shortest string that is kept in pieces, unless that is very long. */
const PIECES_MIN = 4
/** Of a string that is made in one go. */
const PIECES_MAX = 16_384
const WORD_BYTES = 8
/** What string-row-max-bytes is at least. */
const STRING_ROW_BYTES_MIN = 64
const LINE_END = Buffer.from('\r\n')

export type AnyString = StringValue | PiecedString

/** The next argument as a value's content, its own copy: a latin1 string when short, else a Buffer. */
export function contentOf(args: Args): string | Buffer {
  const { request } = args
  if (request.lengths[args.at] <= TEXT_BYTES_MAX) return request.text(args.at++)
  return ownBytes(request.bytes(args.at++))
}

/** What a request brings as a value: a latin1 string when short, else a view of the request, or pieces. */
export type GivenContent = string | Buffer | LargeArgument

/** The next argument as it is in the request: storeContent() copies it, or takes its pieces. */
export function givenContent(args: Args): GivenContent {
  const { request } = args
  if (request.lengths[args.at] <= TEXT_BYTES_MAX) return request.text(args.at++)
  const i = args.at++
  return request.large?.get(i) ?? request.bytes(i)
}

/** The string value of an entry. @throws ReplyError WRONGTYPE */
export function stringOf(entry: KeyEntry): AnyString {
  if (entry.type !== 'string') throw new ReplyError(replyErrors.wrongType)
  return entry.value as AnyString
}

/**
 * The string of a key for a command that changes it in place, in the form that it has when it is `lengthAfter` long.
 * @throws ReplyError WRONGTYPE, OOM
 */
export function stringToChange(ctx: CommandContext, entry: KeyEntry, lengthAfter: number): AnyString {
  const value = stringOf(entry)
  if (value instanceof PiecedString || !isLong(ctx, lengthAfter)) return value
  const pieced = PiecedString.of(ctx.keyspace.rows, value.bytes(), pieceBytes(ctx, lengthAfter))
  putValue(ctx, entry.name, pieced, entry.expireAtMs)
  return pieced
}

/** The entry of a key for a command that writes a string. @throws ReplyError WRONGTYPE */
export function stringEntryToWrite(ctx: CommandContext, key: string): KeyEntry | undefined {
  const entry = ctx.db.findToWrite(key)
  if (entry !== undefined) stringOf(entry)
  return entry
}

/**
 * Makes `given` (copied, unless it is in pieces) the value of `key`, whatever that held. A short string is changed in
 * place, which leaves the directory alone.
 * @param entry what a look-up of `key` has just found
 */
export function storeContent(
  ctx: CommandContext,
  key: string,
  entry: KeyEntry | undefined,
  given: GivenContent,
  keepTtl = false,
  form: StringForm = 'auto',
): KeyEntry {
  if (given instanceof LargeArgument && isLong(ctx, given.length) && pieceBytes(ctx, given.length) === PIECE_BYTES) {
    return put(ctx, key, entry, PiecedString.create(ctx.keyspace.rows, given.pieces, PIECE_BYTES), keepTtl)
  }
  const content = given instanceof LargeArgument ? given.whole() : given
  if (!isLong(ctx, content.length)) {
    const own = typeof content === 'string' ? content : ownBytes(content)
    if (entry !== undefined && entry.type === 'string' && entry.value instanceof StringValue) {
      entry.value.assign(own, form)
      if (entry.expireAtMs !== 0 && !keepTtl) ctx.db.setExpiry(entry, 0)
      return entry
    }
    return put(ctx, key, entry, StringValue.create(ctx.keyspace.rows, own, form), keepTtl)
  }
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  return put(ctx, key, entry, PiecedString.of(ctx.keyspace.rows, bytes, pieceBytes(ctx, bytes.length)), keepTtl)
}

/** As storeContent(), of the parts of a long string, each `bytes` long but the last; they are its own. */
export function storePieces(ctx: CommandContext, key: string, pieces: readonly Buffer[], bytes: number): KeyEntry {
  return ctx.db.put(key, PiecedString.create(ctx.keyspace.rows, pieces, bytes))
}

/** A new string of `length` zeros behind `key`, which does not exist, to be written to. */
export function storeZeros(ctx: CommandContext, key: string, length: number): AnyString {
  const { rows } = ctx.keyspace
  const value = isLong(ctx, length)
    ? PiecedString.zeros(rows, length, pieceBytes(ctx, length))
    : StringValue.create(rows, allocate(length).fill(0), 'raw')
  ctx.db.put(key, value)
  return value
}

function put(
  ctx: CommandContext,
  key: string,
  entry: KeyEntry | undefined,
  value: AnyString,
  keepTtl: boolean,
): KeyEntry {
  return putValue(ctx, key, value, entry !== undefined && keepTtl ? entry.expireAtMs : 0)
}

function putValue(ctx: CommandContext, key: string, value: AnyString, expireAtMs: number): KeyEntry {
  const stored = ctx.db.put(key, value)
  if (expireAtMs !== 0) ctx.db.setExpiry(stored, expireAtMs)
  return stored
}

/** Whether a string of so many bytes is kept in pieces. */
export function isLong(ctx: CommandContext, length: number): boolean {
  return length > STRING_ROW_BYTES_MIN && length > ctx.server.config.values.stringRowMaxBytes
}

/** Of a string that is made now, `length` bytes long. */
export function pieceBytes(ctx: CommandContext, length: number): number {
  const few = ctx.server.config.values.stringRowMaxBytes / PIECES_MIN
  const many = Math.ceil(length / PIECES_MAX)
  return Math.min(Math.ceil(Math.max(few, many) / WORD_BYTES) * WORD_BYTES, PIECE_BYTES)
}

/** Memory of its own: a slice of a pool would keep the whole pool for as long as the value lives. */
function ownBytes(bytes: Buffer): Buffer {
  const copy = allocate(bytes.length)
  copy.set(bytes)
  return copy
}

export function replyContent(reply: Reply, content: string | Buffer): void {
  if (typeof content === 'string') reply.latin1(content)
  else reply.bulk(content)
}

/** The whole value, see replyRange(). */
export function replyString(ctx: CommandContext, value: AnyString): void {
  if (value instanceof PiecedString) return replyPieces(ctx.reply, value, 0, value.length)
  replyWhole(ctx.reply, value)
}

/** As replyString(), the last thing that a command does: what is not in memory is read while the client takes it. */
export function streamString(ctx: CommandContext, value: AnyString): void {
  if (value instanceof PiecedString) return streamPieces(ctx, value, 0, value.length)
  replyWhole(ctx.reply, value)
}

function replyWhole(reply: Reply, value: StringValue): void {
  const content = value.content()
  if (content.length < LENT_BYTES_MIN) return replyContent(reply, content)
  writeHead(reply, content.length)
  reply.wire(value.lend(), 0, content.length)
  reply.wire(LINE_END, 0, LINE_END.length)
}

/** Bytes [from, to) of a value, of which there are some; as streamString(). */
export function streamRange(ctx: CommandContext, value: AnyString, from: number, to: number): void {
  if (value instanceof PiecedString) return streamPieces(ctx, value, from, to)
  const content = value.content()
  if (typeof content === 'string') ctx.reply.latin1(content.slice(from, to))
  else ctx.reply.bulk(content.subarray(from, to))
}

/** As streamString(), of a value that is changed before the command ends: what this returns is called last. */
export function streamBefore(ctx: CommandContext, value: AnyString): () => void {
  if (value instanceof PiecedString) return startPieces(ctx, value, 0, value.length)
  replyWhole(ctx.reply, value)
  return nothing
}

function streamPieces(ctx: CommandContext, value: PiecedString, from: number, to: number): void {
  startPieces(ctx, value, from, to)()
}

function startPieces(ctx: CommandContext, value: PiecedString, from: number, to: number): () => void {
  const read = ctx.mayStream && to - from >= LONG_REPLY_BYTES ? value.longRead(from, to) : undefined
  if (read === undefined) {
    replyPieces(ctx.reply, value, from, to)
    return nothing
  }
  return () => {
    writeHead(ctx.reply, to - from)
    const body = new ReadReply(read, reply => (bytes: Buffer) => reply.wire(bytes, 0, bytes.length))
    ctx.stream(new JoinedReply([body, new ShortReply(reply => reply.wire(LINE_END, 0, LINE_END.length))]))
  }
}

function nothing(): void {}

/** As it lies in memory: copying 512 MiB takes seconds where memory is fresh, and all clients would wait. */
function replyPieces(reply: Reply, value: PiecedString, from: number, to: number): void {
  const parts = value.lend(from, to)
  writeHead(reply, to - from)
  for (const part of parts) reply.wire(part, 0, part.length)
  reply.wire(LINE_END, 0, LINE_END.length)
}

function writeHead(reply: Reply, bytes: number): void {
  const head = Buffer.from(`$${bytes}\r\n`)
  reply.wire(head, 0, head.length)
}

/** @throws ReplyError when a string of `length` bytes would be longer than any may be */
export function checkLength(ctx: CommandContext, length: number): void {
  if (length > ctx.server.config.values.protoMaxBulkLen) throw new ReplyError(TOO_LONG)
}
