// FLUSHDB, FLUSHALL and SWAPDB: whole databases at once, each O(1) for the caller.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Database } from '../types/keyspace.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { DATABASE_OUT_OF_RANGE } from './keys-move.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

/** ASYNC and SYNC are the same here: the keys are gone at once, their space comes back in slices. */
function parseFlush(args: Args): undefined {
  if (args.remaining > 1) throw new ReplyError(replyErrors.syntax)
  if (args.remaining === 1 && !args.take('ASYNC') && !args.take('SYNC')) throw new ReplyError(replyErrors.syntax)
  return undefined
}

function flush(ctx: CommandContext, databases: readonly Database[]): void {
  let removed = 0
  for (const db of databases) {
    const count = db.flush()
    if (count === 0) continue
    removed += count
    ctx.touchedAll(db)
  }
  ctx.flushed()
  // Of empty databases too, as in Redis: who follows may have more than we know of.
  ctx.changed(Math.max(removed, 1))
  ctx.reply.ok()
}

const TIPS = ['request_policy:all_shards', 'response_policy:all_succeeded'] as const

const flushdb = defineCommand({
  name: 'flushdb',
  arity: -1,
  flags: Flag.Write,
  categories: ['keyspace', 'dangerous'],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Removes all keys of the selected database.',
  complexity: 'O(1); space is reclaimed in the background',
  tips: TIPS,
  parse: parseFlush,
  run: ctx => flush(ctx, [ctx.db]),
})

const flushall = defineCommand({
  name: 'flushall',
  arity: -1,
  flags: Flag.Write,
  categories: ['keyspace', 'dangerous'],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Removes all keys of all databases.',
  complexity: 'O(1); space is reclaimed in the background',
  tips: TIPS,
  parse: parseFlush,
  run: ctx => flush(ctx, ctx.keyspace.databases),
})

function parseIndex(args: Args, which: 'first' | 'second'): number {
  const error = `ERR invalid ${which} DB index`
  const value = args.integer(error)
  if (value !== (value | 0)) throw new ReplyError(error)
  return value
}

const swapdb = defineCommand({
  name: 'swapdb',
  arity: 3,
  flags: Flag.Write | Flag.Fast,
  categories: ['keyspace', 'dangerous'],
  keys: [],
  group: 'server',
  since: '4.0.0',
  summary: 'Exchanges the keys of two databases.',
  complexity: 'O(1), and O(N) in the number of clients that watch or wait for keys of the two',
  parse: (args: Args) => ({ a: parseIndex(args, 'first'), b: parseIndex(args, 'second') }),
  run(ctx, { a, b }) {
    const count = ctx.keyspace.databases.length
    if (a < 0 || a >= count || b < 0 || b >= count) throw new ReplyError(DATABASE_OUT_OF_RANGE)
    ctx.keyspace.swap(a, b)
    ctx.changed()
    if (a !== b) {
      ctx.touchedAll(ctx.keyspace.database(a))
      ctx.touchedAll(ctx.keyspace.database(b))
    }
    ctx.reply.ok()
  },
})

export const databaseCommands: readonly CommandSpec<never>[] = [flushdb, flushall, swapdb]
