// EVAL, EVALSHA, their read-only forms, and SCRIPT. The rows only; scripts are run by exec/script-host.

import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'

const TOO_MANY_KEYS = "ERR Number of keys can't be greater than number of args"
const NEGATIVE_KEYS = "ERR Number of keys can't be negative"
const FLUSH_MODES = 'ERR SCRIPT FLUSH only support SYNC|ASYNC option'
const DEBUG_MODES = 'ERR Use SCRIPT DEBUG YES/SYNC/NO'
const NO_SCRIPT = 'NOSCRIPT No matching script. Please use EVAL.'
const SHA1_HEX_LENGTH = 40

/** Of a command that runs a script or function. */
export function runFlags(readOnly: boolean): number {
  const common = Flag.NoScript | Flag.SkipMonitor | Flag.NoMandatoryKeys | Flag.Stale | Flag.MovableKeys
  return common | (readOnly ? Flag.ReadOnly : Flag.MayReplicate)
}

/** `<what> numkeys key … arg …`: the keys of scripts and functions. */
export function scriptKeys(readOnly: boolean): KeySpec[] {
  const flags = readOnly ? ['RO', 'access'] : ['RW', 'access', 'update']
  return [{ flags, begin: { index: 2 }, find: { keyNumIndex: 0, firstKey: 1, step: 1 } }]
}

/** The number of keys, the next argument; what follows it must hold so many. */
export function parseKeyCount(args: Args, notANumber?: string): number {
  const keys = args.integer(notANumber)
  if (keys > args.remaining) throw new ReplyError(TOO_MANY_KEYS)
  if (keys < 0) throw new ReplyError(NEGATIVE_KEYS)
  args.at += args.remaining
  return keys
}

type Run = (ctx: CommandContext, keys: number, readOnly: boolean) => void

interface RunRow {
  readonly name: string
  readonly since: string
  readonly summary: string
  readonly readOnly: boolean
  readonly byDigest: boolean
  readonly run: Run
}

function runRow({ name, since, summary, readOnly, byDigest, run }: RunRow): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: runFlags(readOnly),
    categories: ['scripting'],
    keys: scriptKeys(readOnly),
    group: 'scripting',
    since,
    summary,
    complexity: 'Depends on the script that is executed.',
    parse(args: Args) {
      const script = args.at++
      if (byDigest && args.request.lengths[script] !== SHA1_HEX_LENGTH) throw new ReplyError(NO_SCRIPT)
      return parseKeyCount(args)
    },
    run: (ctx, keys: number) => run(ctx, keys, readOnly),
  })
}

const evaluate: Run = (ctx, keys, readOnly) => ctx.server.scripts.evaluate(ctx, keys, readOnly)
const evaluateSha: Run = (ctx, keys, readOnly) => ctx.server.scripts.evaluateSha(ctx, keys, readOnly)

interface SubRow<O> {
  readonly name: string
  readonly arity: number
  readonly flags?: number
  readonly summary: string
  readonly complexity: string
  readonly tips?: readonly string[]
  parse(args: Args): O
  run(ctx: CommandContext, options: O): void
}

function subRow<O>(row: SubRow<O>): CommandSpec<never> {
  return defineCommand<O>({
    since: row.name === 'script|debug' ? '3.2.0' : '2.6.0',
    ...row,
    flags: Flag.NoScript | (row.flags ?? 0),
    categories: ['scripting'],
    keys: [],
    group: 'scripting',
  })
}

function parseFlush(args: Args): undefined {
  if (args.remaining === 0) return
  if (args.remaining > 1 || !(args.take('SYNC') || args.take('ASYNC'))) throw new ReplyError(FLUSH_MODES)
}

const subcommands: readonly CommandSpec<never>[] = [
  subRow({
    name: 'script|debug',
    arity: 3,
    summary: 'Accepts the modes of the script debugger, which is not there: scripts run as ever.',
    complexity: 'O(1)',
    parse(args) {
      if (!args.take('NO') && !args.take('YES') && !args.take('SYNC')) throw new ReplyError(DEBUG_MODES)
    },
    run: ctx => ctx.reply.ok(),
  }),
  subRow({
    name: 'script|exists',
    arity: -3,
    summary: 'Tells for each digest whether its script is kept.',
    complexity: 'O(N) in the number of digests',
    tips: ['request_policy:all_shards', 'response_policy:agg_logical_and'],
    parse(args) {
      return args.texts()
    },
    run(ctx, digests) {
      ctx.reply.array(digests.length)
      for (const sha of digests) ctx.reply.integer(ctx.server.scripts.knows(sha) ? 1 : 0)
    },
  }),
  subRow({
    name: 'script|flush',
    arity: -2,
    summary: 'Forgets all scripts that are kept.',
    complexity: 'O(N) in the number of scripts',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: parseFlush,
    run(ctx) {
      ctx.server.scripts.flush()
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'script|kill',
    arity: 2,
    flags: Flag.AllowBusy,
    summary: 'Ends the running script if it has not written anything.',
    complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:one_succeeded'],
    parse: () => undefined,
    run(ctx) {
      ctx.server.scripts.kill('script')
      ctx.reply.ok()
    },
  }),
  subRow({
    name: 'script|load',
    arity: 3,
    flags: Flag.Stale,
    summary: 'Keeps a script without running it and returns its digest.',
    complexity: 'O(N) in the bytes of the script',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: args => args.bytes(),
    run: (ctx, source) => ctx.reply.latin1(ctx.server.scripts.load(source)),
  }),
  helpRow(
    'script',
    'scripting',
    ['scripting'],
    [
      ['DEBUG (YES|SYNC|NO)', 'Accepted; there is no debugger.'],
      ['EXISTS <sha1> [<sha1> ...]', 'Tells which of these scripts are kept.'],
      ['FLUSH [ASYNC|SYNC]', 'Forgets all scripts that are kept. Both modes do the same.'],
      ['KILL', 'Ends the running script, unless it has written something.'],
      ['LOAD <script>', 'Keeps a script without running it.'],
    ],
  ),
]

export const scriptCommands: readonly CommandSpec<never>[] = [
  runRow({
    name: 'eval',
    since: '2.6.0',
    summary: 'Runs a Lua script.',
    readOnly: false,
    byDigest: false,
    run: evaluate,
  }),
  runRow({
    name: 'eval_ro',
    since: '7.0.0',
    summary: 'Runs a Lua script that may not write.',
    readOnly: true,
    byDigest: false,
    run: evaluate,
  }),
  runRow({
    name: 'evalsha',
    since: '2.6.0',
    summary: 'Runs a kept Lua script by its digest.',
    readOnly: false,
    byDigest: true,
    run: evaluateSha,
  }),
  runRow({
    name: 'evalsha_ro',
    since: '7.0.0',
    summary: 'Runs a kept Lua script by its digest; it may not write.',
    readOnly: true,
    byDigest: true,
    run: evaluateSha,
  }),
  defineCommand({
    name: 'script',
    arity: -2,
    flags: 0,
    categories: [],
    keys: [],
    group: 'scripting',
    since: '2.6.0',
    summary: 'Holds the commands about kept scripts.',
    complexity: 'Depends on the subcommand.',
    subcommands,
    parse: () => undefined,
    run: () => undefined,
  }),
]
