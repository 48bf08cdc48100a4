// How long a command waits, where clients give it in seconds with a fraction.

import { ReplyError } from '../base/errors.js'
import type { Args } from './args.js'

const INT64_MAX = 2 ** 63

/** The next argument in whole milliseconds, 0 for ever. @throws ReplyError */
export function takeTimeout(args: Args): number {
  const timeoutMs = args.double('ERR timeout is not a float or out of range') * 1000
  if (timeoutMs >= INT64_MAX) throw new ReplyError('ERR timeout is out of range')
  if (Math.ceil(timeoutMs) < 0) throw new ReplyError('ERR timeout is negative')
  return Math.abs(Math.ceil(timeoutMs))
}
