// What happens to the key of a hash, set or sorted set that something was taken from. Used by: hash-*, set-*, zset-*.

import type { KeyValue } from '../types/key-value.js'
import type { CommandContext } from './context.js'

/** An empty value goes with its key. @param kind letter of notify-keyspace-events */
export function settleRemoval(
  ctx: CommandContext,
  key: string,
  value: KeyValue & { readonly count: number },
  kind: 'h' | 's' | 'z',
  event: string,
): void {
  ctx.touched(key)
  ctx.notify(kind, event, key)
  if (value.count > 0) return
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}
