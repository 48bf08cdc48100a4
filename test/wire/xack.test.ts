// XACK over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XACK answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XADD s 1-1 f v',
    'XADD s 2-1 f v',
    'XADD s 3-1 f v',
    'SET str x',
    'XGROUP CREATE s g 0',
    'XACK s',
    'XACK s g',
    'XACK none g x',
    'XACK s nog x',
    'XACK str g x',
    'XACK s g x',
    'XACK s g 1 x',
    'XACK s g 1-1',
    'XREADGROUP GROUP g c STREAMS s >',
    'XACK s g 1-1 x',
    'XACK s g 1-1 1-1 2-1',
    'XPENDING s g',
    'XDEL s 3-1',
    'XACK s g 3-1',
    'XPENDING s g',
  ])
})
