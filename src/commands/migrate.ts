// MIGRATE: moves keys to another server, as DUMP here, RESTORE there, DEL here. Atomic because the whole process waits
// for the other server, as in Redis: nobody sees a key on both sides or on none. Used by: key-commands.

import { ReplyError, replyErrors } from '../base/errors.js'
import { requestOf } from '../resp/request.js'
import type { Request } from '../resp/request.js'
import { dumpOf } from '../types/rdb/dump-payload.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'
import type { ExchangeResult } from './server.js'

const KEY_AT = 3
const OPTIONS_FROM = 6
const TIMEOUT_MS_DEFAULT = 1000
const TIMEOUT_MS_MAX = 2 ** 31 - 1
const NEEDS_EMPTY_KEY = 'ERR When using MIGRATE KEYS option, the key argument must be set to the empty string'
const FAILURES: Record<NonNullable<ExchangeResult['failed']>, string> = {
  connecting: 'IOERR error or timeout connecting to the client',
  writing: 'IOERR error or timeout writing to target instance',
  reading: 'IOERR error or timeout reading to target instance',
}

interface MigrateOptions {
  readonly host: string
  readonly port: number
  readonly database: number
  readonly timeoutMs: number
  readonly copy: boolean
  readonly replace: boolean
  /** Arguments of AUTH: a password, or a user and a password. */
  readonly auth: readonly string[]
  readonly keys: readonly string[]
}

/** Where the keys behind KEYS begin; 0 when there are none. Passwords may look like options. */
function keysFrom(request: Request): number {
  for (let i = OPTIONS_FROM; i < request.argc; i++) {
    if (request.is(i, 'AUTH')) i++
    else if (request.is(i, 'AUTH2')) i += 2
    else if (request.is(i, 'KEYS')) return i + 1 < request.argc ? i + 1 : 0
  }
  return 0
}

/** The single key, unless keys come behind KEYS: then its place must be empty. */
function singleKey(request: Request): number[] | undefined {
  if (keysFrom(request) === 0) return [KEY_AT]
  return request.lengths[KEY_AT] === 0 ? [] : undefined
}

function listedKeys(request: Request): number[] {
  const from = keysFrom(request)
  return from === 0 ? [] : Array.from({ length: request.argc - from }, (_, i) => from + i)
}

function secretPositions(request: Request): number[] {
  for (let i = OPTIONS_FROM; i < request.argc; i++) {
    if (request.is(i, 'KEYS')) break
    if (request.is(i, 'AUTH')) return [i + 1]
    if (request.is(i, 'AUTH2')) return [i + 1, i + 2]
  }
  return []
}

function parseMigrate(args: Args): MigrateOptions {
  const host = args.text()
  // As atoi() reads it: what is no number is port 0, where nobody listens.
  const port = Number.parseInt(args.text(), 10) || 0
  const single = args.key()
  args.at = OPTIONS_FROM
  let copy = false
  let replace = false
  let auth: string[] = []
  let keys: string[] | undefined
  while (args.remaining > 0 && keys === undefined) {
    if (args.take('COPY')) copy = true
    else if (args.take('REPLACE')) replace = true
    else if (args.remaining > 1 && args.take('AUTH')) auth = [args.text()]
    else if (args.remaining > 2 && args.take('AUTH2')) auth = [args.text(), args.text()]
    else if (args.take('KEYS')) {
      if (single !== '') throw new ReplyError(NEEDS_EMPTY_KEY)
      keys = args.texts()
    } else throw new ReplyError(replyErrors.syntax)
  }
  args.at = KEY_AT + 2
  const timeoutMs = args.integer()
  args.at = KEY_AT + 1
  const database = args.integer()
  args.at = args.request.argc
  const bounded = timeoutMs <= 0 ? TIMEOUT_MS_DEFAULT : Math.min(timeoutMs, TIMEOUT_MS_MAX)
  return { host, port, database, timeoutMs: bounded, copy, replace, auth, keys: keys ?? [single] }
}

interface Leaving {
  readonly key: string
  readonly command: Buffer
}

function leavingKeys(ctx: CommandContext, { keys, replace }: MigrateOptions): Leaving[] {
  const leaving: Leaving[] = []
  for (const key of keys) {
    const entry = ctx.db.find(key)
    if (entry === undefined) continue
    const ttlMs = entry.expireAtMs === 0 ? 0 : Math.max(1, entry.expireAtMs - ctx.nowMs)
    const payload = dumpOf(entry.value, ctx.server.config.values.protoMaxBulkLen)
    const options = replace ? ['REPLACE'] : []
    leaving.push({ key, command: requestOf(['RESTORE', key, ttlMs, payload, ...options]).buffer })
  }
  return leaving
}

/** The lines of the other server's replies, each without its end; the last one only if it is whole. */
function linesOf(reply: Buffer): string[] {
  const lines = reply.toString('latin1').split('\r\n')
  lines.pop()
  return lines
}

function runMigrate(ctx: CommandContext, options: MigrateOptions): void {
  const leaving = leavingKeys(ctx, options)
  if (leaving.length === 0) return ctx.reply.status('NOKEY')
  const before: Buffer[] = []
  if (options.auth.length > 0) before.push(requestOf(['AUTH', ...options.auth]).buffer)
  before.push(requestOf(['SELECT', options.database]).buffer)
  const request = Buffer.concat([...before, ...leaving.map(({ command }) => command)])
  const { host, port, timeoutMs } = options
  const { failed, reply } = ctx.server.exchange(host, port, timeoutMs, request, before.length + leaving.length)
  const lines = linesOf(reply)
  const heads = lines.slice(0, before.length)
  const answers = lines.slice(before.length)
  const refusal = [...heads, ...answers].find(line => line.startsWith('-'))
  // What was restored behind a refused SELECT lies in another database than was asked for: it is not gone from here.
  const moved = heads.some(line => line.startsWith('-')) ? [] : leaving.filter((_, i) => answers[i]?.startsWith('+'))
  if (!options.copy) leave(ctx, moved)
  // Written, not thrown: the keys that did move are gone from here.
  if (refusal !== undefined) ctx.reply.error(`ERR Target instance replied with error: ${refusal.slice(1)}`)
  else if (failed !== undefined) ctx.reply.error(FAILURES[failed])
  else ctx.reply.ok()
}

function leave(ctx: CommandContext, moved: readonly Leaving[]): void {
  if (moved.length === 0) return
  for (const { key } of moved) {
    ctx.db.remove(key)
    ctx.touched(key)
    ctx.notify('g', 'del', key)
  }
  ctx.effect('DEL', ...moved.map(({ key }) => key))
}

const migrate = defineCommand({
  name: 'migrate',
  arity: -6,
  flags: Flag.Write | Flag.MovableKeys,
  categories: ['keyspace', 'dangerous'],
  keys: [
    {
      flags: ['RW', 'access', 'delete'],
      begin: { index: KEY_AT },
      find: { lastKey: 0, step: 1, limit: 0 },
      locate: singleKey,
    },
    {
      flags: ['RW', 'access', 'delete', 'incomplete'],
      begin: { keyword: 'KEYS', startFrom: -2 },
      find: { lastKey: -1, step: 1, limit: 0 },
      locate: listedKeys,
    },
  ],
  group: 'generic',
  since: '2.6.0',
  summary: 'Moves keys to another server, in one step for everybody who looks.',
  complexity: 'O(N) in the bytes of the values, which are dumped, sent, restored and removed',
  tips: ['nondeterministic_output'],
  secrets: secretPositions,
  parse: parseMigrate,
  run: runMigrate,
})

export const migrateCommands: readonly CommandSpec<never>[] = [migrate]
