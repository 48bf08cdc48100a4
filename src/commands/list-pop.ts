// LPOP, RPOP, LMPOP, and what they share with those that wait.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { ListValue } from '../types/list/list-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { listToWrite, popEvent, removeElements, takeEnd } from './list-store.js'
import type { End } from './list-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const MUST_BE_POSITIVE = 'ERR value is out of range, must be positive'
const KEYS_NOT_POSITIVE = 'ERR numkeys should be greater than 0'
const COUNT_NOT_POSITIVE = 'ERR count should be greater than 0'

/** Takes the element at one end of a list that has one, and answers it. The caller journals. */
export function popOne(ctx: CommandContext, key: string, list: ListValue, end: End): void {
  const at = end === 'left' ? 0 : list.count - 1
  const value = list.at(at)
  ctx.reply.bulk(value)
  removeElements(ctx, key, list, at, at + 1, popEvent(end))
}

/** Takes up to `max` elements and answers them as an array. The caller journals. Returns how many there were. */
export function popSome(ctx: CommandContext, key: string, list: ListValue, end: End, max: number): number {
  const count = Math.min(max, list.count)
  const from = end === 'left' ? 0 : list.count - count
  ctx.reply.array(count)
  writeRange(ctx.reply, list, from, from + count, end === 'right')
  removeElements(ctx, key, list, from, from + count, popEvent(end))
  return count
}

/** Writes elements [from, to), `backwards` the last one first, without the head of the array. */
export function writeRange(reply: Reply, list: ListValue, from: number, to: number, backwards: boolean): void {
  list.visit(from, to, backwards, (page, first, end) => {
    if (backwards) for (let i = end - 1; i >= first; i--) reply.bulk(page.at(i))
    else for (let i = first; i < end; i++) reply.bulk(page.at(i))
    return false
  })
}

interface PopOptions {
  readonly key: string
  readonly count: number | undefined
}

function parsePop(args: Args, name: string): PopOptions {
  const key = args.key()
  if (args.remaining === 0) return { key, count: undefined }
  if (args.remaining > 1) throw new ReplyError(replyErrors.wrongArity(name))
  const count = args.integer(MUST_BE_POSITIVE)
  if (count < 0) throw new ReplyError(MUST_BE_POSITIVE)
  return { key, count }
}

function runPop(ctx: CommandContext, { key, count }: PopOptions, end: End): void {
  const list = listToWrite(ctx, key)
  if (list === undefined) return count === undefined ? ctx.reply.nullBulk() : ctx.reply.nullArray()
  if (count === undefined) {
    popOne(ctx, key, list, end)
    ctx.changed()
  } else if (count === 0) {
    ctx.reply.array(0)
  } else {
    ctx.changed(popSome(ctx, key, list, end, count))
  }
}

function popCommand(name: string, summary: string, end: End): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -2,
    flags: Flag.Write | Flag.Fast,
    categories: ['list'],
    keys: keysAt(['RW', 'access', 'delete'], 1),
    group: 'list',
    since: '1.0.0',
    summary,
    complexity: 'O(1) for each element taken',
    parse: (args: Args) => parsePop(args, name),
    run: (ctx, options: PopOptions) => runPop(ctx, options, end),
  })
}

export interface ManyPopOptions {
  readonly keys: readonly string[]
  readonly end: End
  readonly count: number
}

/** `numkeys key … LEFT | RIGHT [COUNT n]`, to the end. @throws ReplyError */
export function takeManyPop(args: Args): ManyPopOptions {
  const numKeys = args.integer(KEYS_NOT_POSITIVE)
  if (numKeys < 1) throw new ReplyError(KEYS_NOT_POSITIVE)
  if (numKeys >= args.remaining) throw new ReplyError(replyErrors.syntax)
  const keys: string[] = []
  for (let i = 0; i < numKeys; i++) keys.push(args.key())
  const end = takeEnd(args)
  if (args.remaining === 0) return { keys, end, count: 1 }
  if (args.remaining === 1 || !args.take('COUNT')) throw new ReplyError(replyErrors.syntax)
  const count = args.integer(COUNT_NOT_POSITIVE)
  if (count < 1) throw new ReplyError(COUNT_NOT_POSITIVE)
  args.end()
  return { keys, end, count }
}

/** Answers with the key and its elements; journals. */
export function popMany(ctx: CommandContext, key: string, list: ListValue, { end, count }: ManyPopOptions): void {
  ctx.reply.array(2)
  ctx.reply.latin1(key)
  ctx.effect(end === 'left' ? 'LPOP' : 'RPOP', key, popSome(ctx, key, list, end, count))
}

/** Pops from the first list there is; false, and nothing written, when there is none. @throws ReplyError WRONGTYPE */
export function popFirstOf(ctx: CommandContext, options: ManyPopOptions): boolean {
  for (const key of options.keys) {
    const list = listToWrite(ctx, key)
    if (list === undefined) continue
    popMany(ctx, key, list, options)
    return true
  }
  return false
}

const lmpop = defineCommand<ManyPopOptions>({
  name: 'lmpop',
  arity: -4,
  flags: Flag.Write | Flag.MovableKeys,
  categories: ['list'],
  keys: [
    {
      flags: ['RW', 'access', 'delete'],
      begin: { index: 1 },
      find: { keyNumIndex: 0, firstKey: 1, step: 1 },
    },
  ],
  group: 'list',
  since: '7.0.0',
  summary: 'Takes elements from the first of several lists that exists.',
  complexity: 'O(K + N) for K keys and N elements taken',
  parse: takeManyPop,
  run(ctx, options) {
    if (!popFirstOf(ctx, options)) ctx.reply.nullArray()
  },
})

export const listPoppers: readonly CommandSpec<never>[] = [
  popCommand('lpop', 'Takes elements from the head of a list and answers them.', 'left'),
  popCommand('rpop', 'Takes elements from the tail of a list and answers them.', 'right'),
  lmpop,
]
