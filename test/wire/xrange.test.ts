// XRANGE over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XRANGE answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XADD s 1-1 f v',
    'XADD s 2-1 f v g w',
    'XADD s 3-1 f v',
    'XADD s 3-2 "" ""',
    'SET str x',
    'XRANGE s - +',
    'XRANGE s - + COUNT',
    'XRANGE s - + COUNT x',
    'XRANGE s - + COUNT 0',
    'XRANGE s - + COUNT -5',
    'XRANGE s - + COUNT 2',
    'XRANGE s - + COUNT 1 COUNT 2',
    'XRANGE s - + COUNT 99999999999999999999',
    'XRANGE s - + COUNT 9223372036854775807',
    'XRANGE s - + foo',
    'XRANGE s - + COUNT 1 foo',
    'XRANGE s x +',
    'XRANGE s ( +',
    'XRANGE s (- +',
    'XRANGE s (+ +',
    'XRANGE s - x',
    'XRANGE s (18446744073709551615-18446744073709551615 +',
    'XRANGE s - (0-0',
    'XRANGE s - (0',
    'XRANGE s - (',
    'XRANGE s (2-1 (3',
    'XRANGE s (2-1 (3-2',
    'XRANGE s 2 3',
    'XRANGE s 3 2',
    'XRANGE s 3-2 3-2',
    'XRANGE s - +\\0',
    'XRANGE str - +',
    'XRANGE str x +',
    'XRANGE none - + COUNT 0',
    'XRANGE none - + COUNT x',
    'XRANGE none - +',
    'XRANGE s -',
  ])
})
