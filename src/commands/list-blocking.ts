// BLPOP, BRPOP, BLMPOP, BLMOVE, BRPOPLPUSH: they take what is there, or wait for the first of their lists that gets an
// element. What is journaled are the commands that do not wait: whatever was taken is at that end at replay too.

import { replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { ListValue } from '../types/list/list-value.js'
import type { Args } from './args.js'
import { takeTimeout } from './blocking-timeout.js'
import type { CommandContext, Wait } from './context.js'
import { moveOne, MOVE_KEYS, takeMove, takeTailToHead, tryMove } from './list-move.js'
import type { Move } from './list-move.js'
import { popFirstOf, popMany, popOne, takeManyPop } from './list-pop.js'
import type { ManyPopOptions } from './list-pop.js'
import { listIfAny, listToWrite } from './list-store.js'
import type { End } from './list-store.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'
import { attempt, granted } from './stream-arguments.js'

abstract class ListWait implements Wait {
  readonly kind = 'list'
  readonly exclusive = true
  readonly keys: readonly string[]

  constructor(
    keys: readonly string[],
    readonly timeoutMs: number,
  ) {
    this.keys = [...new Set(keys)]
  }

  serve(ctx: CommandContext, key: string): boolean {
    const list = listIfAny(ctx, key)
    if (list === undefined) return false
    this.take(ctx, key, list)
    return true
  }

  onTimeout(reply: Reply): void {
    reply.nullArray()
  }

  /** Takes from a list that has an element, answers and journals. */
  protected abstract take(ctx: CommandContext, key: string, list: ListValue): void
}

function popWithKey(ctx: CommandContext, key: string, list: ListValue, end: End): void {
  ctx.reply.array(2)
  ctx.reply.latin1(key)
  popOne(ctx, key, list, end)
  ctx.effect(end === 'left' ? 'LPOP' : 'RPOP', key)
}

class PopWait extends ListWait {
  constructor(
    keys: readonly string[],
    timeoutMs: number,
    readonly end: End,
  ) {
    super(keys, timeoutMs)
  }

  protected take(ctx: CommandContext, key: string, list: ListValue): void {
    popWithKey(ctx, key, list, this.end)
  }
}

interface WaitingPop {
  readonly keys: readonly string[]
  readonly timeoutMs: number
}

function parseWaitingPop(args: Args): WaitingPop {
  const keys: string[] = []
  while (args.remaining > 1) keys.push(args.key())
  return { keys, timeoutMs: takeTimeout(args) }
}

function runWaitingPop(ctx: CommandContext, { keys, timeoutMs }: WaitingPop, end: End): void {
  for (const key of keys) {
    const list = listToWrite(ctx, key)
    if (list !== undefined) return popWithKey(ctx, key, list, end)
  }
  if (ctx.mayBlock) ctx.block(new PopWait(keys, timeoutMs, end))
  else ctx.reply.nullArray()
}

/** All arguments but the last. */
const POP_KEYS: readonly KeySpec[] = [
  { flags: ['RW', 'access', 'delete'], begin: { index: 1 }, find: { lastKey: -2, step: 1, limit: 0 } },
]

function waitingPopCommand(name: string, summary: string, end: End): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.Write | Flag.NoScript | Flag.Blocking,
    categories: ['list'],
    keys: POP_KEYS,
    group: 'list',
    since: '2.0.0',
    summary,
    complexity: 'O(K) for K keys',
    parse: parseWaitingPop,
    run: (ctx, options: WaitingPop) => runWaitingPop(ctx, options, end),
  })
}

class ManyPopWait extends ListWait {
  constructor(
    readonly options: ManyPopOptions,
    timeoutMs: number,
  ) {
    super(options.keys, timeoutMs)
  }

  protected take(ctx: CommandContext, key: string, list: ListValue): void {
    popMany(ctx, key, list, this.options)
  }
}

const blmpop = defineCommand({
  name: 'blmpop',
  arity: -5,
  flags: Flag.Write | Flag.Blocking | Flag.MovableKeys,
  categories: ['list'],
  keys: [
    {
      flags: ['RW', 'access', 'delete'],
      begin: { index: 2 },
      find: { keyNumIndex: 0, firstKey: 1, step: 1 },
    },
  ],
  group: 'list',
  since: '7.0.0',
  summary: 'Takes elements from the first of several lists that has any, or waits for one.',
  complexity: 'O(K + N) for K keys and N elements taken',
  parse(args: Args) {
    // Redis complains about the time last.
    const timeoutMs = attempt(args, takeTimeout)
    args.at = 2
    const options = takeManyPop(args)
    return { options, timeoutMs: granted(timeoutMs) }
  },
  run(ctx, { options, timeoutMs }) {
    if (popFirstOf(ctx, options)) return
    if (ctx.mayBlock) ctx.block(new ManyPopWait(options, timeoutMs))
    else ctx.reply.nullArray()
  },
})

function journalMove(ctx: CommandContext, { from, to, fromEnd, toEnd }: Move): void {
  ctx.effect('LMOVE', from, to, fromEnd, toEnd)
}

class MoveWait extends ListWait {
  constructor(
    readonly move: Move,
    timeoutMs: number,
  ) {
    super([move.from], timeoutMs)
  }

  protected take(ctx: CommandContext, _key: string, list: ListValue): void {
    const target = ctx.db.peek(this.move.to)
    if (target !== undefined && target.type !== 'list') {
      ctx.reply.error(replyErrors.wrongType)
      return
    }
    moveOne(ctx, this.move, list, target?.value as ListValue | undefined)
    journalMove(ctx, this.move)
  }
}

interface WaitingMove {
  readonly move: Move
  readonly timeoutMs: number
}

function runWaitingMove(ctx: CommandContext, { move, timeoutMs }: WaitingMove): void {
  if (tryMove(ctx, move)) journalMove(ctx, move)
  else if (ctx.mayBlock) ctx.block(new MoveWait(move, timeoutMs))
  else ctx.reply.nullBulk()
}

const blmove = defineCommand<WaitingMove>({
  name: 'blmove',
  arity: 6,
  flags: Flag.Write | Flag.DenyOom | Flag.NoScript | Flag.Blocking,
  categories: ['list'],
  keys: MOVE_KEYS,
  group: 'list',
  since: '6.2.0',
  summary: 'Moves an element from an end of one list to an end of another, or waits for one to move.',
  complexity: 'O(1)',
  parse: args => ({ move: takeMove(args), timeoutMs: takeTimeout(args) }),
  run: runWaitingMove,
})

const brpoplpush = defineCommand<WaitingMove>({
  name: 'brpoplpush',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom | Flag.NoScript | Flag.Blocking,
  categories: ['list'],
  keys: MOVE_KEYS,
  group: 'list',
  since: '2.2.0',
  summary: 'Moves an element from the tail of one list to the head of another, or waits for one to move.',
  complexity: 'O(1)',
  parse: args => ({ move: takeTailToHead(args), timeoutMs: takeTimeout(args) }),
  run: runWaitingMove,
})

export const listWaiters: readonly CommandSpec<never>[] = [
  waitingPopCommand('blpop', 'Takes the head of the first of several lists that has one, or waits for it.', 'left'),
  waitingPopCommand('brpop', 'Takes the tail of the first of several lists that has one, or waits for it.', 'right'),
  blmpop,
  blmove,
  brpoplpush,
]
