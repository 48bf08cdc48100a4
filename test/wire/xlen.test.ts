// XLEN over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XLEN answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XLEN',
    'XLEN none',
    'XLEN none x',
    'SET str x',
    'XLEN str',
    'XADD s 1-1 f v',
    'XLEN s',
    'XDEL s 1-1',
    'XLEN s',
  ])
})
