// LMOVE, RPOPLPUSH, and what they share with those that wait.

import type { ListValue } from '../types/list/list-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { createList, listToWrite, popEvent, push, settleRemoval, takeEnd } from './list-store.js'
import type { End } from './list-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

export interface Move {
  readonly from: string
  readonly to: string
  readonly fromEnd: End
  readonly toEnd: End
}

export function takeMove(args: Args): Move {
  return { from: args.key(), to: args.key(), fromEnd: takeEnd(args), toEnd: takeEnd(args) }
}

export function takeTailToHead(args: Args): Move {
  return { from: args.key(), to: args.key(), fromEnd: 'right', toEnd: 'left' }
}

/**
 * Moves an element and answers it. The caller journals.
 * @param source a list with an element
 * @param target undefined when there is no such key
 */
export function moveOne(ctx: CommandContext, move: Move, source: ListValue, target: ListValue | undefined): void {
  const { from, to, fromEnd, toEnd } = move
  const at = fromEnd === 'left' ? 0 : source.count - 1
  const value = source.at(at)
  source.removeRange(at, at + 1)
  push(target ?? createList(ctx, to), toEnd, value)
  ctx.touched(to)
  ctx.notify('l', toEnd === 'left' ? 'lpush' : 'rpush', to)
  settleRemoval(ctx, from, source, popEvent(fromEnd))
  ctx.reply.bulk(value)
}

/** False, and nothing done, when there is nothing to move. The caller journals. @throws ReplyError WRONGTYPE */
export function tryMove(ctx: CommandContext, move: Move): boolean {
  const source = listToWrite(ctx, move.from)
  if (source === undefined) return false
  moveOne(ctx, move, source, listToWrite(ctx, move.to))
  return true
}

function runMove(ctx: CommandContext, move: Move): void {
  if (tryMove(ctx, move)) ctx.changed()
  else ctx.reply.nullBulk()
}

/** Of all commands that move an element. */
export const MOVE_KEYS = [...keysAt(['RW', 'access', 'delete'], 1), ...keysAt(['RW', 'insert'], 2)]

const lmove = defineCommand<Move>({
  name: 'lmove',
  arity: 5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['list'],
  keys: MOVE_KEYS,
  group: 'list',
  since: '6.2.0',
  summary: 'Moves an element from an end of one list to an end of another, or of the same, and answers it.',
  complexity: 'O(1)',
  parse: takeMove,
  run: runMove,
})

const rpoplpush = defineCommand<Move>({
  name: 'rpoplpush',
  arity: 3,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['list'],
  keys: MOVE_KEYS,
  group: 'list',
  since: '1.2.0',
  summary: 'Moves an element from the tail of one list to the head of another, and answers it.',
  complexity: 'O(1)',
  parse: takeTailToHead,
  run: runMove,
})

export const listMovers: readonly CommandSpec<never>[] = [lmove, rpoplpush]
