// XDEL over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XDEL answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XADD s 1-1 f v',
    'XADD s 2-1 f v',
    'XADD s 3-1 f v',
    'XDEL s',
    'XDEL none x',
    'SET str x',
    'XDEL str x',
    'XDEL s x',
    'XDEL s 1-1 x',
    'XLEN s',
    'XDEL s -',
    'XDEL s (1-1',
    'XDEL s 9-9 1-1 1-1',
    'XINFO STREAM s',
    'XDEL s 3',
    'XDEL s 3-1',
    'XINFO STREAM s',
    'XDEL s 2-1',
    'XINFO STREAM s',
    'EXISTS s',
    'XADD s 3-1 f v',
    'XADD s 3-2 f v',
    'XRANGE s - +',
  ])
})
