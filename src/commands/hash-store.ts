// What the hash commands share: the hash of a key, new ones, and the limits of Redis' packed form.

import { HashValue } from '../types/hash/hash-value.js'
import type { ListpackLimits } from '../types/hash/hash-value.js'
import type { CommandContext } from './context.js'

/** The hash of a key, looked up as Redis' reading commands do. @throws ReplyError WRONGTYPE */
export function hashAt(ctx: CommandContext, key: string): HashValue | undefined {
  return ctx.db.typed<HashValue>(key, 'hash')
}

/** As hashAt(), for commands that Redis counts as neither hit nor miss. */
export function hashToWrite(ctx: CommandContext, key: string): HashValue | undefined {
  return ctx.db.typedToWrite<HashValue>(key, 'hash')
}

/** A new, empty hash behind the key; the caller adds to it at once. */
export function createHash(ctx: CommandContext, key: string): HashValue {
  const hash = HashValue.create(ctx.keyspace.rows)
  ctx.db.put(key, hash)
  return hash
}

const limits: ListpackLimits = { entriesMax: 0, valueBytesMax: 0 }

/** As configured now. The object is valid until the next call: none is made per HSET. */
export function listpackLimits(ctx: CommandContext): ListpackLimits {
  const values = ctx.server.config.values
  limits.entriesMax = values.hashMaxListpackEntries
  limits.valueBytesMax = values.hashMaxListpackValue
  return limits
}
