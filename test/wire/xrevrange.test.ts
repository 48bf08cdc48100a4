// XREVRANGE over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XREVRANGE answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XADD s 1-1 f v',
    'XADD s 2-1 f v g w',
    'XADD s 3-1 f v',
    'SET str x',
    'XREVRANGE s + -',
    'XREVRANGE s + - COUNT 1',
    'XREVRANGE s + - COUNT 0',
    'XREVRANGE s + - COUNT',
    'XREVRANGE s + - foo 1',
    'XREVRANGE s (3 (2-1',
    'XREVRANGE s - +',
    'XREVRANGE s x y',
    'XREVRANGE s (0-0 (18446744073709551615-18446744073709551615',
    'XREVRANGE s (0-0 -',
    'XREVRANGE s 3 2',
    'XREVRANGE s 2-1 2-1',
    'XREVRANGE str + -',
    'XREVRANGE none + -',
  ])
})
