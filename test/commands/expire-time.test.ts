import t from 'tap'
import { expireAtMsOf, positiveExpireAtMsOf, wholeMs } from '../../src/commands/expire-time.js'
import type { ExpireTime } from '../../src/commands/expire-time.js'

const NOW_MS = 1_700_000_000_000
const time = (value: number | bigint, unit: 's' | 'ms', absolute = false): ExpireTime => ({ value, unit, absolute })
const invalid = { name: 'ReplyError', message: "ERR invalid expire time in 'set' command" }

t.test('relative times count from now, absolute ones do not', async t => {
  t.equal(expireAtMsOf(time(10, 's'), NOW_MS, 'set'), NOW_MS + 10_000)
  t.equal(expireAtMsOf(time(10, 'ms'), NOW_MS, 'set'), NOW_MS + 10)
  t.equal(expireAtMsOf(time(10, 's', true), NOW_MS, 'set'), 10_000)
  t.equal(expireAtMsOf(time(-10, 's'), NOW_MS, 'set'), NOW_MS - 10_000)
})

t.test('what does not fit 64 bits of milliseconds is an error', async t => {
  const max = 9223372036854775807n
  t.equal(expireAtMsOf(time(max, 'ms', true), NOW_MS, 'set'), Number(max))
  t.throws(() => expireAtMsOf(time(max, 'ms'), NOW_MS, 'set'), invalid)
  t.throws(() => expireAtMsOf(time(max / 1000n + 1n, 's', true), NOW_MS, 'set'), invalid)
  t.throws(() => expireAtMsOf(time(-max / 1000n - 1n, 's', true), NOW_MS, 'set'), invalid)
  t.throws(() => expireAtMsOf(time(max / 1000n, 's'), NOW_MS, 'set'), invalid, 'with now added')
})

t.test('where a time must lie ahead, zero and less are errors', async t => {
  for (const value of [0, -1]) t.throws(() => positiveExpireAtMsOf(time(value, 's'), NOW_MS, 'set'), invalid)
  t.equal(positiveExpireAtMsOf(time(1, 'ms', true), NOW_MS, 'set'), 1)
})

t.test('replies and effects get whole numbers of 64 bits', async t => {
  t.equal(wholeMs(NOW_MS), NOW_MS)
  t.equal(wholeMs(2 ** 60), 2n ** 60n)
  t.equal(wholeMs(Number(9223372036854775807n)), 9223372036854775807n)
})
