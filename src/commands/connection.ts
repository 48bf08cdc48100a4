// PING, ECHO, SELECT and QUIT; and the list of all commands about connections.

import { ReplyError, replyErrors } from '../base/errors.js'
import { authenticationCommands } from './authentication.js'
import { clientCommand } from './client.js'
import { commandCommand } from './command.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const ping = defineCommand({
  name: 'ping',
  arity: -1,
  flags: Flag.Fast,
  categories: ['connection'],
  keys: [],
  group: 'connection',
  since: '1.0.0',
  summary: 'Answers PONG, or the given text.',
  complexity: 'O(1)',
  tips: ['request_policy:all_shards', 'response_policy:all_succeeded'],
  parse(args) {
    if (args.remaining > 1) throw new ReplyError(replyErrors.wrongArity('ping'))
    return args.remaining === 1 ? args.bytes() : undefined
  },
  run({ session, reply }, text) {
    // A RESP2 subscriber could not tell a plain PONG from a message.
    if (session.protocol === 2 && session.subscriber) {
      reply.array(2)
      reply.latin1('pong')
      if (text === undefined) reply.latin1('')
      else reply.bulk(text)
    } else if (text === undefined) {
      reply.status('PONG')
    } else {
      reply.bulk(text)
    }
  },
})

const echo = defineCommand({
  name: 'echo',
  arity: 2,
  flags: Flag.Loading | Flag.Stale | Flag.Fast,
  categories: ['connection'],
  keys: [],
  group: 'connection',
  since: '1.0.0',
  summary: 'Answers the given text.',
  complexity: 'O(1)',
  parse: args => args.bytes(),
  run: ({ reply }, text) => reply.bulk(text),
})

const select = defineCommand({
  name: 'select',
  arity: 2,
  flags: Flag.Loading | Flag.Stale | Flag.Fast,
  categories: ['connection'],
  keys: [],
  group: 'connection',
  since: '1.0.0',
  summary: 'Selects the database of the connection.',
  complexity: 'O(1)',
  parse(args) {
    const index = args.integer()
    if (index < -INT32_MAX - 1 || index > INT32_MAX) throw new ReplyError(OUT_OF_INT32)
    return index
  },
  run(ctx, index) {
    if (index < 0 || index >= ctx.keyspace.databases.length) throw new ReplyError('ERR DB index is out of range')
    ctx.session.databaseIndex = index
    ctx.reply.ok()
  },
})

const INT32_MAX = 2147483647
const OUT_OF_INT32 = 'ERR value is out of range, value must between -2147483648 and 2147483647'

const quit = defineCommand({
  name: 'quit',
  arity: -1,
  flags: Flag.NoScript | Flag.Loading | Flag.Stale | Flag.Fast | Flag.NoAuth | Flag.AllowBusy,
  categories: ['connection'],
  keys: [],
  group: 'connection',
  since: '1.0.0',
  summary: 'Closes the connection after the replies to all earlier commands.',
  complexity: 'O(1)',
  parse: () => undefined,
  run({ session, reply }) {
    reply.ok()
    session.close('after-reply')
  },
})

export const connectionCommands: readonly CommandSpec<never>[] = [
  ...authenticationCommands,
  ping,
  echo,
  select,
  quit,
  clientCommand,
  commandCommand,
]
