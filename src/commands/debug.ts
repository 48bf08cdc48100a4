// DEBUG: what tests need and nobody else should have; off unless enable-debug-command says otherwise. Subcommands of
// Redis that reach into structures we do not have are unknown; those that switch off what never happens answer OK.

import { ReplyError, replyErrors } from '../base/errors.js'
import { parseMemory } from '../base/config-types.js'
import { StringValue } from '../types/string/string-value.js'
import type { CommandContext } from './context.js'
import { digestOfAll, digestOfKey } from './debug-digest.js'
import { writeSample } from './debug-protocol.js'
import { writeHelp } from './help.js'
import type { HelpEntries } from './help.js'
import { isLocal } from './local-client.js'
import { defineCommand, Flag } from './spec.js'

const NOT_ALLOWED =
  'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local ' +
  'connection, otherwise you need to set this option in the configuration file, and then restart the server.'
const PACKED_BYTES_MAX = 4 * 1024 ** 3
const LRU_CLOCK_MASK = 0xffffff

interface Handler {
  /** Number of words behind the subcommand. */
  readonly words: readonly [min: number, max: number]
  run(ctx: CommandContext, words: readonly string[]): void
}

const ok = ({ reply }: CommandContext): void => reply.ok()

const HANDLERS: Record<string, Handler> = {
  help: { words: [0, 0], run: ({ reply }) => writeHelp(reply, 'debug', HELP) },
  sleep: {
    words: [1, 1],
    run({ server, reply }, [seconds]) {
      server.sleepSync(Math.max(0, Number.parseFloat(seconds) || 0))
      reply.ok()
    },
  },
  'set-active-expire': {
    words: [1, 1],
    run({ server, reply }, [on]) {
      server.activeExpire = Number.parseInt(on, 10) > 0
      reply.ok()
    },
  },
  reload: { words: [0, 3], run: reload },
  loadaof: { words: [0, 0], run: ctx => reloadFrom(ctx, false) },
  object: { words: [1, 2], run: describeObject },
  log: {
    words: [1, 1],
    run({ server, reply }, [message]) {
      server.log?.notice(`DEBUG LOG: ${message}`)
      reply.ok()
    },
  },
  error: { words: [1, 1], run: ({ reply }, [text]) => reply.error(text) },
  protocol: { words: [1, 1], run: ({ reply }, [kind]) => writeSample(reply, kind.toLowerCase()) },
  digest: { words: [0, 0], run: ({ reply, keyspace }) => reply.status(digestOfAll(keyspace)) },
  'digest-value': {
    words: [0, Infinity],
    run({ reply, db }, keys) {
      const digests = keys.map(key => digestOfKey(db, key))
      reply.array(digests.length)
      for (const digest of digests) reply.status(digest)
    },
  },
  populate: { words: [1, 3], run: populate },
  'config-rewrite-force-all': {
    words: [0, 0],
    run({ server, reply }) {
      server.config.rewrite(true)
      reply.ok()
    },
  },
  'quicklist-packed-threshold': {
    words: [1, 1],
    run({ reply }, [size]) {
      const bytes = parseMemory(size)
      if (bytes === undefined || bytes > PACKED_BYTES_MAX) {
        throw new ReplyError('ERR argument must be a memory value bigger than 1 and smaller than 4gb')
      }
      reply.ok()
    },
  },
  htstats: { words: [1, 2], run: tableFigures },
  'htstats-key': {
    words: [1, 2],
    run({ db }, [key]) {
      if (db.peek(key) === undefined) throw new ReplyError(replyErrors.noSuchKey)
      throw new ReplyError('ERR The value stored at the specified key is not represented using an hash table')
    },
  },
  'change-repl-id': { words: [0, 0], run: ok },
  'set-disable-deny-scripts': {
    words: [1, 1],
    run({ server, reply }, [word]) {
      server.scripts.mayCallAll = Number(word) !== 0
      reply.ok()
    },
  },
  'set-skip-checksum-validation': { words: [1, 1], run: ok },
  'pause-cron': { words: [1, 1], run: ok },
  replybuffer: { words: [2, 2], run: ok },
  'aof-flush-sleep': { words: [1, 1], run: ok },
}

