// The words KEEPREF, DELREF and ACKED, and the block IDS of the commands that take lists of IDs between other options.
// Used by: stream-delete, stream-nack, stream-trim-clause. Uses: stream-arguments.

import { ReplyError } from '../base/errors.js'
import type { StreamId } from '../base/stream-id.js'
import type { ReferencePolicy } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import { takeId } from './stream-arguments.js'

/** Takes the next argument if it is one of the three words. */
export function takePolicy(a: Args): ReferencePolicy | undefined {
  if (a.take('KEEPREF')) return 'keep'
  if (a.take('DELREF')) return 'drop'
  if (a.take('ACKED')) return 'acked'
  return undefined
}

/** Where the IDs of a block stand among the arguments. */
export interface IdBlock {
  readonly from: number
  readonly count: number
}

/**
 * Passes over the number of IDs and the IDs, behind the word IDS.
 * @param notPositive the error of a number that is none, or too small; `mismatch`: that of fewer IDs than it says
 * @throws ReplyError
 */
export function takeIdBlock(a: Args, errors: { notPositive: string; mismatch: string }): IdBlock {
  const count = Number(a.int64(errors.notPositive))
  if (count < 1 || count > COUNT_MAX) throw new ReplyError(errors.notPositive)
  if (count > a.remaining) throw new ReplyError(errors.mismatch)
  const block = { from: a.at, count }
  a.at += count
  return block
}

/** Its IDs, which Redis reads when all other arguments are right. @throws ReplyError */
export function idsOfBlock(a: Args, { from, count }: IdBlock): StreamId[] {
  a.at = from
  const ids: StreamId[] = []
  for (let i = 0; i < count; i++) ids.push(takeId(a))
  return ids
}

/** Redis counts them in an int. */
const COUNT_MAX = 2 ** 31 - 1
