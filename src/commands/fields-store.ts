// What happens to the key of a hash or set that fields were taken from. Used by: hash-*.ts, set-*.ts.

import type { FieldsValue } from '../types/hashed/fields-value.js'
import type { CommandContext } from './context.js'

/** An empty value goes with its key. @param kind letter of notify-keyspace-events */
export function settleRemoval(
  ctx: CommandContext,
  key: string,
  value: FieldsValue,
  kind: 'h' | 's',
  event: string,
): void {
  ctx.touched(key)
  ctx.notify(kind, event, key)
  if (value.count > 0) return
  ctx.db.remove(key)
  ctx.notify('g', 'del', key)
}
