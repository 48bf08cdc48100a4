// CONFIG. The values and the rules of a set are in base/config; here are the commands, and the one change that ends
// later: another port or address to listen on.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { ConfigChange } from '../base/config.js'
import type { Request } from '../resp/request.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { isLocal } from './local-client.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const FLAGS = Flag.Admin | Flag.NoScript | Flag.Loading | Flag.Stale
const COMMON = { flags: FLAGS, categories: [], keys: [], group: 'server' } as const

/** Directives whose change opens sockets, with the words of a failure. */
const LISTENING = new Map([
  ['port', 'Unable to listen on this port. Check server logs.'],
  ['bind', 'Failed to bind to specified addresses.'],
])

/** Directives whose values neither MONITOR nor SLOWLOG shows. */
const SECRET = new Set(['requirepass', 'masterauth', 'masteruser', 'tls-key-file-pass', 'tls-client-key-file-pass'])

type Pairs = readonly (readonly [string, string])[]

function parsePairs(args: Args): Pairs {
  if (args.remaining % 2 !== 0) throw new ReplyError(replyErrors.syntax)
  const pairs: [string, string][] = []
  while (args.remaining > 0) pairs.push([args.text(), args.text()])
  return pairs
}

function secretValues(request: Request): number[] {
  const values: number[] = []
  for (let i = 2; i + 1 < request.argc; i += 2) if (SECRET.has(request.text(i).toLowerCase())) values.push(i + 1)
  return values
}

function set(ctx: CommandContext, pairs: Pairs): void {
  const { config } = ctx.server
  const rule = config.values.enableProtectedConfigs
  const change = config.set(pairs, rule === 'yes' || (rule === 'local' && isLocal(ctx.session)))
  const listening = pairs.find(([name]) => LISTENING.has(name.toLowerCase()) && change.changed.has(name.toLowerCase()))
  if (listening === undefined) ctx.reply.ok()
  else rebind(ctx, change, listening[0])
}

function rebind(ctx: CommandContext, change: ConfigChange, name: string): void {
  const fault = `ERR CONFIG SET failed (possibly related to argument '${name}') - `
  if (!ctx.mayBlock) {
    change.undo()
    throw new ReplyError(`${fault}not possible inside a transaction or script`)
  }
  let bound = true
  const work = ctx.server.rebind().catch(() => {
    bound = false
    change.undo()
  })
  ctx.server.later(ctx.session, work, reply => {
    if (bound) reply.ok()
    else reply.error(fault + LISTENING.get(name.toLowerCase()))
  })
}

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'config|get',
    arity: -3,
    since: '2.0.0',
    summary: 'Directives whose names fit one of the patterns, with their values.',
    complexity: 'O(N) in the number of directives times the number of patterns',
    parse(args) {
      return args.texts()
    },
    run({ reply, server }, patterns) {
      const found = server.config.match(patterns)
      reply.map(found.length)
      for (const [name, text] of found) {
        reply.latin1(name)
        reply.latin1(text)
      }
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'config|set',
    arity: -4,
    since: '2.0.0',
    summary: 'Sets directives: all of them or none.',
    complexity: 'O(N) in the number of directives given',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    secrets: secretValues,
    parse: parsePairs,
    run: set,
  }),
  defineCommand({
    ...COMMON,
    name: 'config|resetstat',
    arity: 2,
    since: '2.0.0',
    summary: 'Clears the counters of INFO.',
    complexity: 'O(1)',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: () => undefined,
    run({ reply, server }) {
      server.stats.reset()
      server.loopDelay?.reset()
      reply.ok()
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'config|rewrite',
    arity: 2,
    since: '2.8.0',
    summary: 'Writes the present values into the configuration file.',
    complexity: 'O(1)',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: () => undefined,
    run({ reply, server }) {
      server.config.rewrite()
      reply.ok()
    },
  }),
  helpRow(
    'config',
    'server',
    [],
    [
      ['GET <pattern>', 'Directives that fit the glob-like pattern, with their values.'],
      ['SET <directive> <value>', 'Gives a directive another value.'],
      ['RESETSTAT', 'Clears the counters of INFO.'],
      ['REWRITE', 'Writes the present values into the configuration file.'],
    ],
  ),
]

export const configCommand = defineCommand({
  name: 'config',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'server',
  since: '2.0.0',
  summary: 'Reads and changes the configuration.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: () => undefined,
  run: () => undefined,
})
