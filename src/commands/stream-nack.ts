// XNACK: pending entries are given back to the group, for anybody to claim at once. Used by: stream-commands.
// Uses: stream-reference-policy, stream-arguments. Journaled as it came.

import { ReplyError } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import type { StreamId } from '../base/stream-id.js'
import { addCounts, COUNT_MAX } from '../types/stream/count.js'
import type { Count } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, groupToWrite } from './stream-arguments.js'
import { idsOfBlock, takeIdBlock } from './stream-reference-policy.js'
import type { IdBlock } from './stream-reference-policy.js'

type Mode = 'silent' | 'fail' | 'fatal'

interface Nack {
  readonly mode: Mode
  readonly ids: readonly StreamId[]
  /** undefined: what the mode makes of the count. */
  readonly deliveries: Count | undefined
  readonly force: boolean
}

interface NackOptions {
  readonly key: string
  readonly group: string
  /** Redis looks for the group before it complains about what follows. */
  readonly nack: Nack | ReplyError
}

function parseNack(a: Args): Nack {
  const mode = takeMode(a)
  let block: IdBlock | undefined
  let deliveries: Count | undefined
  let force = false
  while (a.remaining > 0) {
    if (a.remaining > 1 && a.take('IDS')) {
      block = takeIdBlock(a, { notPositive: streamErrors.nackIdsNotPositive, mismatch: streamErrors.nackIdsMismatch })
    } else if (a.take('FORCE')) {
      force = true
    } else if (a.remaining > 1 && a.take('RETRYCOUNT')) {
      deliveries = a.int64()
      if (deliveries < 0) throw new ReplyError(streamErrors.nackRetryCount)
    } else {
      throw new ReplyError(streamErrors.nackUnknown(a.text()))
    }
  }
  if (block === undefined) throw new ReplyError(streamErrors.nackIdsMissing)
  return { mode, ids: idsOfBlock(a, block), deliveries, force }
}

function takeMode(a: Args): Mode {
  if (a.take('SILENT')) return 'silent'
  if (a.take('FAIL')) return 'fail'
  if (a.take('FATAL')) return 'fatal'
  throw new ReplyError(streamErrors.nackMode)
}

/** @param before undefined when the entry was not pending: it counts as never delivered */
function deliveriesAfter({ mode, deliveries }: Nack, before: Count | undefined): Count {
  if (deliveries !== undefined) return deliveries
  if (mode === 'fatal') return COUNT_MAX
  if (before === undefined) return 0
  return mode === 'silent' && before > 0 ? addCounts(before, -1) : before
}

function runNack(ctx: CommandContext, options: NackOptions): void {
  const { key } = options
  const { stream, group } = groupToWrite(ctx, key, options.group)
  const nack = granted(options.nack)
  let released = 0
  for (const id of nack.ids) {
    const row = group.pending(id)
    if (row === undefined && !(nack.force && stream.has(id))) continue
    group.release(id, deliveriesAfter(nack, row?.deliveries))
    released++
  }
  ctx.reply.integer(released)
  if (released === 0) return
  ctx.changed(released)
  ctx.wake(key)
}

export const xnack = defineCommand<NackOptions>({
  name: 'xnack',
  arity: -7,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '8.8.0',
  summary: 'Gives pending entries back to their group, for the next consumer that claims some.',
  complexity: 'O(log N) per ID',
  parse: a => ({ key: a.key(), group: a.text(), nack: attempt(a, parseNack) }),
  run: runNack,
})
