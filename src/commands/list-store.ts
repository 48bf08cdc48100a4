// What the list commands share: the list of a key, its ends, and what happens to a key whose list lost elements.

import { ReplyError, replyErrors } from '../base/errors.js'
import { ListValue } from '../types/list/list-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'

export type End = 'left' | 'right'

/** The list of a key, looked up as Redis' reading commands do. @throws ReplyError WRONGTYPE */
export function listAt(ctx: CommandContext, key: string): ListValue | undefined {
  return ctx.db.typed<ListValue>(key, 'list')
}

/** As listAt(), for commands that Redis counts as neither hit nor miss. */
export function listToWrite(ctx: CommandContext, key: string): ListValue | undefined {
  return ctx.db.typedToWrite<ListValue>(key, 'list')
}

/** The list of a key if it is one now: for somebody who waits no other type is an error, and no look-up counts. */
export function listIfAny(ctx: CommandContext, key: string): ListValue | undefined {
  const entry = ctx.db.peek(key)
  return entry?.type === 'list' ? (entry.value as ListValue) : undefined
}

/** A new, empty list behind the key; the caller adds to it at once. */
export function createList(ctx: CommandContext, key: string): ListValue {
  const list = ListValue.create(ctx.keyspace.rows)
  ctx.db.put(key, list)
  return list
}

/** LEFT or RIGHT. @throws ReplyError */
export function takeEnd(args: Args): End {
  if (args.take('LEFT')) return 'left'
  if (args.take('RIGHT')) return 'right'
  throw new ReplyError(replyErrors.syntax)
}

export function push(list: ListValue, end: End, value: Buffer): void {
  list.insert(end === 'left' ? 0 : list.count, value)
}

export function popEvent(end: End): string {
  return end === 'left' ? 'lpop' : 'rpop'
}

/** Removes elements [from, to); an emptied list goes with its key. @param event of the removal */
export function removeElements(
  ctx: CommandContext,
  key: string,
  list: ListValue,
  from: number,
  to: number,
  event: string,
): void {
  const all = to - from === list.count
  if (!all) list.removeRange(from, to)
  ctx.touched(key)
  ctx.notify('l', event, key)
  if (!all) return
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}

/** After elements of a list went: an empty one goes with its key. @param event of the removal */
export function settleRemoval(ctx: CommandContext, key: string, list: ListValue, event: string): void {
  ctx.touched(key)
  ctx.notify('l', event, key)
  if (list.count > 0) return
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}

/** An index as clients give it, negative from the end; outside 0 to count - 1 when there is no such element. */
export function absolute(index: number, count: number): number {
  return index < 0 ? index + count : index
}
