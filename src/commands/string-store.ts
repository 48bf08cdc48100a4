// What the string commands share: contents out of a request, the value of a key, a new content behind a key.

import { allocate } from '../base/allocation.js'
import { ReplyError, replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { KeyEntry } from '../types/keyspace.js'
import { StringValue, TEXT_BYTES_MAX } from '../types/string/string-value.js'
import type { StringForm } from '../types/string/string-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'

const TOO_LONG = 'ERR string exceeds maximum allowed size (proto-max-bulk-len)'

/** From here on a change costs a copy more, rather than each reading one. */
const LENT_BYTES_MIN = 1 << 20
const LINE_END = Buffer.from('\r\n')

/** The next argument as a value's content, its own copy: a latin1 string when short, else a Buffer. */
export function contentOf(args: Args): string | Buffer {
  const request = args.request
  const length = request.lengths[args.at]
  if (length <= TEXT_BYTES_MAX) return request.text(args.at++)
  // Memory of its own: a slice of a pool would keep the whole pool for as long as the value lives.
  const content = allocate(length)
  request.bytes(args.at++).copy(content)
  return content
}

/** The string value of an entry. @throws ReplyError WRONGTYPE */
export function stringOf(entry: KeyEntry): StringValue {
  if (entry.type !== 'string') throw new ReplyError(replyErrors.wrongType)
  return entry.value as StringValue
}

/** The string of a key for a command that writes. @throws ReplyError WRONGTYPE */
export function stringToWrite(ctx: CommandContext, key: string): StringValue | undefined {
  const entry = ctx.db.findToWrite(key)
  return entry === undefined ? undefined : stringOf(entry)
}

/**
 * Makes `content` the value of `key`, whatever it held. A string is changed in place, which leaves the directory alone.
 * @param entry what a look-up of `key` has just found
 */
export function storeContent(
  ctx: CommandContext,
  key: string,
  entry: KeyEntry | undefined,
  content: string | Buffer,
  keepTtl = false,
  form: StringForm = 'auto',
): KeyEntry {
  if (entry !== undefined && entry.type === 'string') {
    const value = entry.value as StringValue
    value.assign(content, form)
    if (entry.expireAtMs !== 0 && !keepTtl) ctx.db.setExpiry(entry, 0)
    return entry
  }
  const expireAtMs = entry !== undefined && keepTtl ? entry.expireAtMs : 0
  const stored = ctx.db.put(key, StringValue.create(ctx.keyspace.rows, content, form))
  if (expireAtMs !== 0) ctx.db.setExpiry(stored, expireAtMs)
  return stored
}

export function replyContent(reply: Reply, content: string | Buffer): void {
  if (typeof content === 'string') reply.latin1(content)
  else reply.bulk(content)
}

/**
 * The whole value. A long one goes out as it lies in memory: copying 512 MiB takes seconds where memory is fresh, and
 * all clients would wait. Whoever changes it next, in place, copies it first.
 */
export function replyString(reply: Reply, value: StringValue): void {
  const content = value.content()
  if (content.length < LENT_BYTES_MIN) return replyContent(reply, content)
  const head = Buffer.from(`$${content.length}\r\n`)
  reply.wire(head, 0, head.length)
  reply.wire(value.lend(), 0, content.length)
  reply.wire(LINE_END, 0, LINE_END.length)
}

/** @throws ReplyError when a string of `length` bytes would be longer than any may be */
export function checkLength(ctx: CommandContext, length: number): void {
  if (length > ctx.server.config.values.protoMaxBulkLen) throw new ReplyError(TOO_LONG)
}
