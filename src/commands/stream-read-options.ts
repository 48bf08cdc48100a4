// Arguments of XREAD and XREADGROUP. Used by: stream-read, stream-readgroup.
// Redis looks at the keys before it complains about an ID, so a malformed one is kept as ID_MALFORMED until then.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { COUNT_ALL, idAt, takeCount } from './stream-arguments.js'
import { ReadBudget } from './stream-read-budget.js'

// Stand-ins, told apart by identity: each is an object of its own.
/** '$': what is last now. */
export const ID_DOLLAR: StreamId = { ...ID_MIN }
/** '>': what the group has not delivered yet. */
export const ID_NEW: StreamId = { ...ID_MIN }
/** '+': the last entry itself. */
export const ID_LAST: StreamId = { ...ID_MIN }
export const ID_MALFORMED: StreamId = { ...ID_MIN }

export const BLOCK_NOT = -1

export interface ReadOptions {
  /** '' for XREAD. */
  group: string
  consumer: string
  /** Entries per stream at most. */
  count: number
  /** Milliseconds to wait, 0 = for ever, BLOCK_NOT = not at all. */
  blockMs: number
  noAck: boolean
  /** CLAIM: pending entries idle so long are taken over first. */
  claimIdleMs: number | undefined
  /** MAXCOUNT: entries of all streams together at most. */
  countMax: number | undefined
  /** MAXSIZE: bytes of the reply after which no further entry is begun. */
  sizeMax: number | undefined
  keys: string[]
  /** One per key: an ID after which is read, or a stand-in. */
  ids: StreamId[]
}

/** @param grouped the command is XREADGROUP. @throws ReplyError */
export function parseRead(a: Args, grouped: boolean): ReadOptions {
  const options: ReadOptions = {
    group: '',
    consumer: '',
    count: COUNT_ALL,
    blockMs: BLOCK_NOT,
    noAck: false,
    claimIdleMs: undefined,
    countMax: undefined,
    sizeMax: undefined,
    keys: [],
    ids: [],
  }
  let groupGiven = false
  while (a.remaining > 0) {
    const hasValue = a.remaining > 1
    if (hasValue && a.take('BLOCK')) {
      options.blockMs = takeTimeoutMs(a)
    } else if (hasValue && a.take('COUNT')) {
      const count = takeCount(a)
      options.count = count === 0 ? COUNT_ALL : count
    } else if (hasValue && takeNewerOption(a, options, grouped)) {
      continue
    } else if (hasValue && a.take('STREAMS')) {
      takeStreams(a, options)
      if (options.countMax !== undefined && options.count !== COUNT_ALL && options.countMax < options.count) {
        throw new ReplyError(streamErrors.maxCountBelowCount)
      }
      if (grouped && !groupGiven) throw new ReplyError(streamErrors.groupMissing)
      return options
    } else if (a.remaining > 2 && a.take('GROUP')) {
      if (!grouped) throw new ReplyError(streamErrors.groupInRead)
      options.group = a.text()
      options.consumer = a.text()
      groupGiven = true
    } else if (a.take('NOACK')) {
      if (!grouped) throw new ReplyError(streamErrors.noAckInRead)
      options.noAck = true
    } else {
      break
    }
  }
  throw new ReplyError(replyErrors.syntax)
}

/** Takes an option that is younger than Redis 7, with its value. @throws ReplyError */
function takeNewerOption(a: Args, options: ReadOptions, grouped: boolean): boolean {
  if (a.take('MAXCOUNT')) {
    options.countMax = takePositive(a, streamErrors.maxCountNotPositive)
  } else if (a.take('MAXSIZE')) {
    options.sizeMax = takePositive(a, streamErrors.maxSizeNotPositive)
  } else if (a.take('CLAIM')) {
    if (!grouped) throw new ReplyError(streamErrors.claimInRead)
    // Bounded, so that the journal can spell it: nothing is idle for so long.
    options.claimIdleMs = Math.min(a.integer(streamErrors.readIdleNotAnInteger), Number.MAX_SAFE_INTEGER)
    if (options.claimIdleMs < 0) throw new ReplyError(streamErrors.readIdleNegative)
  } else {
    return false
  }
  return true
}

function takePositive(a: Args, error: string): number {
  const value = a.integer(error)
  if (value < 1) throw new ReplyError(error)
  return value
}

/** What MAXCOUNT and MAXSIZE leave of the reply; undefined when neither is given. */
export function budgetOf({ countMax, sizeMax }: ReadOptions): ReadBudget | undefined {
  if (countMax === undefined && sizeMax === undefined) return undefined
  return new ReadBudget(countMax ?? COUNT_ALL, sizeMax ?? Infinity)
}

function takeTimeoutMs(a: Args): number {
  const timeoutMs = a.integer(streamErrors.timeoutNotAnInteger)
  if (timeoutMs < 0) throw new ReplyError(streamErrors.timeoutNegative)
  return timeoutMs
}

function takeStreams(a: Args, options: ReadOptions): void {
  if (a.remaining % 2 === 1) throw new ReplyError(streamErrors.unbalanced)
  const count = a.remaining / 2
  for (let i = 0; i < count; i++) options.keys.push(a.key())
  for (let i = 0; i < count; i++) options.ids.push(takeReadId(a))
}

const DOLLAR = 36
const PLUS = 43
const GREATER = 62

function takeReadId(a: Args): StreamId {
  const i = a.at++
  const request = a.request
  if (request.lengths[i] === 1) {
    const sign = request.buffer[request.starts[i]]
    if (sign === GREATER) return ID_NEW
    if (sign === DOLLAR) return ID_DOLLAR
    if (sign === PLUS) return ID_LAST
  }
  return idAt(request, i) ?? ID_MALFORMED
}

/** Scripts cannot wait, and Redis says so where other blocking commands just do not. */
export function refuseBlockInScript(ctx: CommandContext, blockMs: number): void {
  if (blockMs === BLOCK_NOT || !ctx.session.isScript) return
  throw new ReplyError(`ERR ${ctx.request.text(0)} command is not allowed with BLOCK option from scripts`)
}
