// CLIENT and its subcommands; those of client-side caching are client-tracking's.

import { ReplyError, quoting, replyErrors } from '../base/errors.js'
import type { Request } from '../resp/request.js'
import type { Args } from './args.js'
import { checkName } from './authentication.js'
import { kill, parseKill } from './client-kill.js'
import { clientLine, clientTypeOf, typeOfSession } from './client-line.js'
import type { ClientType } from './client-line.js'
import { ADMIN, clientRow } from './client-row.js'
import { clientTrackingRows } from './client-tracking.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { defineCommand } from './spec.js'
import type { CommandSpec } from './spec.js'

const nothing = (): undefined => undefined

function onOff(args: Args): boolean {
  if (args.take('ON')) return true
  if (args.take('OFF')) return false
  throw new ReplyError(replyErrors.syntax)
}

interface ListFilter {
  readonly type?: ClientType
  readonly ids?: readonly number[]
}

function parseList(args: Args): ListFilter {
  if (args.remaining === 0) return {}
  if (args.remaining === 2 && args.take('TYPE')) {
    const word = args.text()
    const type = clientTypeOf(word)
    if (type === undefined) throw new ReplyError(quoting`ERR Unknown client type '${word}'`)
    return { type }
  }
  if (args.remaining < 2 || !args.take('ID')) throw new ReplyError(replyErrors.syntax)
  const ids: number[] = []
  while (args.remaining > 0) ids.push(args.integer('ERR Invalid client ID'))
  return { ids }
}

function list(ctx: CommandContext, { type, ids }: ListFilter): void {
  const { server, session: me } = ctx
  const chosen =
    ids === undefined ? [...server.sessions()] : ids.map(id => server.session(id)).filter(found => found !== undefined)
  const lines = chosen
    .filter(session => type === undefined || typeOfSession(session) === type)
    .map(session => clientLine(server, session, session.id === me.id ? sizeOf(ctx.request) : 0) + '\n')
  ctx.reply.verbatim('txt', lines.join(''))
}

function sizeOf(request: Request): number {
  return request.to - request.from
}

function parsePause(args: Args): { timeoutMs: number; mode: 'write' | 'all' } {
  if (args.remaining > 2) {
    const given = args.request.text(1)
    throw new ReplyError(`ERR unknown subcommand or wrong number of arguments for '${given}'. Try CLIENT HELP.`)
  }
  const timeoutMs = args.integer('ERR timeout is not an integer or out of range')
  if (timeoutMs < 0) throw new ReplyError('ERR timeout is negative')
  if (args.remaining === 0 || args.take('ALL')) return { timeoutMs, mode: 'all' }
  if (args.take('WRITE')) return { timeoutMs, mode: 'write' }
  throw new ReplyError('ERR CLIENT PAUSE mode must be WRITE or ALL')
}

function parseUnblock(args: Args): { id: number; how: 'timeout' | 'error' } {
  if (args.remaining > 2) throw new ReplyError(replyErrors.syntax)
  const id = args.integer()
  if (args.remaining === 0 || args.take('TIMEOUT')) return { id, how: 'timeout' }
  if (args.take('ERROR')) return { id, how: 'error' }
  throw new ReplyError('ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR')
}

function parseSetInfo(args: Args): { library: 'lib-name' | 'lib-ver'; value: string } {
  const attribute = args.text()
  const library = attribute.toLowerCase()
  if (library !== 'lib-name' && library !== 'lib-ver') {
    throw new ReplyError(quoting`ERR Unrecognized option '${attribute}'`)
  }
  const value = args.text()
  checkName(value, library)
  return { library, value }
}

function parseReply(args: Args): 'on' | 'off' | 'skip' {
  if (args.take('ON')) return 'on'
  if (args.take('OFF')) return 'off'
  if (args.take('SKIP')) return 'skip'
  throw new ReplyError(replyErrors.syntax)
}

/** OFF and SKIP have no reply of their own. */
function setReplyMode({ session, reply }: CommandContext, mode: 'on' | 'off' | 'skip'): void {
  if (mode === 'skip') {
    if (session.replyMode !== 'off') session.replyMode = 'skip-next'
    return
  }
  session.replyMode = mode
  if (mode === 'on') reply.ok()
}

