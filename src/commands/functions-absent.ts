// FUNCTION and SCRIPT of a server without a script host: what can be answered truthfully (nothing is held, nothing runs)
// is answered as Redis does, since clients and test suites ask for it in passing; the rest says that it is not there.

import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const NO_FUNCTIONS = 'ERR functions are not available in this version'
const NO_SCRIPTS = 'ERR scripts are not available in this version'
const NOT_BUSY = 'NOTBUSY No scripts in execution right now.'

interface Row<O> {
  readonly name: string
  readonly arity: number
  readonly since: string
  readonly summary: string
  readonly flags?: number
  readonly tips?: readonly string[]
  parse(args: Args): O
  run(ctx: CommandContext, options: O): void
}

function row<O>(spec: Row<O>): CommandSpec<never> {
  return defineCommand<O>({
    complexity: 'O(1)',
    ...spec,
    flags: Flag.NoScript | (spec.flags ?? 0),
    categories: ['scripting'],
    keys: [],
    group: 'scripting',
  })
}

const nothing = (): undefined => undefined

function absent(name: string, arity: number, flags: number, text: string): CommandSpec<never> {
  return row({
    name,
    arity,
    flags,
    since: '7.0.0',
    summary: 'Not available in this version.',
    parse: nothing,
    run() {
      throw new ReplyError(text)
    },
  })
}

/** SYNC and ASYNC mean the same when there is nothing to free. */
function parseFlush(args: Args, wrong: string, tooMany = wrong): undefined {
  if (args.remaining === 0) return
  if (args.remaining > 1) throw new ReplyError(tooMany)
  if (!args.take('SYNC') && !args.take('ASYNC')) throw new ReplyError(wrong)
}

function parseFunctionFlush(args: Args): undefined {
  const given = args.request.text(1)
  return parseFlush(
    args,
    'ERR FUNCTION FLUSH only supports SYNC|ASYNC option',
    `ERR unknown subcommand or wrong number of arguments for '${given}'. Try FUNCTION HELP.`,
  )
}

function parseList(args: Args): undefined {
  while (args.remaining > 0) {
    if (args.take('WITHCODE')) continue
    if (args.peekIs('LIBRARYNAME')) {
      args.text()
      if (args.remaining === 0) throw new ReplyError('ERR library name argument was not given')
      args.text()
    } else {
      throw new ReplyError(`ERR Unknown argument ${args.text()}`)
    }
  }
}

function container(name: string, since: string, summary: string, subcommands: CommandSpec<never>[]) {
  return defineCommand({
    name,
    arity: -2,
    flags: 0,
    categories: [],
    keys: [],
    group: 'scripting',
    since,
    summary,
    complexity: 'Depends on the subcommand',
    subcommands,
    parse: nothing,
    run: nothing,
  })
}

const functionCommand = container('function', '7.0.0', 'Libraries of functions; there are none in this version.', [
  row({
    name: 'function|flush',
    arity: -2,
    flags: Flag.Write,
    since: '7.0.0',
    summary: 'Removes all libraries: none.',
    tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
    parse: parseFunctionFlush,
    run: ({ reply }) => reply.ok(),
  }),
  row({
    name: 'function|list',
    arity: -2,
    since: '7.0.0',
    summary: 'All libraries: none.',
    tips: ['nondeterministic_output_order'],
    parse: parseList,
    run: ({ reply }) => reply.array(0),
  }),
  row({
    name: 'function|stats',
    arity: 2,
    flags: Flag.AllowBusy,
    since: '7.0.0',
    summary: 'What runs and which engines there are: nothing and none.',
    tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
    parse: nothing,
    run({ reply }) {
      reply.map(2)
      reply.latin1('running_script')
      reply.nullBulk()
      reply.latin1('engines')
      reply.map(0)
    },
  }),
  row({
    name: 'function|kill',
    arity: 2,
    flags: Flag.AllowBusy,
    since: '7.0.0',
    summary: 'Ends the running function: none runs.',
    tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
    parse: nothing,
    run() {
      throw new ReplyError(NOT_BUSY)
    },
  }),
  absent('function|load', -3, Flag.Write | Flag.DenyOom, NO_FUNCTIONS),
  absent('function|delete', 3, Flag.Write, NO_FUNCTIONS),
  absent('function|dump', 2, 0, NO_FUNCTIONS),
  absent('function|restore', -3, Flag.Write | Flag.DenyOom, NO_FUNCTIONS),
  helpRow(
    'function',
    'scripting',
    ['scripting'],
    [
      ['FLUSH [ASYNC|SYNC]', 'Removes all libraries: none.'],
      ['KILL', 'Ends the running function: none runs.'],
      ['LIST [LIBRARYNAME <pattern>] [WITHCODE]', 'All libraries: none.'],
      ['STATS', 'What runs, and the engines: nothing and none.'],
    ],
  ),
])

const scriptCommand = container('script', '2.6.0', 'Scripts by their SHA1; there are none in this version.', [
  row({
    name: 'script|exists',
    arity: -3,
    since: '2.6.0',
    summary: 'Which scripts are known: none.',
    tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
    parse: args => args.remaining,
    run({ reply }, count) {
      reply.array(count)
      for (let i = 0; i < count; i++) reply.integer(0)
    },
  }),
  row({
    name: 'script|flush',
    arity: -2,
    since: '2.6.0',
    summary: 'Forgets all scripts: none.',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: args => parseFlush(args, 'ERR SCRIPT FLUSH only support SYNC|ASYNC option'),
    run: ({ reply }) => reply.ok(),
  }),
  row({
    name: 'script|kill',
    arity: 2,
    flags: Flag.AllowBusy,
    since: '2.6.0',
    summary: 'Ends the running script: none runs.',
    tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
    parse: nothing,
    run() {
      throw new ReplyError(NOT_BUSY)
    },
  }),
  absent('script|load', 3, Flag.Stale, NO_SCRIPTS),
  absent('script|debug', 3, 0, NO_SCRIPTS),
  helpRow(
    'script',
    'scripting',
    ['scripting'],
    [
      ['EXISTS <sha1> [<sha1> ...]', 'Which scripts are known: none.'],
      ['FLUSH [ASYNC|SYNC]', 'Forgets all scripts: none.'],
      ['KILL', 'Ends the running script: none runs.'],
    ],
  ),
])

/** Left out as soon as a script host brings its own rows. */
export const functionsAbsentCommands: readonly CommandSpec<never>[] = [functionCommand, scriptCommand]
