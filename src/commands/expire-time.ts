// Expiry times as clients give them: a unit, absolute or relative, a 64-bit number with Redis' limits. Used by: expire,
// string-set, string-get. Relative times become absolute with the command's frozen clock.

import { ReplyError } from '../base/errors.js'

const INT64_MAX = 0x7fffffffffffffffn
const SECONDS_MAX = INT64_MAX / 1000n
const SECONDS_MIN = -0x8000000000000000n / 1000n

export interface ExpireTime {
  readonly value: number | bigint
  readonly unit: 's' | 'ms'
  /** Unix time instead of time from now. */
  readonly absolute: boolean
}

export function invalidExpireTime(command: string): ReplyError {
  return new ReplyError(`ERR invalid expire time in '${command}' command`)
}

/** Unix ms. @throws ReplyError when it does not fit 64 bits */
export function expireAtMsOf(time: ExpireTime, nowMs: number, command: string): number {
  if (time.unit === 's' && (time.value > SECONDS_MAX || time.value < SECONDS_MIN)) throw invalidExpireTime(command)
  const ms = BigInt(time.value) * (time.unit === 's' ? 1000n : 1n)
  const base = time.absolute ? 0n : BigInt(nowMs)
  if (ms > INT64_MAX - base) throw invalidExpireTime(command)
  return Number(ms + base)
}

/** As expireAtMsOf() for SET and its like, where a time of zero or less is an error too. */
export function positiveExpireAtMsOf(time: ExpireTime, nowMs: number, command: string): number {
  if (time.value <= 0) throw invalidExpireTime(command)
  return expireAtMsOf(time, nowMs, command)
}

/** Unix ms as a 64-bit integer for replies and effects: beyond 2^53 it is a double, maybe rounded past the range. */
export function wholeMs(ms: number): number | bigint {
  if (Number.isSafeInteger(ms)) return ms
  return ms >= 2 ** 63 ? INT64_MAX : BigInt(ms)
}
