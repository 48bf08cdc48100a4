// DEL, UNLINK, EXISTS, TYPE, TOUCH, DBSIZE, RANDOMKEY: what asks for keys, or removes them, whatever they hold.

import { randomInt } from 'node:crypto'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const RANDOM_RANGE = 2 ** 47

export function parseKeys(args: Args): string[] {
  return args.texts()
}

/** DEL and UNLINK do the same here: values are dropped in O(1) and reclaimed in the background. */
function removeKeys(ctx: CommandContext, keys: readonly string[]): void {
  let removed = 0
  for (const key of keys) {
    // The look-up first: a key that has expired goes as an expired one and is not counted.
    if (ctx.db.peek(key) === undefined) continue
    ctx.db.remove(key)
    ctx.touched(key)
    ctx.notify('g', 'del', key)
    removed++
  }
  if (removed > 0) ctx.changed(removed)
  ctx.reply.integer(removed)
}

const SHARDED = ['request_policy:multi_shard', 'response_policy:agg_sum'] as const

const del = defineCommand({
  name: 'del',
  arity: -2,
  flags: Flag.Write,
  categories: ['keyspace'],
  keys: keysAt(['RM', 'delete'], 1, -1),
  group: 'generic',
  since: '1.0.0',
  summary: 'Removes keys.',
  complexity: 'O(1) for each key; space is reclaimed in the background',
  tips: SHARDED,
  parse: parseKeys,
  run: removeKeys,
})

const unlink = defineCommand({
  name: 'unlink',
  arity: -2,
  flags: Flag.Write | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RM', 'delete'], 1, -1),
  group: 'generic',
  since: '4.0.0',
  summary: 'Removes keys; the same as DEL, which never waits for space either.',
  complexity: 'O(1) for each key; space is reclaimed in the background',
  tips: SHARDED,
  parse: parseKeys,
  run: removeKeys,
})

const exists = defineCommand({
  name: 'exists',
  arity: -2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RO'], 1, -1),
  group: 'generic',
  since: '1.0.0',
  summary: 'Counts how many of the named keys exist; a key named twice counts twice.',
  complexity: 'O(N) in the number of keys',
  tips: SHARDED,
  parse: parseKeys,
  run(ctx, keys) {
    let count = 0
    for (const key of keys) if (ctx.db.findUntouched(key) !== undefined) count++
    ctx.reply.integer(count)
  },
})

const type = defineCommand({
  name: 'type',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RO'], 1),
  group: 'generic',
  since: '1.0.0',
  summary: 'Names the type of the value of a key.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run: (ctx, key) => ctx.reply.status(ctx.db.findUntouched(key)?.type ?? 'none'),
})

const touch = defineCommand({
  name: 'touch',
  arity: -2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['keyspace'],
  keys: keysAt(['RO'], 1, -1),
  group: 'generic',
  since: '3.2.1',
  summary: 'Notes an access to keys and counts those that exist.',
  complexity: 'O(N) in the number of keys',
  tips: SHARDED,
  parse: parseKeys,
  run(ctx, keys) {
    let count = 0
    for (const key of keys) {
      const entry = ctx.db.find(key)
      if (entry === undefined) continue
      // Also for a client with NO-TOUCH: that it asks for exactly this outweighs its mode, as in Redis.
      if (!ctx.keyspace.notesAccess) ctx.keyspace.noteAccess(entry)
      count++
    }
    ctx.reply.integer(count)
  },
})

const dbsize = defineCommand({
  name: 'dbsize',
  arity: 1,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['keyspace'],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Number of keys in the selected database.',
  complexity: 'O(1)',
  tips: ['request_policy:all_shards', 'response_policy:agg_sum'],
  parse: () => undefined,
  run: ctx => ctx.reply.integer(ctx.db.size),
})

const randomkey = defineCommand({
  name: 'randomkey',
  arity: 1,
  flags: Flag.ReadOnly,
  categories: ['keyspace'],
  keys: [],
  group: 'generic',
  since: '1.0.0',
  summary: 'A key of the selected database, each with the same chance.',
  complexity: 'O(1)',
  tips: ['request_policy:all_shards', 'nondeterministic_output'],
  parse: () => undefined,
  run(ctx) {
    const entry = ctx.db.random(() => randomInt(RANDOM_RANGE) / RANDOM_RANGE)
    if (entry === undefined) ctx.reply.nullBulk()
    else ctx.reply.latin1(entry.name)
  },
})

export const keyBasics: readonly CommandSpec<never>[] = [del, unlink, exists, type, touch, dbsize, randomkey]
