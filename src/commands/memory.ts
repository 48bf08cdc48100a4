// MEMORY. Figures are estimates of the JavaScript engine's heap and of what the store reports; names are Redis'.

import { ReplyError, replyErrors } from '../base/errors.js'
import { diagnosis } from './memory-doctor.js'
import type { DoctorFigures } from './memory-doctor.js'
import { memoryFigures } from './memory-figures.js'
import { helpRow } from './help.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import type { Server } from './server.js'

const COMMON = { flags: 0, categories: [], keys: [], group: 'server', since: '4.0.0' } as const
const TIPS = ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special']
const nothing = (): undefined => undefined

/** Engine and code, about. */
const BASE_BYTES = 60 * 1024 * 1024
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

function doctorFigures(server: Server): DoctorFigures {
  const { used, rss, stats } = memoryFigures(server)
  const { values } = server.config
  const store = server.durability.figures()
  const fields = server.infoFields?.() ?? {}
  let clients = 0
  for (const session of server.sessions()) if (!session.closing) clients++
  return {
    usedBytes: used,
    maxmemory: values.maxmemory,
    rssBytes: rss,
    baseBytes: BASE_BYTES,
    clientsBytes: stats['clients.normal'],
    clients,
    luaBytes: stats['lua.caches'] + stats['functions.caches'],
    cachedBytes: store.cachedBytes,
    cacheBytesMax: values.pageCacheBytes,
    coldReads: store.coldReadsFetched + store.coldReadsAtOnce,
    lookups: server.stats.keyspaceHits,
    pinnedBytes: server.longReplies.pinnedBytes,
    dirtyBytes: store.dirtyBytes,
    dirtyBytesDue: values.checkpointDirtyBytes,
    checkpointOk: server.durability.lastCheckpointOk,
    writeFault: server.durability.writeFault,
    journalBytes: store.journalBytes,
    journalBytesDue: values.journalMaxBytes,
    retiredObjects: store.retiredObjects,
    fileBytes: store.fileBytes,
    reclaimableBytes: store.reclaimableBytes,
    damagedPieces: Number(fields.damaged_pieces ?? 0),
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
    summary: 'What stands out about memory and disk, and what would help.',
    complexity: 'O(N) in the number of clients',
    tips: TIPS,
    parse: nothing,
    run: ({ reply, server }) => reply.verbatim('txt', diagnosis(doctorFigures(server))),
  }),
  defineCommand({
    ...COMMON,
    name: 'memory|purge',
    arity: 2,
    summary: 'Looks for garbage now, and gives what is free back to the system within a second or so.',
    complexity: 'O(N) in the number of keys and cached pages',
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    parse: nothing,
    run({ reply, server }) {
      server.memory?.purge()
      reply.ok()
    },
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
      ['DOCTOR', 'What stands out about memory and disk, and what would help.'],
      ['MALLOC-STATS', "The JavaScript engine's own figures."],
      ['PURGE', 'Looks for garbage now, and gives what is free back to the system within a second or so.'],
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
