// How long a command waits, where clients give it in seconds with a fraction.

import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'

const NEGATIVE = 'ERR timeout is negative'
/** Redis counts in 64 bits: what does not fit is negative to it, and the time of day must fit on top. */
const INT64_MAX = 2 ** 63
const TIME_OF_DAY_MS_MAX = 2 ** 41

/** The next argument in whole milliseconds, 0 for ever. @throws ReplyError */
export function takeTimeout(args: Args): number {
  const timeoutMs = Math.ceil(args.double('ERR timeout is not a float or out of range') * 1000)
  if (timeoutMs < 0 || timeoutMs >= INT64_MAX) throw new ReplyError(NEGATIVE)
  if (timeoutMs > INT64_MAX - TIME_OF_DAY_MS_MAX) throw new ReplyError('ERR timeout is out of range')
  return timeoutMs === 0 ? 0 : timeoutMs // never minus zero
}
