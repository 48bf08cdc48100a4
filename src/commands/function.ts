// FUNCTION, FCALL and FCALL_RO. The rows only; libraries are loaded and run by exec/script-host.

import { ReplyError } from '../base/errors.js'
import { globMatch } from '../base/glob.js'
import type { Reply } from '../resp/reply.js'
import { decodeLibraries, encodeLibraries } from '../types/rdb/libraries-payload.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { parseKeyCount, runFlags, scriptKeys } from './script.js'
import { SCRIPT_FLAG_NAMES } from './scripts.js'
import type { Library, LibraryFunction } from './scripts.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const FLUSH_MODES = 'ERR FUNCTION FLUSH only supports SYNC|ASYNC option'
const BAD_KEY_COUNT = 'ERR Bad number of keys provided'
const BAD_PAYLOAD = 'ERR DUMP payload version or checksum are wrong'
const BAD_POLICY = 'ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.'

/** Quotes the subcommand as the client wrote it. */
function tooMany({ request }: Args): string {
  return `ERR unknown subcommand or wrong number of arguments for '${request.text(1)}'. Try FUNCTION HELP.`
}

function callRow(name: string, readOnly: boolean, summary: string): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: runFlags(readOnly),
    categories: ['scripting'],
    keys: scriptKeys(readOnly),
    group: 'scripting',
    since: '7.0.0',
    summary,
    complexity: 'Depends on the function that is executed.',
    parse(args: Args) {
      args.at++
      return parseKeyCount(args, BAD_KEY_COUNT)
    },
    run: (ctx, keys: number) => ctx.server.scripts.call(ctx, keys, readOnly),
  })
}

interface SubRow<O> {
  readonly name: string
  readonly arity: number
  readonly flags?: number
  readonly summary: string
  readonly complexity: string
  readonly tips?: readonly string[]
  parse(args: Args): O
  run(ctx: CommandContext, options: O): void
}

function subRow<O>(row: SubRow<O>): CommandSpec<never> {
  return defineCommand<O>({
    ...row,
    flags: Flag.NoScript | (row.flags ?? 0),
    categories: ['scripting'],
    keys: [],
    group: 'scripting',
    since: '7.0.0',
  })
}

const ALL_NODES = ['request_policy:all_shards', 'response_policy:all_succeeded']

interface ListOptions {
  readonly withCode: boolean
  readonly pattern: string | undefined
}

function parseList(args: Args): ListOptions {
  let withCode = false
  let pattern: string | undefined
  while (args.remaining > 0) {
    if (!withCode && args.take('WITHCODE')) withCode = true
    else if (pattern === undefined && args.take('LIBRARYNAME')) {
      if (args.remaining === 0) throw new ReplyError('ERR library name argument was not given')
      pattern = args.text()
    } else throw new ReplyError(`ERR Unknown argument ${args.text()}`)
  }
  return { withCode, pattern }
}

function writeLibrary(reply: Reply, library: Library, withCode: boolean): void {
  reply.map(withCode ? 4 : 3)
  reply.latin1('library_name')
  reply.latin1(library.name)
  reply.latin1('engine')
  reply.latin1('LUA')
  reply.latin1('functions')
  reply.array(library.functions.length)
  for (const one of library.functions) writeFunction(reply, one)
  if (!withCode) return
  reply.latin1('library_code')
  reply.bulk(library.code)
}

function writeFunction(reply: Reply, { name, description, flags }: LibraryFunction): void {
  reply.map(3)
  reply.latin1('name')
  reply.latin1(name)
  reply.latin1('description')
  if (description === undefined) reply.nullBulk()
  else reply.latin1(description)
  reply.latin1('flags')
  const names = SCRIPT_FLAG_NAMES.filter(([flag]) => (flags & flag) !== 0)
  reply.set(names.length)
  for (const [, flagName] of names) reply.status(flagName)
}

function runStats(ctx: CommandContext): void {
  const { reply } = ctx
  const { scripts } = ctx.server
  if (scripts.running?.kind === 'script') throw new ReplyError(scripts.busyText!)
  const libraries = scripts.libraries(ctx)
  const running = scripts.running
  reply.map(2)
  reply.latin1('running_script')
  if (running === undefined) reply.nullBulk()
  else {
    reply.map(3)
    reply.latin1('name')
    reply.latin1(running.name)
    reply.latin1('command')
    reply.array(running.command.length)
    for (const word of running.command) reply.bulk(word)
    reply.latin1('duration_ms')
    reply.integer(running.durationMs)
  }
  reply.latin1('engines')
  reply.map(1)
  reply.latin1('LUA')
  reply.map(2)
  reply.latin1('libraries_count')
  reply.integer(libraries.length)
  reply.latin1('functions_count')
  reply.integer(libraries.reduce((sum, { functions }) => sum + functions.length, 0))
}

type Policy = 'flush' | 'append' | 'replace'

function parseRestore(args: Args): { codes: readonly Buffer[]; policy: Policy } {
  const payload = args.bytes()
  let policy: Policy = 'append'
  if (args.remaining > 1) throw new ReplyError(tooMany(args))
  if (args.remaining === 1) {
    if (args.take('FLUSH')) policy = 'flush'
    else if (args.take('REPLACE')) policy = 'replace'
    else if (!args.take('APPEND')) throw new ReplyError(BAD_POLICY)
  }
  const codes = decodeLibraries(payload)
  if (codes === undefined) throw new ReplyError(BAD_PAYLOAD)
  return { codes, policy }
}

