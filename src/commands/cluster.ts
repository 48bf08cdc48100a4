// CLUSTER and its connection modes as a server outside a cluster answers them: each says that there is none. Clients
// that probe for a cluster understand this, where an unknown command could mean anything.

import { ReplyError } from '../base/errors.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const NO_CLUSTER = 'ERR This instance has cluster support disabled'

const ADMIN = Flag.Admin | Flag.Stale | Flag.NoAsyncLoading
const VARYING = ['nondeterministic_output']

type Row = readonly [name: string, arity: number, flags: number, since: string, tips?: readonly string[]]

const SUBCOMMANDS: readonly Row[] = [
  ['addslots', -3, ADMIN, '3.0.0'],
  ['addslotsrange', -4, ADMIN, '7.0.0'],
  ['bumpepoch', 2, ADMIN, '3.0.0', VARYING],
  ['count-failure-reports', 3, Flag.Admin | Flag.Stale, '3.0.0', VARYING],
  ['countkeysinslot', 3, Flag.Stale, '3.0.0'],
  ['delslots', -3, ADMIN, '3.0.0'],
  ['delslotsrange', -4, ADMIN, '7.0.0'],
  ['failover', -2, ADMIN, '3.0.0'],
  ['flushslots', 2, ADMIN, '3.0.0'],
  ['forget', 3, ADMIN, '3.0.0'],
  ['getkeysinslot', 4, Flag.Stale, '3.0.0', VARYING],
  ['help', 2, Flag.Loading | Flag.Stale, '5.0.0'],
  ['info', 2, Flag.Stale, '3.0.0', VARYING],
  ['keyslot', 3, Flag.Stale, '3.0.0'],
  ['links', 2, Flag.Stale, '7.0.0', VARYING],
  ['meet', -4, ADMIN, '3.0.0'],
  ['myid', 2, Flag.Stale, '3.0.0'],
  ['nodes', 2, Flag.Stale, '3.0.0', VARYING],
  ['replicas', 3, Flag.Admin | Flag.Stale, '5.0.0', VARYING],
  ['replicate', 3, ADMIN, '3.0.0'],
  ['reset', -2, Flag.Admin | Flag.NoScript | Flag.Stale, '3.0.0'],
  ['saveconfig', 2, ADMIN, '3.0.0'],
  ['set-config-epoch', 3, ADMIN, '3.0.0'],
  ['setslot', -4, ADMIN, '3.0.0'],
  ['shards', 2, Flag.Stale, '7.0.0', VARYING],
  ['slaves', 3, Flag.Admin | Flag.Stale, '3.0.0', VARYING],
  ['slots', 2, Flag.Stale, '3.0.0', VARYING],
]

const MODES: readonly Row[] = [
  ['asking', 1, Flag.Fast, '3.0.0'],
  ['readonly', 1, Flag.Loading | Flag.Stale | Flag.Fast, '3.0.0'],
  ['readwrite', 1, Flag.Loading | Flag.Stale | Flag.Fast, '3.0.0'],
]

function refusing([name, arity, flags, since, tips]: Row, categories: readonly string[]): CommandSpec<never> {
  return defineCommand({
    name,
    arity,
    flags,
    categories,
    keys: [],
    group: 'cluster',
    since,
    summary: 'Says that there is no cluster.',
    complexity: 'O(1)',
    tips,
    parse: args => void (args.at += args.remaining),
    run() {
      throw new ReplyError(NO_CLUSTER)
    },
  })
}

export const clusterCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: 'cluster',
    arity: -2,
    flags: 0,
    categories: [],
    keys: [],
    group: 'cluster',
    since: '3.0.0',
    summary: 'Says that there is no cluster.',
    complexity: 'O(1)',
    subcommands: SUBCOMMANDS.map(([name, ...rest]) => refusing([`cluster|${name}`, ...rest], [])),
    parse: () => undefined,
    run: () => undefined,
  }),
  ...MODES.map(row => refusing(row, ['connection'])),
]
