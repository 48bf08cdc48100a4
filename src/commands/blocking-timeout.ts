// How long a command waits, where clients give it in seconds with a fraction.

import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'

/** Redis counts in 64 bits: what does not fit is negative to it. */
const INT64_MAX = 2 ** 63

/** The next argument in whole milliseconds, 0 for ever. @throws ReplyError */
export function takeTimeout(args: Args): number {
  const timeoutMs = Math.ceil(args.double('ERR timeout is not a float or out of range') * 1000)
  if (timeoutMs < 0 || timeoutMs >= INT64_MAX) throw new ReplyError('ERR timeout is negative')
  return timeoutMs === 0 ? 0 : timeoutMs // never minus zero
}
