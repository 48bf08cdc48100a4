// HGET, HMGET, HGETALL, HKEYS, HVALS, HLEN, HEXISTS, HSTRLEN, HSCAN.

import type { Content } from '../types/hashed/fields.js'
import type { Reply } from '../resp/reply.js'
import type { HashValue } from '../types/hash/hash-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { parseHashScan, replyScan } from './fields-scan.js'
import { hashAt } from './hash-store.js'
import { LONG_REPLY_BYTES, ReadReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { replyContent } from './string-store.js'

interface KeyAndField {
  readonly key: string
  readonly field: string
}

type WriteField = (reply: Reply, field: string, value: Content) => void

/** All fields of a hash, each written by `write`; a large one is sent as the client takes it. */
function replyFields(ctx: CommandContext, hash: HashValue | undefined, write: WriteField): void {
  const read = hash !== undefined && hash.contentBytes > LONG_REPLY_BYTES && ctx.mayStream ? hash.longRead() : undefined
  if (read !== undefined) ctx.stream(new ReadReply(read, reply => (field, value) => write(reply, field, value)))
  else hash?.each((field, value) => write(ctx.reply, field, value))
}

function replyValue(reply: Reply, value: Content | undefined): void {
  if (value === undefined) reply.nullBulk()
  else replyContent(reply, value)
}

/** A command that answers about one field. */
function ofField(
  name: string,
  access: readonly string[],
  since: string,
  summary: string,
  run: (ctx: CommandContext, options: KeyAndField) => void,
): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 3,
    flags: Flag.ReadOnly | Flag.Fast,
    categories: ['hash'],
    keys: keysAt(access, 1),
    group: 'hash',
    since,
    summary,
    complexity: 'O(log N)',
    parse: (args: Args) => ({ key: args.key(), field: args.text() }),
    run,
  })
}

/** A command that answers with all fields. */
function ofAll(name: string, summary: string, run: (ctx: CommandContext, key: string) => void): CommandSpec<never> {
  return defineCommand({
    name,
    arity: 2,
    flags: Flag.ReadOnly,
    categories: ['hash'],
    keys: keysAt(['RO', 'access'], 1),
    group: 'hash',
    since: '2.0.0',
    summary,
    complexity: 'O(N)',
    tips: ['nondeterministic_output_order'],
    parse: (args: Args) => args.key(),
    run,
  })
}

const hmget = defineCommand({
  name: 'hmget',
  arity: -3,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Values of several fields of a hash.',
  complexity: 'O(log N) for each field',
  parse(args: Args) {
    const key = args.key()
    return { key, fields: args.texts() }
  },
  run(ctx, { key, fields }) {
    const hash = hashAt(ctx, key)
    ctx.reply.array(fields.length)
    for (let i = 0; i < fields.length; i++) replyValue(ctx.reply, hash?.get(fields[i]))
  },
})

const hlen = defineCommand({
  name: 'hlen',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['hash'],
  keys: keysAt(['RO'], 1),
  group: 'hash',
  since: '2.0.0',
  summary: 'Number of fields of a hash.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run: (ctx, key) => ctx.reply.integer(hashAt(ctx, key)?.count ?? 0),
})

const hscan = defineCommand({
  name: 'hscan',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['hash'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'hash',
  since: '2.8.0',
  summary: 'Goes through the fields of a hash, and with them their values, a few at a time.',
  complexity: 'O(log N) for each call, O(N) for a whole pass',
  tips: ['nondeterministic_output'],
  parse: parseHashScan,
  run: (ctx, scan) => replyScan(ctx, hashAt(ctx, scan.key), scan, true),
})

export const hashReaders: readonly CommandSpec<never>[] = [
  ofField('hget', ['RO', 'access'], '2.0.0', 'The value of a field of a hash.', (ctx, { key, field }) =>
    replyValue(ctx.reply, hashAt(ctx, key)?.get(field)),
  ),
  hmget,
  ofAll('hgetall', 'All fields of a hash and their values.', (ctx, key) => {
    const hash = hashAt(ctx, key)
    ctx.reply.map(hash?.count ?? 0)
    replyFields(ctx, hash, (reply, field, value) => {
      reply.latin1(field)
      replyContent(reply, value)
    })
  }),
  ofAll('hkeys', 'All fields of a hash.', (ctx, key) => {
    const hash = hashAt(ctx, key)
    ctx.reply.array(hash?.count ?? 0)
    replyFields(ctx, hash, (reply, field) => reply.latin1(field))
  }),
  ofAll('hvals', 'All values of a hash.', (ctx, key) => {
    const hash = hashAt(ctx, key)
    ctx.reply.array(hash?.count ?? 0)
    replyFields(ctx, hash, (reply, _field, value) => replyContent(reply, value))
  }),
  hlen,
  ofField('hexists', ['RO'], '2.0.0', 'Says whether a hash has a field.', (ctx, { key, field }) =>
    ctx.reply.integer(hashAt(ctx, key)?.has(field) === true ? 1 : 0),
  ),
  ofField('hstrlen', ['RO'], '3.2.0', 'Length of the value of a field of a hash.', (ctx, { key, field }) =>
    ctx.reply.integer(hashAt(ctx, key)?.get(field)?.length ?? 0),
  ),
  hscan,
]