const subcommands: readonly CommandSpec<never>[] = [
  subRow({
    name: 'function|delete',
    arity: 3,
    flags: Flag.Write,
    summary: 'Removes a library and its functions.',
    complexity: 'O(1)',
    tips: ALL_NODES,
    parse: args => args.text(),
    run(ctx, name) {
      ctx.server.scripts.deleteLibrary(ctx, name)
      ctx.changed()
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'function|dump',
    arity: 2,
    summary: 'Returns all libraries in a form that FUNCTION RESTORE takes.',
    complexity: 'O(N) in the bytes of the libraries',
    parse: () => undefined,
    run(ctx) {
      const codes = ctx.server.scripts.libraries(ctx).map(({ code }) => code)
      ctx.reply.bulk(encodeLibraries(codes))
    },
  }),
  subRow({
    name: 'function|flush',
    arity: -2,
    flags: Flag.Write,
    summary: 'Removes all libraries.',
    complexity: 'O(N) in the number of functions',
    tips: ALL_NODES,
    parse(args) {
      if (args.remaining === 0) return
      if (args.remaining > 1) throw new ReplyError(tooMany(args))
      if (!args.take('SYNC') && !args.take('ASYNC')) throw new ReplyError(FLUSH_MODES)
    },
    run(ctx) {
      ctx.server.scripts.flushLibraries(ctx)
      ctx.changed()
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'function|kill',
    arity: 2,
    flags: Flag.AllowBusy,
    summary: 'Ends the running function if it has not written anything.',
    complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
    parse: () => undefined,
    run(ctx) {
      ctx.server.scripts.kill('function')
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'function|list',
    arity: -2,
    summary: 'Describes the libraries and their functions.',
    complexity: 'O(N) in the number of functions',
    tips: ['nondeterministic_output_order'],
    parse: parseList,
    run(ctx, { withCode, pattern }) {
      const all = ctx.server.scripts.libraries(ctx)
      const libraries = pattern === undefined ? all : all.filter(({ name }) => globMatch(pattern, name, true))
      ctx.reply.array(libraries.length)
      for (const library of libraries) writeLibrary(ctx.reply, library, withCode)
    },
  }),
  subRow({
    name: 'function|load',
    arity: -3,
    flags: Flag.Write | Flag.DenyOom,
    summary: 'Loads a library: a line that names it, then Lua code that registers functions.',
    complexity: 'O(1) beside compiling the code',
    tips: ALL_NODES,
    parse(args) {
      let replace = false
      while (args.remaining > 1) {
        if (!args.take('REPLACE')) throw new ReplyError(`ERR Unknown option given: ${args.text()}`)
        replace = true
      }
      return { code: args.bytes(), replace }
    },
    run(ctx, { code, replace }) {
      const name = ctx.server.scripts.loadLibrary(ctx, code, replace)
      ctx.changed()
      ctx.reply.latin1(name)
    },
  }),
  subRow({
    name: 'function|restore',
    arity: -3,
    flags: Flag.Write | Flag.DenyOom,
    summary: 'Brings back the libraries of a FUNCTION DUMP.',
    complexity: 'O(N) in the number of functions',
    tips: ALL_NODES,
    parse: parseRestore,
    run(ctx, { codes, policy }) {
      ctx.server.scripts.restoreLibraries(ctx, codes, policy)
      ctx.changed()
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'function|stats',
    arity: 2,
    flags: Flag.AllowBusy,
    summary: 'Describes the running function and counts libraries and functions.',
    complexity: 'O(N) in the number of libraries',
    tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
    parse: () => undefined,
    run: runStats,
  }),
  helpRow(
    'function',
    'scripting',
    ['scripting'],
    [
      ['DELETE <LIBRARY NAME>', 'Removes the library.'],
      ['DUMP', 'Returns all libraries for FUNCTION RESTORE.'],
      ['FLUSH [ASYNC|SYNC]', 'Removes all libraries. Both modes do the same.'],
      ['KILL', 'Ends the running function, unless it has written something.'],
      [
        'LIST [LIBRARYNAME PATTERN] [WITHCODE]',
        'Describes the libraries, those with a matching name, with their code.',
      ],
      ['LOAD [REPLACE] <FUNCTION CODE>', 'Loads a library from its code.'],
      ['RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]', 'Brings back the libraries of a dump, beside or instead of others.'],
      ['STATS', 'Describes the running function and counts libraries and functions.'],
    ],
  ),
]

export const functionCommands: readonly CommandSpec<never>[] = [
  callRow('fcall', false, 'Calls a function of a library.'),
  callRow('fcall_ro', true, 'Calls a function that may not write.'),
  defineCommand({
    name: 'function',
    arity: -2,
    flags: 0,
    categories: [],
    keys: [],
    group: 'scripting',
    since: '7.0.0',
    summary: 'Holds the commands about function libraries.',
    complexity: 'Depends on the subcommand.',
    subcommands,
    parse: () => undefined,
    run: () => undefined,
  }),
]
