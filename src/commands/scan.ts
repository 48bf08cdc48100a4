// SCAN and KEYS: names of keys, a few at a time or all at once. The cursor and option grammar is shared with the scans
// of hashes, sets and sorted sets.

import { ReplyError, replyErrors } from '../base/errors.js'
import { globMatch, isLiteral } from '../base/glob.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { ListedReply, LONG_REPLY_BYTES } from './long-reply.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const COUNT_DEFAULT = 10
const CURSOR_MAX = 0xffffffffffffffffn
const INVALID_CURSOR = 'ERR invalid cursor'

/** A cursor as C's strtoul takes it: a sign is allowed and wraps, nothing at all is 0. @throws ReplyError */
export function parseCursor(text: string): bigint {
  if (text === '') return 0n
  if (!/^[+-]?\d+$/.test(text)) throw new ReplyError(INVALID_CURSOR)
  const value = BigInt(text.replace(/^[+-]/, ''))
  if (value > CURSOR_MAX) throw new ReplyError(INVALID_CURSOR)
  return text.startsWith('-') ? BigInt.asUintN(64, -value) : value
}

export interface ScanOptions {
  readonly count: number
  /** Undefined when every name matches. */
  readonly pattern: string | undefined
  /** Lower case. SCAN only. */
  readonly type: string | undefined
  /** NOVALUES. HSCAN only. */
  readonly fieldsOnly: boolean
}

/** What only one of the scans knows. */
type OwnOption = 'TYPE' | 'NOVALUES'

/** `[MATCH pattern] [COUNT count] [<own>]` to the end. @param own elsewhere a syntax error */
export function parseScanOptions(args: Args, own?: OwnOption): ScanOptions {
  let count = COUNT_DEFAULT
  let pattern: string | undefined
  let type: string | undefined
  let fieldsOnly = false
  while (args.remaining > 0) {
    if (own === 'NOVALUES' && args.take('NOVALUES')) {
      fieldsOnly = true
      continue
    }
    if (args.remaining === 1) throw new ReplyError(replyErrors.syntax)
    if (args.take('COUNT')) {
      count = args.integer()
      if (count < 1) throw new ReplyError(replyErrors.syntax)
    } else if (args.take('MATCH')) {
      const text = args.text()
      pattern = text === '*' ? undefined : text
    } else if (own === 'TYPE' && args.take('TYPE')) {
      type = args.text().toLowerCase()
    } else {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  return { count, pattern, type, fieldsOnly }
}

const scan = defineCommand({
  name: 'scan',
  arity: -2,
  flags: Flag.ReadOnly,
  categories: ['keyspace'],
  keys: [],
  group: 'generic',
  since: '2.8.0',
  summary: 'Goes through the keys of the selected database a few at a time.',
  complexity: 'O(1) for each call, O(N) for a whole pass',
  tips: ['nondeterministic_output', 'request_policy:special'],
  parse(args: Args) {
    const cursor = parseCursor(args.text())
    return { cursor, ...parseScanOptions(args, 'TYPE') }
  },
  run(ctx, { cursor, count, pattern, type }) {
    const found = ctx.db.scan(cursor, count)
    ctx.reply.array(2)
    ctx.reply.latin1(String(found.cursor))
    const token = ctx.reply.deferArray()
    let given = 0
    for (const entry of found.entries) {
      if (pattern !== undefined && !globMatch(pattern, entry.name)) continue
      if (type !== undefined && type !== entry.type) continue
      ctx.reply.latin1(entry.name)
      given++
    }
    ctx.reply.endArray(token, given)
  },
})

/** In a larger database the names are gathered first, so that a long reply can be sent as the client takes it. */
const KEYS_AT_ONCE = 1000

function replyManyKeys(ctx: CommandContext, pattern: string): void {
  const names: string[] = []
  let bytes = 0
  for (const { name } of ctx.db.keys()) {
    if (pattern !== '*' && !globMatch(pattern, name)) continue
    bytes += name.length
    names.push(name)
  }
  ctx.reply.array(names.length)
  if (bytes <= LONG_REPLY_BYTES) for (const name of names) ctx.reply.latin1(name)
  else ctx.stream(new ListedReply(names, (reply, name) => reply.latin1(name)))
}

const keys = defineCommand({
  name: 'keys',
  arity: 2,
  flags: Flag.ReadOnly,
  categories: ['keyspace', 'dangerous'],
  keys: [],
  group: 'generic',
  since: '1.0.0',
  summary: 'All keys whose names match a pattern.',
  complexity: 'O(N) in the number of keys of the database',
  tips: ['request_policy:all_shards', 'nondeterministic_output_order'],
  parse: (args: Args) => args.text(),
  run(ctx, pattern) {
    if (ctx.db.size > KEYS_AT_ONCE && ctx.mayStream && !isLiteral(pattern)) return replyManyKeys(ctx, pattern)
    const token = ctx.reply.deferArray()
    let given = 0
    if (isLiteral(pattern)) {
      if (ctx.db.peek(pattern) !== undefined) {
        ctx.reply.latin1(pattern)
        given = 1
      }
    } else {
      for (const entry of ctx.db.keys()) {
        if (pattern !== '*' && !globMatch(pattern, entry.name)) continue
        ctx.reply.latin1(entry.name)
        given++
      }
    }
    ctx.reply.endArray(token, given)
  },
})

export const scanCommands: readonly CommandSpec<never>[] = [scan, keys]
