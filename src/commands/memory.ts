// MEMORY. Figures are estimates of the JavaScript engine's heap and of what the store reports; names are Redis'.

import { ReplyError, replyErrors } from '../base/errors.js'
import { memoryFigures } from './memory-figures.js'
import { helpRow } from './help.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'

const COMMON = { flags: 0, categories: [], keys: [], group: 'server', since: '4.0.0' } as const
const TIPS = ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special']
const nothing = (): undefined => undefined

/** What a key costs beside its name and value: directory entry, slot and row. */
const KEY_BYTES = 165

function parseUsage(args: Args): string {
  const key = args.key()
  while (args.remaining > 0) {
    if (!args.take('SAMPLES') || args.remaining === 0) throw new ReplyError(replyErrors.syntax)
    if (args.integer() < 0) throw new ReplyError(replyErrors.syntax)
  }
  return key
}

function usage({ reply, db }: CommandContext, key: string): void {
  const entry = db.peek(key)
  if (entry === undefined) reply.nullBulk()
  else reply.integer(Math.ceil(entry.value.memoryUsage() + key.length + KEY_BYTES))
}

function stats({ reply, server }: CommandContext): void {
  const figures = memoryFigures(server)
  const databases = server.keyspace.databases.filter(db => db.size > 0)
  reply.map(Object.keys(figures.stats).length + databases.length)
  for (const [name, value] of Object.entries(figures.stats)) {
    reply.latin1(name)
    if (/ratio|percentage|^fragmentation$/.test(name)) reply.double(value)
    else reply.integer(Math.round(value))
  }
  for (const db of databases) {
    reply.latin1(`db.${db.index}`)
    reply.map(2)
    reply.latin1('overhead.hashtable.main')
    reply.integer(db.size * KEY_BYTES)
    reply.latin1('overhead.hashtable.expires')
    reply.integer(0)
  }
}

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'memory|usage',
    arity: -3,
    flags: Flag.ReadOnly,
    keys: keysAt(['RO'], 2),
    summary: 'Bytes of a key and its value, in memory and on disk together.',
    complexity: 'O(N) in the number of descriptors of the value',
    parse: parseUsage,
    run: usage,
  }),
  defineCommand({
    ...COMMON,
    name: 'memory|stats',
    arity: 2,
    summary: 'Where the memory of the server goes.',
    complexity: 'O(1)',
    tips: TIPS,
    parse: nothing,
    run: stats,
  }),
  defineCommand({
    ...COMMON,
    name: 'memory|doctor',
    arity: 2,
    summary: 'The memory of the server in words.',
    complexity: 'O(1)',
    tips: TIPS,
    parse: nothing,
    run({ reply, server }) {
      const { used, rss } = memoryFigures(server)
      const limit = server.config.values.maxmemory
      const share = limit === 0 ? 'no maxmemory is set' : `${Math.round((used / limit) * 100)} % of maxmemory`
      reply.verbatim('txt', `${used} bytes are in use (${share}), ${rss} are resident.\n`)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'memory|purge',
    arity: 2,
    summary: 'Answers OK: memory goes back by itself.',
    complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    parse: nothing,
    run: ({ reply }) => reply.ok(),
  }),
  defineCommand({
    ...COMMON,
    name: 'memory|malloc-stats',
    arity: 2,
    summary: "The JavaScript engine's own figures.",
    complexity: 'O(1)',
    tips: TIPS,
    parse: nothing,
    run({ reply }) {
      const lines = Object.entries(process.memoryUsage()).map(([name, bytes]) => `${name}: ${bytes}\n`)
      reply.verbatim('txt', lines.join(''))
    },
  }),
  helpRow(
    'memory',
    'server',
    [],
    [
      ['DOCTOR', 'The memory of the server in words.'],
      ['MALLOC-STATS', "The JavaScript engine's own figures."],
      ['PURGE', 'Answers OK: memory goes back by itself.'],
      ['STATS', 'Where the memory of the server goes.'],
      ['USAGE <key> [SAMPLES <count>]', 'Bytes of a key and its value; nothing is sampled, descriptors know the sum.'],
    ],
  ),
]

export const memoryCommand = defineCommand({
  name: 'memory',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'server',
  since: '4.0.0',
  summary: 'Memory of keys and of the server.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: nothing,
  run: nothing,
})
