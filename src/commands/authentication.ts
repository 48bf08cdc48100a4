// AUTH, HELLO and RESET: who a connection is and which protocol it speaks. Of the user 'default' any password is right
// while it has none, as in Redis.

import { ReplyError, quoting, replyErrors } from '../base/errors.js'
import { REDIS_VERSION } from '../base/version.js'
import type { Request } from '../resp/request.js'
import type { Args } from './args.js'
import { clientLine } from './client-line.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const WRONG_PASSWORD = 'WRONGPASS invalid username-password pair or user is disabled.'
const NO_PASSWORD_SET =
  'ERR AUTH <password> called without any password configured for the default user. ' +
  'Are you sure your configuration is correct?'
const HELLO_NOAUTH =
  'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> ' +
  'option can be used to authenticate the client and select the RESP protocol version at the same time'

const FLAGS = Flag.NoScript | Flag.Loading | Flag.Stale | Flag.Fast | Flag.NoAuth | Flag.AllowBusy

interface Credentials {
  /** Undefined for the one-argument form of AUTH. */
  readonly user: string | undefined
  readonly password: string
}

function authenticate(ctx: CommandContext, { user, password }: Credentials): void {
  const { session } = ctx
  const { users } = ctx.server
  if (user === undefined && users.default.nopass) throw new ReplyError(NO_PASSWORD_SET)
  const account = users.get(user ?? 'default')
  if (account === undefined || !account.accepts(password)) {
    users.log.add({
      reason: 'auth',
      context: session.inMulti ? 'multi' : 'toplevel',
      object: ctx.request.text(0),
      username: user ?? 'default',
      clientInfo: clientLine(ctx.server, session, 0),
      atMs: ctx.server.clock.nowMs(),
    })
    throw new ReplyError(WRONG_PASSWORD)
  }
  session.account = account
  session.authenticated = true
}

/** @throws ReplyError when the name could not stand in a line of CLIENT LIST. */
export function checkName(name: string, what = 'Client names'): void {
  if (!/^[!-~]*$/.test(name)) {
    throw new ReplyError(`ERR ${what} cannot contain spaces, newlines or special characters.`)
  }
}

interface Hello {
  readonly protocol: 2 | 3 | undefined
  readonly credentials: Credentials | undefined
  readonly name: string | undefined
}

function parseHello(args: Args): Hello {
  if (args.remaining === 0) return { protocol: undefined, credentials: undefined, name: undefined }
  const protocol = args.integer('ERR Protocol version is not an integer or out of range')
  if (protocol !== 2 && protocol !== 3) throw new ReplyError('NOPROTO unsupported protocol version')
  let credentials: Credentials | undefined
  let name: string | undefined
  while (args.remaining > 0) {
    if (args.peekIs('AUTH') && args.remaining >= 3) {
      args.text()
      credentials = { user: args.text(), password: args.text() }
    } else if (args.peekIs('SETNAME') && args.remaining >= 2) {
      args.text()
      name = args.text()
      checkName(name)
    } else {
      throw new ReplyError(quoting`ERR Syntax error in HELLO option '${args.text()}'`)
    }
  }
  return { protocol, credentials, name }
}

/** User and password behind AUTH. */
function helloSecrets(request: Request): readonly number[] {
  for (let i = 2; i + 2 < request.argc; i += 2) if (request.is(i, 'AUTH')) return [i + 1, i + 2]
  return []
}

function hello(ctx: CommandContext, { protocol, credentials, name }: Hello): void {
  const { session, reply } = ctx
  if (credentials !== undefined) authenticate(ctx, credentials)
  if (!session.authenticated) throw new ReplyError(HELLO_NOAUTH)
  if (name !== undefined) session.name = name
  if (protocol !== undefined) session.protocol = protocol
  reply.map(7)
  reply.latin1('server')
  reply.latin1('redis')
  reply.latin1('version')
  reply.latin1(REDIS_VERSION)
  reply.latin1('proto')
  reply.integer(session.protocol)
  reply.latin1('id')
  reply.integer(session.id)
  reply.latin1('mode')
  reply.latin1('standalone')
  reply.latin1('role')
  reply.latin1('master')
  reply.latin1('modules')
  reply.array(0)
}

export const authenticationCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: 'auth',
    arity: -2,
    flags: FLAGS,
    categories: ['connection'],
    keys: [],
    group: 'connection',
    since: '1.0.0',
    summary: 'Authenticates the connection.',
    complexity: 'O(1)',
    parse(args): Credentials {
      if (args.remaining > 2) throw new ReplyError(replyErrors.syntax)
      return args.remaining === 1
        ? { user: undefined, password: args.text() }
        : { user: args.text(), password: args.text() }
    },
    secrets: request => Array.from({ length: request.argc - 1 }, (_, i) => i + 1),
    run(ctx, credentials) {
      authenticate(ctx, credentials)
      ctx.reply.ok()
    },
  }),
  defineCommand({
    name: 'hello',
    arity: -1,
    flags: FLAGS,
    categories: ['connection'],
    keys: [],
    group: 'connection',
    since: '6.0.0',
    summary: 'Chooses the protocol and describes the server; may authenticate and name the connection as well.',
    complexity: 'O(1)',
    parse: parseHello,
    secrets: helloSecrets,
    run: hello,
  }),
  defineCommand({
    name: 'reset',
    arity: 1,
    flags: FLAGS,
    categories: ['connection'],
    keys: [],
    group: 'connection',
    since: '6.2.0',
    summary: 'Brings the connection back to the state of a new one.',
    complexity: 'O(1)',
    parse: () => undefined,
    run(ctx) {
      ctx.session.reset()
      ctx.reply.status('RESET')
    },
  }),
]
