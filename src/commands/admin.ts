// SHUTDOWN, TIME, ROLE, REPLICAOF, LOLWUT; and the list of all commands about the server.

import { ReplyError, replyErrors } from '../base/errors.js'
import { MILLRACE_VERSION, REDIS_VERSION } from '../base/version.js'
import type { Args } from './args.js'
import { configCommand } from './config.js'
import { debugCommand } from './debug.js'
import { durabilityCommands } from './durability.js'
import { infoCommand } from './info.js'
import { latencyCommand } from './latency.js'
import { memoryCommand } from './memory.js'
import { moduleCommand } from './module.js'
import { slowlogCommand } from './slowlog.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const COMMON = { categories: [], keys: [], group: 'server' } as const
const nothing = (): undefined => undefined
const PORT_MAX = 65535

interface Shutdown {
  readonly save: boolean
  readonly now: boolean
  readonly force: boolean
  readonly abort: boolean
}

function parseShutdown(args: Args): Shutdown {
  const given = { save: false, nosave: false, now: false, force: false, abort: false }
  while (args.remaining > 0) {
    if (args.take('SAVE')) given.save = true
    else if (args.take('NOSAVE')) given.nosave = true
    else if (args.take('NOW')) given.now = true
    else if (args.take('FORCE')) given.force = true
    else if (args.take('ABORT')) given.abort = true
    else throw new ReplyError(replyErrors.syntax)
  }
  const others = given.save || given.nosave || given.now || given.force
  if ((given.save && given.nosave) || (given.abort && others)) throw new ReplyError(replyErrors.syntax)
  return { save: !given.nosave, now: given.now, force: given.force, abort: given.abort }
}

function parseMaster(args: Args): 'none' | 'some' {
  const host = args.text()
  const port = args.text()
  if (host.toLowerCase() === 'no' && port.toLowerCase() === 'one') return 'none'
  if (!/^\d{1,5}$/.test(port) || Number(port) > PORT_MAX) throw new ReplyError('ERR Invalid master port')
  return 'some'
}

function replicaOf(name: string, since: string): CommandSpec<never> {
  return defineCommand({
    ...COMMON,
    name,
    arity: 3,
    flags: Flag.Admin | Flag.NoScript | Flag.Stale | Flag.NoAsyncLoading,
    since,
    summary: 'NO ONE is what this server always is; a master to follow is refused.',
    complexity: 'O(1)',
    parse: parseMaster,
    run({ reply }, master) {
      if (master === 'some') throw new ReplyError('ERR replication is not supported')
      reply.ok()
    },
  })
}

export const serverCommands: readonly CommandSpec<never>[] = [
  configCommand,
  infoCommand,
  slowlogCommand,
  latencyCommand,
  memoryCommand,
  debugCommand,
  moduleCommand,
  ...durabilityCommands,
  replicaOf('replicaof', '5.0.0'),
  replicaOf('slaveof', '1.0.0'),
  defineCommand({
    ...COMMON,
    name: 'shutdown',
    arity: -1,
    flags: Flag.Admin | Flag.NoScript | Flag.Loading | Flag.Stale | Flag.NoMulti | Flag.AllowBusy,
    since: '1.0.0',
    summary: 'Ends the server, after a checkpoint unless NOSAVE is given; either way nothing is lost.',
    complexity: 'O(N) in the number of changed pages',
    parse: parseShutdown,
    run({ server }, { abort, ...options }) {
      if (abort) throw new ReplyError('ERR No shutdown in progress.')
      server.shutdown(options)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'time',
    arity: 1,
    flags: Flag.Loading | Flag.Stale | Flag.Fast,
    since: '2.6.0',
    summary: "The server's clock: Unix seconds, then microseconds of the second.",
    complexity: 'O(1)',
    tips: ['nondeterministic_output'],
    parse: nothing,
    run({ reply, server }) {
      const us = server.clock.nowUs()
      reply.array(2)
      reply.latin1(String(Math.floor(us / 1e6)))
      reply.latin1(String(us % 1e6))
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'role',
    arity: 1,
    flags: Flag.NoScript | Flag.Loading | Flag.Stale | Flag.Fast,
    categories: ['admin', 'dangerous'],
    since: '2.8.12',
    summary: 'master, an offset of 0, and no replicas.',
    complexity: 'O(1)',
    parse: nothing,
    run({ reply }) {
      reply.array(3)
      reply.latin1('master')
      reply.integer(0)
      reply.array(0)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'lolwut',
    arity: -1,
    flags: Flag.ReadOnly | Flag.Fast,
    since: '5.0.0',
    summary: 'The versions.',
    complexity: 'O(1)',
    parse: nothing,
    run: ({ reply }) => reply.verbatim('txt', `Millrace ${MILLRACE_VERSION}. Redis ver. ${REDIS_VERSION}\n`),
  }),
]
