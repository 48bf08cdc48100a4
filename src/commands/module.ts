// MODULE LIST: clients and their tools ask which modules are loaded, and are told that none is. None can be loaded, so
// the other subcommands of Redis are unknown.

import { helpRow } from './help.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const nothing = (): undefined => undefined

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: 'module|list',
    arity: 2,
    flags: Flag.Admin | Flag.NoScript,
    categories: [],
    keys: [],
    group: 'server',
    since: '4.0.0',
    summary: 'The loaded modules: none.',
    complexity: 'O(1)',
    tips: ['nondeterministic_output_order'],
    parse: nothing,
    run: ctx => ctx.reply.array(0),
  }),
  helpRow('module', 'server', [], [['LIST', 'The loaded modules: none.']]),
]

export const moduleCommand = defineCommand({
  name: 'module',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'server',
  since: '4.0.0',
  summary: 'Tells that no modules are loaded.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: nothing,
  run: nothing,
})