const HELP: HelpEntries = [
  ['CONFIG-REWRITE-FORCE-ALL', 'As CONFIG REWRITE, with every directive.'],
  ['DIGEST', 'One number for the content of all databases.'],
  ['DIGEST-VALUE <key> [<key> ...]', 'One number for the value of each key.'],
  ['ERROR <string>', 'Answers an error with this text.'],
  ['LOG <message>', "Writes into the server's log."],
  ['HTSTATS <dbid>', 'Figures of the key directory of a database.'],
  ['LOADAOF', 'Closes the data folder, opens it again and replays the journal.'],
  ['OBJECT <key>', 'Encoding, size and age of a value.'],
  ['POPULATE <count> [<prefix>] [<size>]', 'Creates strings <prefix>:0, <prefix>:1 and so on (default: key).'],
  [
    'PROTOCOL <type>',
    'Answers a sample of a type: string, integer, double, bignum, null, array, set, map, attrib, push, verbatim,',
    'true, false.',
  ],
  ['RELOAD [NOSAVE]', 'Makes a checkpoint (not with NOSAVE), closes the data folder and opens it again.'],
  ['SET-ACTIVE-EXPIRE <0|1>', 'Whether expired keys are removed before somebody looks at them.'],
  ['SET-DISABLE-DENY-SCRIPTS <0|1>', 'Whether scripts may call commands that are not allowed from scripts.'],
  ['SLEEP <seconds>', 'Stops the whole server for so long. Decimals are allowed.'],
  [
    'CHANGE-REPL-ID, SET-SKIP-CHECKSUM-VALIDATION <0|1>, PAUSE-CRON <0|1>,',
    'QUICKLIST-PACKED-THRESHOLD <size>, REPLYBUFFER <option> <value>, AOF-FLUSH-SLEEP <microsec>',
    'answer OK and change nothing.',
  ],
]

function reload(ctx: CommandContext, words: readonly string[]): void {
  const options = words.map(word => word.toLowerCase())
  if (!options.every(word => word === 'merge' || word === 'noflush' || word === 'nosave')) {
    throw new ReplyError('ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.')
  }
  reloadFrom(ctx, !options.includes('nosave'))
}

function reloadFrom(ctx: CommandContext, checkpoint: boolean): void {
  if (!ctx.mayBlock) throw new ReplyError('ERR data cannot be reloaded inside a transaction or script')
  let fault: string | undefined
  const work = ctx.server.reload({ checkpoint }).catch((error: unknown) => {
    fault = error instanceof Error ? error.message : String(error)
  })
  ctx.server.later(ctx.session, work, reply => {
    if (fault === undefined) reply.ok()
    else reply.error(`ERR Error trying to load the data: ${fault}`)
  })
}

function describeObject({ reply, db, nowMs }: CommandContext, [key]: readonly string[]): void {
  const entry = db.held(key)
  if (entry === undefined) throw new ReplyError(replyErrors.noSuchKey)
  const { value, accessMs } = entry
  const lru = Math.floor(accessMs / 1000) & LRU_CLOCK_MASK
  const idleS = Math.max(0, Math.floor((nowMs - accessMs) / 1000))
  reply.status(
    `Value at:0x${value.object.id.toString(16)} refcount:1 encoding:${value.encoding} ` +
      `serializedlength:${Math.ceil(value.memoryUsage())} lru:${lru} lru_seconds_idle:${idleS}`,
  )
}

function tableFigures({ reply, keyspace }: CommandContext, [number]: readonly string[]): void {
  const db = /^\d{1,9}$/.test(number) ? keyspace.databases[Number(number)] : undefined
  if (db === undefined) throw new ReplyError('ERR Out of range database')
  const part = (title: string, size: number) =>
    `[${title}]\n${size === 0 ? 'No stats available for empty dictionaries\n' : ` number of elements: ${size}\n`}`
  reply.verbatim('txt', part('Dictionary HT', db.size) + part('Expires HT', db.expiringCount))
}

function populate(ctx: CommandContext, [count, prefix = 'key', size]: readonly string[]): void {
  const total = Number(count)
  const bytes = size === undefined ? undefined : Number(size)
  if (!Number.isSafeInteger(total) || total < 0 || (bytes !== undefined && !(bytes >= 0))) {
    throw new ReplyError(replyErrors.notAnInteger)
  }
  for (let i = 0; i < total; i++) {
    const key = `${prefix}:${i}`
    if (ctx.db.peek(key) !== undefined) continue
    const text = `value:${i}`
    const content = bytes === undefined ? text : text.slice(0, bytes).padEnd(bytes, '\0')
    ctx.db.put(key, StringValue.create(ctx.keyspace.rows, content))
    ctx.touched(key)
    ctx.effect('SET', key, content)
  }
  ctx.reply.ok()
}

export const debugCommand = defineCommand({
  name: 'debug',
  arity: -2,
  flags: Flag.Admin | Flag.NoScript | Flag.Loading | Flag.Stale,
  categories: [],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Tools for tests; see enable-debug-command.',
  complexity: 'Depends on the subcommand',
  parse(args) {
    const name = args.text()
    return { name, words: args.texts() }
  },
  run(ctx, { name, words }) {
    const rule = ctx.server.config.values.enableDebugCommand
    if (rule === 'no' || (rule === 'local' && !isLocal(ctx.session))) throw new ReplyError(NOT_ALLOWED)
    const lower = name.toLowerCase()
    const handler = Object.hasOwn(HANDLERS, lower) ? HANDLERS[lower] : undefined
    if (handler === undefined || words.length < handler.words[0] || words.length > handler.words[1]) {
      throw new ReplyError(`ERR unknown subcommand or wrong number of arguments for '${name}'. Try DEBUG HELP.`)
    }
    handler.run(ctx, words)
  },
})
