// COMMAND: the table of commands, told to clients.

import { ReplyError, replyErrors } from '../base/errors.js'
import { globMatch } from '../base/glob.js'
import type { Request } from '../resp/request.js'
import type { Args } from './args.js'
import { categoriesOf, writeDocs, writeInfo } from './command-info.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { innerRequest } from './inner-request.js'
import { flagsIn, keyPlaces } from './key-access.js'
import type { KeyPlace } from './key-access.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'
import type { CommandTable } from './table.js'

const FLAGS = Flag.Loading | Flag.Stale
const TIPS = ['nondeterministic_output_order']

const COMMON = { flags: FLAGS, categories: ['connection'], keys: [], group: 'connection' } as const

/** Every row that clients may see, subcommands behind their container. */
function visible(table: CommandTable): CommandSpec<never>[] {
  return table.commands.flatMap(spec => [spec, ...(spec.subcommands ?? [])])
}

type Filter = { by: 'aclcat' | 'pattern' | 'module'; word: string } | undefined

function parseFilter(args: Args): Filter {
  if (args.remaining === 0) return undefined
  if (args.remaining !== 3 || !args.take('FILTERBY')) throw new ReplyError(replyErrors.syntax)
  for (const by of ['aclcat', 'pattern', 'module'] as const) {
    if (args.take(by.toUpperCase())) return { by, word: args.text() }
  }
  throw new ReplyError(replyErrors.syntax)
}

function passes(spec: CommandSpec<never>, filter: Filter): boolean {
  if (filter === undefined) return true
  if (filter.by === 'aclcat') return categoriesOf(spec).includes(filter.word.toLowerCase())
  return filter.by === 'pattern' && globMatch(filter.word, spec.name, true)
}

interface Inner {
  readonly spec: CommandSpec<never>
  readonly request: Request
}

/** The command that follows COMMAND GETKEYS, as a request of its own. */
function innerCommand(ctx: CommandContext): Inner {
  const request = innerRequest(ctx.request, 2)
  const row = ctx.server.table.lookup(request)
  if (row === undefined || row.flags & Flag.Internal) throw new ReplyError('ERR Invalid command specified')
  const spec = row.spec as unknown as CommandSpec<never>
  if (spec.keys.length === 0) throw new ReplyError('ERR The command has no key arguments')
  if (!row.takes(request.argc)) throw new ReplyError('ERR Invalid number of arguments specified for command')
  return { spec, request }
}

/** The keys of the inner command. @throws ReplyError when it has none although it needs one */
function placesOf({ spec, request }: Inner): KeyPlace[] {
  const places = keyPlaces(spec, request)
  if (places.length === 0 && !(spec.flags & Flag.NoMandatoryKeys)) {
    throw new ReplyError('ERR Invalid arguments specified for command')
  }
  return places
}

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'command|count',
    arity: 2,
    since: '2.8.13',
    summary: 'How many commands there are, subcommands not counted.',
    complexity: 'O(1)',
    parse: () => undefined,
    run: ({ reply, server }) => reply.integer(server.table.commands.length),
  }),
  defineCommand({
    ...COMMON,
    name: 'command|list',
    arity: -2,
    since: '7.0.0',
    summary: 'Names of all commands and subcommands, or of those in a category or fitting a pattern.',
    complexity: 'O(N) in the number of commands',
    tips: TIPS,
    parse: parseFilter,
    run({ reply, server }, filter) {
      const chosen = visible(server.table).filter(spec => passes(spec, filter))
      reply.array(chosen.length)
      for (const spec of chosen) reply.latin1(spec.name)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'command|info',
    arity: -2,
    since: '2.8.13',
    summary: 'Arity, flags, keys and categories of the named commands, or of all.',
    complexity: 'O(N) in the number of commands asked for',
    tips: TIPS,
    parse: (args: Args) => args.texts(),
    run: writeInfos,
  }),
  defineCommand({
    ...COMMON,
    name: 'command|docs',
    arity: -2,
    since: '7.0.0',
    summary: 'Documentation of the named commands, or of all.',
    complexity: 'O(N) in the number of commands asked for',
    tips: TIPS,
    parse: (args: Args) => args.texts(),
    run({ reply, server }, asked) {
      const { table } = server
      const found =
        asked.length === 0 ? table.commands : asked.map(name => table.find(name)).filter(spec => spec !== undefined)
      reply.map(found.length)
      for (const spec of found) writeDocs(reply, spec)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'command|getkeys',
    arity: -4,
    since: '2.8.13',
    summary: 'The keys of a whole command.',
    complexity: 'O(N) in the number of arguments',
    parse: () => undefined,
    run(ctx) {
      const inner = innerCommand(ctx)
      const places = placesOf(inner)
      ctx.reply.array(places.length)
      for (const { at } of places) ctx.reply.bulk(inner.request.bytes(at))
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'command|getkeysandflags',
    arity: -4,
    since: '7.0.0',
    summary: 'The keys of a whole command with what it does to each.',
    complexity: 'O(N) in the number of arguments',
    parse: () => undefined,
    run(ctx) {
      const inner = innerCommand(ctx)
      const places = placesOf(inner)
      ctx.reply.array(places.length)
      for (const { at, key } of places) {
        const flags = flagsIn(key, inner.request)
        ctx.reply.array(2)
        ctx.reply.bulk(inner.request.bytes(at))
        ctx.reply.set(flags.length)
        for (const flag of flags) ctx.reply.status(flag)
      }
    },
  }),
  helpRow(
    'command',
    'connection',
    ['connection'],
    [
      ['(no subcommand)', 'As COMMAND INFO without names.'],
      ['COUNT', 'How many commands there are.'],
      ['LIST [FILTERBY (ACLCAT <category>|PATTERN <pattern>|MODULE <name>)]', 'Names of commands and subcommands.'],
      ['INFO [<command-name> ...]', 'Details about the named commands, or all.'],
      ['DOCS [<command-name> ...]', 'Documentation of the named commands, or all.'],
      ['GETKEYS <full-command>', 'The keys of a whole command.'],
      ['GETKEYSANDFLAGS <full-command>', 'The keys of a whole command with what it does to each.'],
    ],
  ),
]

function writeInfos({ reply, server }: CommandContext, asked: readonly string[]): void {
  const { table } = server
  const found = asked.length === 0 ? table.commands : asked.map(name => table.find(name))
  reply.array(found.length)
  for (const spec of found) {
    if (spec === undefined) reply.nullBulk()
    else writeInfo(reply, spec)
  }
}

export const commandCommand = defineCommand({
  name: 'command',
  arity: -1,
  flags: FLAGS,
  categories: ['connection'],
  keys: [],
  group: 'connection',
  since: '2.8.13',
  summary: 'Details about all commands.',
  complexity: 'O(N) in the number of commands',
  tips: TIPS,
  subcommands,
  parse: () => [] as string[],
  run: writeInfos,
})
