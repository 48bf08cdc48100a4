// ACL: who the users are and what they may do. The rules are in acl-user and acl-selector; here are the commands, and
// what a change means to clients that are connected: those of a user that is gone, and subscribers who lost a channel,
// are closed.

import { randomBytes } from 'node:crypto'
import { ReplyError, quoting, replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { Request } from '../resp/request.js'
import { AclFault, Denied } from './acl-selector.js'
import type { SelectorTexts } from './acl-selector.js'
import { joinSelectors } from './acl-user.js'
import type { AclUser } from './acl-user.js'
import { AclFileFault, isUserName } from './acl-users.js'
import type { Args } from './args.js'
import { CATEGORIES } from './command-info.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { innerRequest } from './inner-request.js'
import type { Session } from './server.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const OPEN = Flag.NoScript | Flag.Loading | Flag.Stale
const ADMIN = OPEN | Flag.Admin
const COMMON = { categories: [], keys: [], group: 'server' } as const

const NO_FILE =
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER ' +
  'command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store ' +
  'users in the Redis configuration.'
const NOT_SAVED = 'ERR There was an error trying to save the ACLs. Please check the server logs for more information'
const BAD_NAME = "ERR Usernames can't contain spaces or null characters"
const BAD_BITS =
  'ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096'
const BITS_MAX = 4096
const BITS_DEFAULT = 256
const LOGGED_DEFAULT = 10

const nothing = (): undefined => undefined

function wrongUse(args: Args): ReplyError {
  const given = args.request.text(1)
  return new ReplyError(quoting`ERR unknown subcommand or wrong number of arguments for '${given}'. Try ACL HELP.`)
}

// --- users

function setUser(ctx: CommandContext, [name, ...words]: readonly string[]): void {
  const { users } = ctx.server
  if (!isUserName(name)) throw new ReplyError(BAD_NAME)
  const rules = joinSelectors(words)
  if (!Array.isArray(rules)) {
    throw new ReplyError(quoting`ERR Unmatched parenthesis in acl selector starting at '${rules.unmatched}'.`)
  }
  const known = users.get(name)
  const next = known === undefined ? users.newUser(name) : known.copy()
  for (const rule of rules) {
    try {
      next.apply(rule)
    } catch (error) {
      if (!(error instanceof AclFault)) throw error
      throw new ReplyError(quoting`ERR Error in ACL SETUSER modifier '${rule}': ${error.message}`)
    }
  }
  const user = users.put(next)
  endListeners(ctx, user)
  ctx.reply.ok()
}

/** Closes the subscribers that the user's rules do not allow any more. */
function endListeners(ctx: CommandContext, user: AclUser): void {
  for (const session of Array.from(ctx.server.sessions())) {
    if (session.account !== user || !session.subscriber || session.closing) continue
    const { channel, pattern, shard } = session.subscribed
    const opens = (names: ReadonlySet<string>, asPattern: boolean) =>
      [...names].every(name => user.opensChannel(name, asPattern))
    if (!opens(channel, false) || !opens(shard, false) || !opens(pattern, true)) end(ctx, session)
  }
}

/** Closes the clients of users that are no more; whatever is still theirs is the default user's. */
function endClientsOf(ctx: CommandContext, gone: readonly AclUser[]): void {
  for (const session of Array.from(ctx.server.sessions())) {
    if (!gone.includes(session.account)) continue
    session.account = ctx.server.users.default
    session.authenticated = false
    end(ctx, session)
  }
}

/** The client that asked gets its reply first. */
function end({ session: me }: CommandContext, session: Session): void {
  session.close(session.id === me.id ? 'after-reply' : 'now')
}

function deleteUsers(ctx: CommandContext, names: readonly string[]): void {
  const { users } = ctx.server
  const gone: AclUser[] = []
  for (const name of names) {
    if (name === 'default') throw new ReplyError("ERR The 'default' user cannot be removed")
    const user = users.delete(name)
    if (user !== undefined) gone.push(user)
  }
  ctx.reply.integer(gone.length)
  endClientsOf(ctx, gone)
}

function getUser({ reply, server }: CommandContext, name: string): void {
  const user = server.users.get(name)
  if (user === undefined) {
    reply.nullBulk()
    return
  }
  const [root, ...more] = user.selectors
  reply.map(6)
  reply.latin1('flags')
  reply.set(user.flags.length)
  for (const flag of user.flags) reply.latin1(flag)
  reply.latin1('passwords')
  reply.array(user.passwords.length)
  for (const hash of user.passwords) reply.latin1(hash)
  writeSelector(reply, root.describe())
  reply.latin1('selectors')
  reply.array(more.length)
  for (const selector of more) {
    reply.map(3)
    writeSelector(reply, selector.describe())
  }
}

function writeSelector(reply: Reply, { commands, keys, channels }: SelectorTexts): void {
  reply.latin1('commands')
  reply.latin1(commands)
  reply.latin1('keys')
  reply.latin1(keys)
  reply.latin1('channels')
  reply.latin1(channels)
}

// --- files

function load(ctx: CommandContext): void {
  const { users } = ctx.server
  if (users.file === undefined) throw new ReplyError(NO_FILE)
  let gone: readonly AclUser[]
  try {
    gone = users.load()
  } catch (error) {
    throw error instanceof AclFileFault ? new ReplyError(`ERR ${error.message}`) : error
  }
  ctx.reply.ok()
  endClientsOf(ctx, gone)
  endListeners(ctx, users.default)
}

function save({ reply, server }: CommandContext): void {
  if (server.users.file === undefined) throw new ReplyError(NO_FILE)
  try {
    server.users.save()
  } catch (error) {
    server.log?.notice(`The users could not be saved: ${String(error)}`)
    throw new ReplyError(NOT_SAVED)
  }
  reply.ok()
}

// --- what is allowed

function listCategories({ reply, server }: CommandContext, category: string | undefined): void {
  if (category === undefined) {
    reply.array(CATEGORIES.length)
    for (const name of CATEGORIES) reply.latin1(name)
    return
  }
  const rows = server.users.catalog.category(category)
  if (rows === undefined) throw new ReplyError(quoting`ERR Unknown category '${category.slice(0, 128)}'`)
  reply.array(rows.length)
  for (const row of rows) reply.latin1(row.name)
}

function dryRun({ reply, server, request }: CommandContext): void {
  const name = request.text(2)
  const user = server.users.get(name)
  if (user === undefined) throw new ReplyError(quoting`ERR User '${name}' not found`)
  const inner = innerRequest(request, 3)
  const row = server.table.lookup(inner)
  if (row === undefined || (row.flags & Flag.Internal) !== 0) {
    throw new ReplyError(quoting`ERR Command '${inner.text(0)}' not found`)
  }
  if (!row.takes(inner.argc)) throw new ReplyError(replyErrors.wrongArity(row.name))
  const denial = user.check(row, inner)
  if (denial === undefined) reply.ok()
  else if (denial.reason === Denied.Command) {
    reply.latin1(`This user has no permissions to run the '${row.name}' command`)
  } else {
    reply.latin1(refusedArgument(inner, denial.at, denial.reason === Denied.Key ? 'key' : 'channel'))
  }
}

function refusedArgument(request: Request, at: number, what: string): string {
  return quoting`This user has no permissions to access the '${request.text(at)}' ${what}`
}

// --- the log

function parseLog(args: Args): number | 'reset' {
  if (args.remaining > 1) throw wrongUse(args)
  if (args.remaining === 0) return LOGGED_DEFAULT
  return args.take('RESET') ? 'reset' : Math.max(0, args.integer())
}

function showLog({ reply, server }: CommandContext, wanted: number | 'reset'): void {
  const { log } = server.users
  if (wanted === 'reset') {
    log.reset()
    reply.ok()
    return
  }
  const shown = log.entries.slice(0, wanted)
  const nowMs = server.clock.nowMs()
  reply.array(shown.length)
  for (const { entry, count, id, createdMs } of shown) {
    reply.map(10)
    reply.latin1('count')
    reply.integer(count)
    for (const field of ['reason', 'context', 'object', 'username'] as const) {
      reply.latin1(field)
      reply.latin1(entry[field])
    }
    reply.latin1('age-seconds')
    reply.double((nowMs - entry.atMs) / 1000)
    reply.latin1('client-info')
    reply.latin1(entry.clientInfo)
    reply.latin1('entry-id')
    reply.integer(id)
    reply.latin1('timestamp-created')
    reply.integer(createdMs)
    reply.latin1('timestamp-last-updated')
    reply.integer(entry.atMs)
  }
}

function generatedPassword(bits: number): string {
  const digits = Math.ceil(bits / 4)
  return randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits)
}

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'acl|cat',
    arity: -2,
    flags: OPEN,
    since: '6.0.0',
    summary: 'The categories of commands, or the commands of one.',
    complexity: 'O(1), or O(N) in the number of commands of the category',
    parse(args) {
      if (args.remaining > 1) throw wrongUse(args)
      return args.remaining === 1 ? args.text() : undefined
    },
    run: listCategories,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|deluser',
    arity: -3,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'Removes users and closes their clients.',
    complexity: 'O(N) in the number of clients',
    parse: (args: Args) => args.texts(),
    run: deleteUsers,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|dryrun',
    arity: -4,
    flags: ADMIN,
    since: '7.0.0',
    summary: 'Whether a user may run a command, which is not run.',
    complexity: 'O(N) in the number of keys and patterns',
    parse: nothing,
    run: dryRun,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|genpass',
    arity: -2,
    flags: OPEN,
    since: '6.0.0',
    summary: 'A password drawn at random, in hexadecimal.',
    complexity: 'O(1)',
    parse(args) {
      if (args.remaining > 1) throw wrongUse(args)
      const bits = args.remaining === 1 ? args.integer() : BITS_DEFAULT
      if (bits <= 0 || bits > BITS_MAX) throw new ReplyError(BAD_BITS)
      return bits
    },
    run: ({ reply }, bits) => reply.latin1(generatedPassword(bits)),
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|getuser',
    arity: 3,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'Flags, password hashes and rules of a user.',
    complexity: 'O(N) in the number of rules',
    parse: args => args.text(),
    run: getUser,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|list',
    arity: 2,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'All users, each as a line of an aclfile.',
    complexity: 'O(N) in the number of users',
    parse: nothing,
    run({ reply, server }) {
      const { all } = server.users
      reply.array(all.length)
      for (const user of all) reply.latin1(user.line())
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|load',
    arity: 2,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'Reads the aclfile again: its users replace all there are, or nothing changes.',
    complexity: 'O(N) in the number of users',
    parse: nothing,
    run: load,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|log',
    arity: -2,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'What users were denied lately; RESET forgets it.',
    complexity: 'O(N) in the number of entries shown',
    parse: parseLog,
    run: showLog,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|save',
    arity: 2,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'Writes all users into the aclfile.',
    complexity: 'O(N) in the number of users',
    parse: nothing,
    run: save,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|setuser',
    arity: -3,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'Makes a user, or changes its rules: all as given, or none.',
    complexity: 'O(N) in the number of rules',
    parse: (args: Args) => args.texts(),
    secrets: request => Array.from({ length: request.argc - 2 }, (_, i) => i + 2),
    run: setUser,
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|users',
    arity: 2,
    flags: ADMIN,
    since: '6.0.0',
    summary: 'The names of all users.',
    complexity: 'O(N) in the number of users',
    parse: nothing,
    run({ reply, server }) {
      const { all } = server.users
      reply.array(all.length)
      for (const user of all) reply.latin1(user.name)
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'acl|whoami',
    arity: 2,
    flags: OPEN,
    since: '6.0.0',
    summary: 'The user of this connection.',
    complexity: 'O(1)',
    parse: nothing,
    run: ({ reply, session }) => reply.latin1(session.account.name),
  }),
  helpRow(
    'acl',
    'server',
    [],
    [
      ['CAT [<category>]', 'The categories of commands, or the commands of one.'],
      ['DELUSER <username> [<username> ...]', 'Removes users.'],
      ['DRYRUN <username> <command> [<arg> ...]', 'Whether a user may run a command, which is not run.'],
      ['GETUSER <username>', 'What is known of a user.'],
      ['GENPASS [<bits>]', 'A password of 256 bits, or of as many as wanted.'],
      ['LIST', 'All users as lines of an aclfile.'],
      ['LOAD', 'Reads the aclfile again.'],
      ['LOG [<count> | RESET]', 'What users were denied lately.'],
      ['SAVE', 'Writes the aclfile.'],
      ['SETUSER <username> <attribute> [<attribute> ...]', 'Makes or changes a user.'],
      ['USERS', 'The names of all users.'],
      ['WHOAMI', 'The user of this connection.'],
    ],
  ),
]

export const aclCommand = defineCommand({
  ...COMMON,
  name: 'acl',
  arity: -2,
  flags: 0,
  since: '6.0.0',
  summary: 'Users and what they may do.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: nothing,
  run: nothing,
})
