// What the commands of sorted sets share: the sorted set of a key.

import { ZsetValue } from '../types/zset/zset-value.js'
import type { ScoredMember, ZsetLimits } from '../types/zset/zset-value.js'
import type { CommandContext } from './context.js'

/** The sorted set of a key, looked up as Redis' reading commands do. @throws ReplyError WRONGTYPE */
export function zsetAt(ctx: CommandContext, key: string): ZsetValue | undefined {
  return ctx.db.typed<ZsetValue>(key, 'zset')
}

/** As zsetAt(), for commands that Redis counts as neither hit nor miss. */
export function zsetToWrite(ctx: CommandContext, key: string): ZsetValue | undefined {
  return ctx.db.typedToWrite<ZsetValue>(key, 'zset')
}

/** A new, empty sorted set behind the key; the caller adds to it at once. */
export function createZset(ctx: CommandContext, key: string): ZsetValue {
  const zset = ZsetValue.create(ctx.keyspace.rows)
  ctx.db.put(key, zset)
  return zset
}

/** Puts what a command computed behind `key`; nothing at all removes the key. Replies with the number of members. */
export function storeMembers(ctx: CommandContext, key: string, members: readonly ScoredMember[], event: string): void {
  const existed = ctx.db.peek(key) !== undefined
  if (members.length > 0) {
    ctx.db.put(key, ZsetValue.of(ctx.keyspace.rows, members, zsetLimits(ctx)))
    ctx.notify('z', event, key)
  } else if (existed) {
    ctx.db.remove(key)
    ctx.notify('g', 'del', key)
  }
  ctx.reply.integer(members.length)
  if (members.length === 0 && !existed) return
  ctx.changed()
  ctx.touched(key)
}

const limits: ZsetLimits = { entriesMax: 0, memberBytesMax: 0 }

/** As configured now. The object is valid until the next call: none is made per member. */
export function zsetLimits(ctx: CommandContext): ZsetLimits {
  const values = ctx.server.config.values
  limits.entriesMax = values.zsetMaxListpackEntries
  limits.memberBytesMax = values.zsetMaxListpackValue
  return limits
}
