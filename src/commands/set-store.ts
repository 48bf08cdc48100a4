// What the set commands share: the set of a key.

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
