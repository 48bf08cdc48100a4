// What SSCAN and HSCAN share. Their cursors are places in the order of hashes: no state is kept between the calls.

import { globMatch } from '../base/glob.js'
import type { FieldsValue } from '../types/hashed/fields-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import type { ReplyError } from '../base/errors.js'
import { parseCursor, parseScanOptions } from './scan.js'
import type { ScanOptions } from './scan.js'
import { attempt, granted } from './stream-arguments.js'
import { replyContent } from './string-store.js'

export interface FieldsScan {
  readonly key: string
  readonly cursor: number
  /** Redis looks at the key before it complains about these. */
  readonly options: ScanOptions | ReplyError
}

export function parseFieldsScan(args: Args): FieldsScan {
  const key = args.key()
  const cursor = Number(parseCursor(args.text()))
  return { key, cursor, options: attempt(args, a => parseScanOptions(a)) }
}

/** As parseFieldsScan(), with NOVALUES. */
export function parseHashScan(args: Args): FieldsScan {
  const key = args.key()
  const cursor = Number(parseCursor(args.text()))
  return { key, cursor, options: attempt(args, a => parseScanOptions(a, 'NOVALUES')) }
}

/** @param value undefined when there is no such key. @param hasValues true for a hash */
export function replyScan(
  ctx: CommandContext,
  value: FieldsValue | undefined,
  scan: FieldsScan,
  hasValues: boolean,
): void {
  const { reply } = ctx
  reply.array(2)
  if (value === undefined) {
    reply.latin1('0')
    reply.array(0)
    return
  }
  const { count, pattern, fieldsOnly } = granted(scan.options)
  const withValues = hasValues && !fieldsOnly
  const fields: string[] = []
  const values: (string | Buffer)[] = []
  const next = value.scan(scan.cursor, count, (field, content) => {
    if (pattern !== undefined && !globMatch(pattern, field)) return
    fields.push(field)
    if (withValues) values.push(content)
  })
  reply.latin1(String(next))
  reply.array(fields.length + values.length)
  for (let i = 0; i < fields.length; i++) {
    reply.latin1(fields[i])
    if (withValues) replyContent(reply, values[i])
  }
}
