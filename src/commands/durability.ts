// SAVE, BGSAVE, BGREWRITEAOF, LASTSAVE, WAIT, WAITAOF: what is safe on the device, and making it so. A checkpoint takes
// the place of Redis' dump and of its rewritten append-only file.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import type { Server } from './server.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const ADMIN = Flag.Admin | Flag.NoScript | Flag.NoAsyncLoading
const COMMON = { categories: [], keys: [], group: 'server' } as const
const nothing = (): undefined => undefined

/** A checkpoint that holds everything executed until now: a running one may have been cut earlier. */
async function checkpointOfNow({ durability }: Server): Promise<void> {
  if (durability.checkpointRunning) await durability.checkpoint()
  await durability.checkpoint()
}

/** Runs `work` while the client waits; a failure is answered as an error. */
function answerWhenDone(ctx: CommandContext, work: Promise<void>): void {
  let fault: string | undefined
  const settled = work.catch((error: unknown) => {
    fault = error instanceof Error ? error.message : String(error)
  })
  ctx.server.later(ctx.session, settled, reply => {
    if (fault === undefined) reply.ok()
    else reply.error(`ERR ${fault}`)
  })
}

/** Starts a checkpoint that nobody waits for; its failure shows in INFO. */
function startCheckpoint(server: Server): void {
  checkpointOfNow(server).catch(() => undefined)
}

function timeoutMsOf(args: Args): number {
  const ms = args.integer('ERR timeout is not an integer or out of range')
  if (ms < 0) throw new ReplyError('ERR timeout is negative')
  return ms
}

interface WaitAof {
  readonly local: number
  readonly replicas: number
  readonly timeoutMs: number
}

/** Resolves after `ms`; for ever when 0. `stop` lets the process end earlier. */
function timeout(ms: number): { passed: Promise<void>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<void>(resolve => {
    if (ms > 0) timer = setTimeout(resolve, ms)
  })
  return { passed, stop: () => clearTimeout(timer) }
}

function waitAof(ctx: CommandContext, { local, replicas, timeoutMs }: WaitAof): void {
  const answer = (synced: boolean) => {
    ctx.reply.array(2)
    ctx.reply.integer(synced ? 1 : 0)
    ctx.reply.integer(0)
  }
  const { server } = ctx
  if (!ctx.mayBlock || (local === 0 && replicas === 0)) {
    answer(server.config.values.appendfsync === 'always')
    return
  }
  let synced = false
  const time = timeout(timeoutMs)
  // A failed sync is tried again by the store: it does not end the wait, the time does.
  const localDone = server.durability.synced().then(
    () => {
      synced = true
    },
    () => time.passed,
  )
  // Replicas never come: whoever asks for one waits until the time is up.
  const enough = replicas > 0 ? time.passed : Promise.race([localDone, time.passed])
  server.later(
    ctx.session,
    enough.finally(() => time.stop()),
    reply => {
      reply.array(2)
      reply.integer(synced ? 1 : 0)
      reply.integer(0)
    },
  )
}

export const durabilityCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'save',
    arity: 1,
    flags: ADMIN | Flag.NoMulti,
    since: '1.0.0',
    summary: 'Brings everything into LMDB and answers when it is there. Others go on meanwhile.',
    complexity: 'O(N) in the number of changed pages',
    parse: nothing,
    run: ctx => answerWhenDone(ctx, checkpointOfNow(ctx.server)),
  }),
  defineCommand({
    ...COMMON,
    name: 'bgsave',
    arity: -1,
    flags: ADMIN,
    since: '1.0.0',
    summary: 'Starts a checkpoint and answers at once.',
    complexity: 'O(1)',
    parse(args) {
      if (args.remaining === 0) return { schedule: false }
      if (args.remaining > 1 || !args.take('SCHEDULE')) throw new ReplyError(replyErrors.syntax)
      return { schedule: true }
    },
    run({ reply, server }, { schedule }) {
      const running = server.durability.checkpointRunning
      if (running && !schedule) throw new ReplyError('ERR Background save already in progress')
      startCheckpoint(server)
      reply.status(running ? 'Background saving scheduled' : 'Background saving started')
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'bgrewriteaof',
    arity: 1,
    flags: ADMIN,
    since: '1.0.0',
    summary: 'Starts a checkpoint, after which the older journal segments are deleted.',
    complexity: 'O(1)',
    parse: nothing,
    run({ reply, server }) {
      startCheckpoint(server)
      reply.status('Background append only file rewriting started')
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'lastsave',
    arity: 1,
    flags: Flag.Loading | Flag.Stale | Flag.Fast,
    categories: ['admin', 'dangerous'],
    since: '1.0.0',
    summary: 'Unix time of the last checkpoint.',
    complexity: 'O(1)',
    tips: ['nondeterministic_output'],
    parse: nothing,
    run: ({ reply, server }) => reply.integer(Math.floor(server.durability.lastCheckpointMs / 1000)),
  }),
  defineCommand({
    ...COMMON,
    name: 'wait',
    arity: 3,
    flags: Flag.NoScript,
    categories: ['connection'],
    group: 'generic',
    since: '3.0.0',
    summary: 'Waits for replicas. There are none: 0 once the time is up.',
    complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:agg_min'],
    parse: args => ({ replicas: args.integer(), timeoutMs: timeoutMsOf(args) }),
    run(ctx, { replicas, timeoutMs }) {
      if (replicas <= 0 || !ctx.mayBlock) ctx.reply.integer(0)
      else {
        ctx.block({
          keys: [],
          timeoutMs,
          kind: 'wait',
          serve: () => false,
          onTimeout: reply => reply.integer(0),
        })
      }
    },
  }),
  defineCommand({
    ...COMMON,
    name: 'waitaof',
    arity: 4,
    flags: Flag.NoScript,
    categories: ['connection'],
    group: 'generic',
    since: '7.2.0',
    summary: 'Waits until everything executed before is on the device: the count of local copies, then of replicas.',
    complexity: 'O(1)',
    tips: ['request_policy:all_shards', 'response_policy:agg_min'],
    parse(args): WaitAof {
      const local = args.integer()
      if (local < 0 || local > 1) throw new ReplyError('ERR value is out of range, value must between 0 and 1')
      const replicas = args.integer('ERR value is out of range, must be positive')
      if (replicas < 0) throw new ReplyError('ERR value is out of range, must be positive')
      return { local, replicas, timeoutMs: timeoutMsOf(args) }
    },
    run: waitAof,
  }),
]
