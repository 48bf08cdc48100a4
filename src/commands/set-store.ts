// What the set commands share: the set of a key, and what happens to a key whose set has lost its last member.

import { SetValue } from '../types/set/set-value.js'
import type { CommandContext } from './context.js'

/** The set of a key, looked up as Redis' reading commands do. @throws ReplyError WRONGTYPE */
export function setAt(ctx: CommandContext, key: string): SetValue | undefined {
  return ctx.db.typed<SetValue>(key, 'set')
}

/** As setAt(), for commands that Redis counts as neither hit nor miss. */
export function setToWrite(ctx: CommandContext, key: string): SetValue | undefined {
  return ctx.db.typedToWrite<SetValue>(key, 'set')
}

/** A new, empty set behind the key; the caller adds to it at once. */
export function createSet(ctx: CommandContext, key: string): SetValue {
  const set = SetValue.create(ctx.keyspace.rows)
  ctx.db.put(key, set)
  return set
}

export function integersMax(ctx: CommandContext): number {
  return ctx.server.config.values.setMaxIntsetEntries
}

/** After members were taken from `set`: an empty one goes with its key. */
export function settleRemoval(ctx: CommandContext, key: string, set: SetValue, event: string): void {
  ctx.touched(key)
  ctx.notify('s', event, key)
  if (set.count > 0) return
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}
