// RENAME, RENAMENX, COPY and MOVE: a value under another name or in another database. The expiry goes with it.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Database } from '../types/keyspace.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const SAME_OBJECTS = 'ERR source and destination objects are the same'
export const DATABASE_OUT_OF_RANGE = 'ERR DB index is out of range'

const NOT_AN_INT32 = 'ERR value is out of range, value must between -2147483648 and 2147483647'

/** The next argument as a C int. */
function parseInt32(args: Args): number {
  const value = args.integer()
  if (value !== (value | 0)) throw new ReplyError(NOT_AN_INT32)
  return value
}

function databaseOf(ctx: CommandContext, index: number): Database {
  if (index < 0 || index >= ctx.keyspace.databases.length) throw new ReplyError(DATABASE_OUT_OF_RANGE)
  return ctx.keyspace.database(index)
}

function parseTwoKeys(args: Args): { from: string; to: string } {
  return { from: args.key(), to: args.key() }
}

/** Moves the value of `from`; what `to` held is dropped. `from` exists. */
function rename(ctx: CommandContext, from: string, to: string): void {
  const taken = ctx.db.detach(from)!
  const entry = ctx.db.put(to, taken.value)
  entry.stamp = taken.stamp
  if (taken.expireAtMs !== 0) ctx.db.setExpiry(entry, taken.expireAtMs)
  ctx.changed()
  ctx.touched(from)
  ctx.touched(to)
  ctx.notify('g', 'rename_from', from)
  ctx.notify('g', 'rename_to', to)
}

const renameRow = defineCommand({
  name: 'rename',
  arity: 3,
  flags: Flag.Write,
  categories: ['keyspace'],
  keys: [...keysAt(['RW', 'access', 'delete'], 1), ...keysAt(['OW', 'update'], 2)],
  group: 'generic',
  since: '1.0.0',
  summary: 'Gives a key another name; a key of that name is replaced.',
  complexity: 'O(1)',
  parse: parseTwoKeys,
  run(ctx, { from, to }) {
    if (ctx.db.findToWrite(from) === undefined) throw new ReplyError(replyErrors.noSuchKey)
    if (from !== to) {
      ctx.db.peek(to) // an expired one goes as such
      rename(ctx, from, to)
    }
    ctx.reply.ok()
  },
})

const renamenx = defineCommand({
  name: 'renamenx',
  arity: 3,
  flags: Flag.Write | Flag.Fast,
  categories: ['keyspace'],
  keys: [...keysAt(['RW', 'access', 'delete'], 1), ...keysAt(['OW', 'insert'], 2)],
  group: 'generic',
  since: '1.0.0',
  summary: 'Gives a key another name if no key has it.',
  complexity: 'O(1)',
  parse: parseTwoKeys,
  run(ctx, { from, to }) {
    if (ctx.db.findToWrite(from) === undefined) throw new ReplyError(replyErrors.noSuchKey)
    if (from === to || ctx.db.findToWrite(to) !== undefined) return ctx.reply.integer(0)
    rename(ctx, from, to)
    ctx.reply.integer(1)
  },
})

const move = defineCommand({
  name: 'move',
  arity: 3,
  flags: Flag.Write | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'generic',
  since: '1.0.0',
  summary: 'Moves a key to another database if it has no key of that name.',
  complexity: 'O(1)',
  parse: (args: Args) => ({ key: args.key(), database: parseInt32(args) }),
  run(ctx, { key, database }) {
    const from = ctx.db
    const to = databaseOf(ctx, database)
    if (from === to) throw new ReplyError(SAME_OBJECTS)
    if (from.findToWrite(key) === undefined || to.findToWrite(key) !== undefined) return ctx.reply.integer(0)
    const taken = from.detach(key)!
    const entry = to.put(key, taken.value)
    entry.stamp = taken.stamp
    if (taken.expireAtMs !== 0) to.setExpiry(entry, taken.expireAtMs)
    ctx.changed()
    ctx.touched(key)
    ctx.touched(key, to)
    ctx.notify('g', 'move_from', key)
    ctx.notify('g', 'move_to', key, to)
    ctx.reply.integer(1)
  },
})

const copy = defineCommand({
  name: 'copy',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['keyspace'],
  keys: [...keysAt(['RO', 'access'], 1), ...keysAt(['OW', 'update'], 2)],
  group: 'generic',
  since: '6.2.0',
  summary: 'Copies the value of a key to another key.',
  complexity: 'O(N) in the bytes of a collection, O(1) for a string',
  parse(args: Args) {
    const { from, to } = parseTwoKeys(args)
    let replace = false
    let database: number | undefined
    while (args.remaining > 0) {
      if (args.take('REPLACE')) replace = true
      else if (args.remaining > 1 && args.take('DB')) database = parseInt32(args)
      else if (database === undefined) throw new ReplyError(replyErrors.syntax)
      else return { from, to, replace, database, complete: false }
    }
    return { from, to, replace, database, complete: true }
  },
  run(ctx, { from, to, replace, database, complete }) {
    const target = database === undefined ? ctx.db : databaseOf(ctx, database)
    // Redis looks at the number of the database before it reads on.
    if (!complete) throw new ReplyError(replyErrors.syntax)
    if (target === ctx.db && from === to) throw new ReplyError(SAME_OBJECTS)
    const source = ctx.db.find(from)
    if (source === undefined) return ctx.reply.integer(0)
    if (target.findToWrite(to) !== undefined && !replace) return ctx.reply.integer(0)
    const entry = target.put(to, source.value.copy())
    if (source.expireAtMs !== 0) target.setExpiry(entry, source.expireAtMs)
    ctx.changed()
    ctx.touched(to, target)
    ctx.notify('g', 'copy_to', to, target)
    ctx.reply.integer(1)
  },
})

export const moveCommands: readonly CommandSpec<never>[] = [renameRow, renamenx, move, copy]
