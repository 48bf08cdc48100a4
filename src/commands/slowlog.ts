// SLOWLOG: the commands that took longest lately. The list is kept by exec/slowlog, newest first.

import { ReplyError } from '../base/errors.js'
import { helpRow } from './help.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const COMMON = { flags: Flag.Admin | Flag.Loading | Flag.Stale, categories: [], keys: [], group: 'server' } as const
const COUNT_DEFAULT = 10

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'slowlog|get',
    arity: -2,
    since: '2.2.12',
    summary: 'The newest entries.',
    complexity: 'O(N) in the number of entries returned',
    tips: ['request_policy:all_nodes', 'nondeterministic_output'],
    parse(args) {
      const error = 'ERR count should be greater than or equal to -1'
      const count = args.remaining > 0 ? args.integer(error) : COUNT_DEFAULT
      if (count < -1) throw new ReplyError(error)
      args.end()
      return count
    },
    run({ reply, server }, count) {
      const { entries } = server.slowlog
      const shown = count < 0 ? entries : entries.slice(0, count)
      reply.array(shown.length)
      for (const entry of shown) {
        reply.array(6)
        reply.integer(entry.id)
        reply.integer(entry.timeS)
        reply.integer(entry.durationUs)
        reply.array(entry.args.length)
        for (const arg of entry.args) reply.bulk(arg)
        reply.latin1(entry.address)
        reply.latin1(entry.name)
      }
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'slowlog|len',
    arity: 2,
    since: '2.2.12',
    summary: 'The number of entries.',
    complexity: 'O(1)',
    tips: ['request_policy:all_nodes', 'response_policy:agg_sum', 'nondeterministic_output'],
    parse: () => undefined,
    run: ({ reply, server }) => reply.integer(server.slowlog.entries.length),
  }),
  defineCommand({
    ...COMMON,
    name: 'slowlog|reset',
    arity: 2,
    since: '2.2.12',
    summary: 'Forgets all entries.',
    complexity: 'O(N) in the number of entries',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: () => undefined,
    run({ reply, server }) {
      server.slowlog.reset()
      reply.ok()
    },
  }),
  helpRow(
    'slowlog',
    'server',
    [],
    [
      [
        'GET [<count>]',
        'The newest <count> entries (default: 10, -1 means all), each:',
        'number, Unix time, microseconds, arguments, address and name of the client.',
      ],
      ['LEN', 'The number of entries.'],
      ['RESET', 'Forgets all entries.'],
    ],
  ),
]

export const slowlogCommand = defineCommand({
  name: 'slowlog',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'server',
  since: '2.2.12',
  summary: 'The log of slow commands.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: () => undefined,
  run: () => undefined,
})
