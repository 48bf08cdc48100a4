// OBJECT: what is known about the value of a key.

import { ReplyError } from '../base/errors.js'
import { StringValue } from '../types/string/string-value.js'
import type { KeyEntry } from '../types/keyspace.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

/** What Redis says of the small integers it keeps one shared object of. */
const SHARED_REFCOUNT = 2147483647
const SHARED_INTEGERS = 10000

const NO_LRU =
  'ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies ' +
  'at runtime LRU and LFU data will take some time to adjust.'
const NO_LFU =
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching ' +
  'between policies at runtime LRU and LFU data will take some time to adjust.'

const HELP = [
  'OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:',
  'ENCODING <key>',
  '    Return the kind of internal representation used in order to store the value',
  '    associated with a <key>.',
  'FREQ <key>',
  '    Return the access frequency index of the <key>. The returned integer is',
  '    proportional to the logarithm of the recent access frequency of the key.',
  'IDLETIME <key>',
  '    Return the idle time of the <key>, that is the approximated number of',
  '    seconds elapsed since the last access to the key.',
  'REFCOUNT <key>',
  '    Return the number of references of the value associated with the specified',
  '    <key>.',
  'HELP',
  '    Prints this help.',
]

function about(
  name: string,
  since: string,
  summary: string,
  answer: (ctx: CommandContext, entry: KeyEntry) => void,
): CommandSpec<never> {
  return defineCommand({
    name: `object|${name}`,
    arity: 3,
    flags: Flag.ReadOnly,
    categories: ['keyspace'],
    keys: keysAt(['RO'], 2),
    group: 'generic',
    since,
    summary,
    complexity: 'O(1)',
    tips: ['nondeterministic_output'],
    parse: (args: Args) => args.key(),
    run(ctx, key) {
      const entry = ctx.db.findUntouched(key)
      if (entry === undefined) ctx.reply.nullBulk()
      else answer(ctx, entry)
    },
  })
}

function refcountOf({ server }: CommandContext, entry: KeyEntry): number {
  const { maxmemory, maxmemoryPolicy } = server.config.values
  // Redis shares no integers while it keeps the time or number of accesses in them.
  if (maxmemory > 0 && /-l[rf]u$/.test(maxmemoryPolicy)) return 1
  const value = entry.value
  if (!(value instanceof StringValue) || value.encoding !== 'int') return 1
  const integer = value.int64()!
  return integer >= 0 && integer < SHARED_INTEGERS ? SHARED_REFCOUNT : 1
}

const help = defineCommand({
  name: 'object|help',
  arity: 2,
  flags: Flag.Loading | Flag.Stale,
  categories: ['keyspace'],
  keys: [],
  group: 'generic',
  since: '6.2.0',
  summary: 'Lists the subcommands of OBJECT.',
  complexity: 'O(1)',
  parse: () => undefined,
  run(ctx) {
    ctx.reply.array(HELP.length)
    for (const line of HELP) ctx.reply.status(line)
  },
})

export const objectCommand = defineCommand({
  name: 'object',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'generic',
  since: '2.2.3',
  summary: 'Tells how the value of a key is kept.',
  complexity: 'Depends on the subcommand',
  subcommands: [
    about('encoding', '2.2.3', 'Names the encoding of the value of a key.', (ctx, entry) =>
      ctx.reply.latin1(entry.value.encoding),
    ),
    about('freq', '4.0.0', 'How often a key was used of late, under an LFU policy.', (ctx, entry) => {
      const { frequencies } = ctx.keyspace
      if (frequencies === undefined) throw new ReplyError(NO_LFU)
      ctx.reply.integer(frequencies.of(entry, ctx.nowMs))
    }),
    help,
    about('idletime', '2.2.3', 'Seconds since the last access to a key.', (ctx, entry) => {
      if (ctx.keyspace.frequencies !== undefined) throw new ReplyError(NO_LRU)
      ctx.reply.integer(Math.max(0, Math.floor((ctx.nowMs - entry.accessMs) / 1000)))
    }),
    about('refcount', '2.2.3', 'How many names the value of a key has.', (ctx, entry) =>
      ctx.reply.integer(refcountOf(ctx, entry)),
    ),
  ],
  parse: () => undefined,
  run: () => undefined,
})