const rows: readonly CommandSpec<never>[] = [
  clientRow('id', {
    arity: 2,
    since: '5.0.0',
    summary: 'The number of the connection.',
    parse: nothing,
    run: ({ reply, session }) => reply.integer(session.id),
  }),
  clientRow('info', {
    arity: 2,
    since: '6.2.0',
    summary: 'Describes the connection in the line of CLIENT LIST.',
    tips: ['nondeterministic_output'],
    parse: nothing,
    run: ctx => ctx.reply.verbatim('txt', clientLine(ctx.server, ctx.session, sizeOf(ctx.request)) + '\n'),
  }),
  clientRow('list', {
    arity: -2,
    since: '2.4.0',
    flags: ADMIN,
    summary: 'Describes all connections, or those of a type or with certain numbers, one per line.',
    complexity: 'O(N) in the number of connections',
    tips: ['nondeterministic_output'],
    parse: parseList,
    run: list,
  }),
  clientRow('kill', {
    arity: -3,
    since: '2.4.0',
    flags: ADMIN,
    summary: 'Closes connections by address, number, type or user.',
    complexity: 'O(N) in the number of connections',
    parse: parseKill,
    run: kill,
  }),
  clientRow('getname', {
    arity: 2,
    since: '2.6.9',
    summary: 'The name of the connection.',
    parse: nothing,
    run: ({ reply, session }) => (session.name === '' ? reply.nullBulk() : reply.latin1(session.name)),
  }),
  clientRow('setname', {
    arity: 3,
    since: '2.6.9',
    summary: 'Names the connection; an empty name takes it back.',
    parse(args) {
      const name = args.text()
      checkName(name)
      return name
    },
    run({ reply, session }, name) {
      session.name = name
      reply.ok()
    },
  }),
  clientRow('setinfo', {
    arity: 4,
    since: '7.2.0',
    summary: 'Notes name or version of the client library for CLIENT LIST.',
    parse: parseSetInfo,
    run({ reply, session }, { library, value }) {
      if (library === 'lib-name') session.libName = value
      else session.libVersion = value
      reply.ok()
    },
  }),
  clientRow('no-evict', {
    arity: 3,
    since: '7.0.0',
    flags: ADMIN,
    summary: 'Whether maxmemory-clients may close this connection.',
    parse: onOff,
    run({ reply, session }, on) {
      session.noEvict = on
      reply.ok()
    },
  }),
  clientRow('no-touch', {
    arity: 3,
    since: '7.2.0',
    summary: 'Whether commands of this connection leave access times of keys alone.',
    parse: onOff,
    run({ reply, session }, on) {
      session.noTouch = on
      reply.ok()
    },
  }),
  clientRow('reply', {
    arity: 3,
    since: '3.2.0',
    summary: 'Switches replies off, on, or off for the next command.',
    parse: parseReply,
    run: setReplyMode,
  }),
  clientRow('pause', {
    arity: -3,
    since: '3.0.0',
    flags: ADMIN,
    summary: 'Keeps back the commands of all clients, or their writes, for some milliseconds.',
    parse: parsePause,
    run({ reply, server }, { timeoutMs, mode }) {
      server.pause(server.clock.nowMs() + timeoutMs, mode)
      reply.ok()
    },
  }),
  clientRow('unpause', {
    arity: 2,
    since: '6.2.0',
    flags: ADMIN,
    summary: 'Ends CLIENT PAUSE.',
    complexity: 'O(N) in the number of paused connections',
    parse: nothing,
    run({ reply, server }) {
      server.unpause()
      reply.ok()
    },
  }),
  clientRow('unblock', {
    arity: -3,
    since: '5.0.0',
    flags: ADMIN,
    summary: 'Ends the wait of a blocked client, as timed out or with an error.',
    parse: parseUnblock,
    run: ({ reply, server }, { id, how }) => reply.integer(server.session(id)?.unblock(how) ? 1 : 0),
  }),
  ...clientTrackingRows,
  helpRow(
    'client',
    'connection',
    ['connection'],
    [
      ['CACHING (YES|NO)', 'Whether the next command is tracked, in the modes OPTIN and OPTOUT.'],
      ['GETREDIR', 'The connection that is told of changed keys in place of this one.'],
      ['GETNAME', 'The name of this connection.'],
      ['ID', 'The number of this connection.'],
      ['INFO', 'This connection, described as in CLIENT LIST.'],
      ['KILL <ip:port>', 'Closes the connection from that address.'],
      [
        'KILL <option> <value> [<option> <value> [...]]',
        'Closes all connections that fit every option:',
        '* ADDR (<ip:port>|<unixsocket>:0)',
        '* LADDR (<ip:port>|<unixsocket>:0)',
        '* ID <client-id>',
        '* TYPE (NORMAL|MASTER|REPLICA|PUBSUB)',
        '* USER <username>',
        '* SKIPME (YES|NO), whether this connection is spared (default: yes).',
      ],
      ['LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB)|ID <client-id> [...]]', 'Connections, one per line.'],
      ['UNPAUSE', 'Ends a pause.'],
      ['PAUSE <timeout> [WRITE|ALL]', 'Keeps back writes, or all commands, for <timeout> milliseconds.'],
      ['REPLY (ON|OFF|SKIP)', 'Whether this connection is answered.'],
      ['SETNAME <name>', 'Names this connection.'],
      ['SETINFO (LIB-NAME|LIB-VER) <value>', 'Notes the client library.'],
      [
        'TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]',
        '         [OPTIN] [OPTOUT] [NOLOOP]',
        'Whether this connection is told of changed keys that it may have cached.',
      ],
      ['TRACKINGINFO', 'How this connection tracks keys.'],
      ['UNBLOCK <clientid> [TIMEOUT|ERROR]', 'Ends the wait of a blocked client.'],
      ['NO-EVICT (ON|OFF)', 'Spares this connection when clients need too much memory.'],
      ['NO-TOUCH (ON|OFF)', 'Leaves access times alone.'],
    ],
  ),
]

export const clientCommand = defineCommand({
  name: 'client',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'connection',
  since: '2.4.0',
  summary: 'Everything about client connections.',
  complexity: 'Depends on the subcommand',
  subcommands: rows,
  parse: nothing,
  run: nothing,
})
