// WATCH across expiry and databases: what counts as a change is what redis-server counts.

import t from 'tap'
import { startPair } from '../matrix/sides.js'
import { needsRedis, words } from './wire-pair.js'

const EXEC = ['MULTI', 'PING', 'EXEC']

/** Each after FLUSHALL, from database 0; 'sleep' lets what expires in 1 ms do so, 'long sleep' what expires in 300. */
const CASES: readonly (readonly string[])[] = [
  ['SET x foo PX 1', 'sleep', 'SELECT 1', 'WATCH x', 'SWAPDB 0 1', ...EXEC, 'GET x', ...EXEC],
  ['SELECT 1', 'SET x foo PX 1', 'SELECT 0', 'SET x bar PX 1', 'sleep', 'SELECT 1', 'WATCH x', 'SWAPDB 0 1', ...EXEC],
  ['SET x foo PX 1', 'sleep', 'SELECT 1', 'SET x there', 'WATCH x', 'SWAPDB 0 1', ...EXEC],
  ['SELECT 1', 'SET x foo', 'SELECT 0', 'WATCH x', 'SWAPDB 0 1', ...EXEC],
  ['WATCH x', 'SWAPDB 0 1', ...EXEC],
  ['SET x foo PX 1', 'sleep', 'WATCH x', 'GET x', ...EXEC],
  ['SET x foo PX 1', 'sleep', 'WATCH x', 'SET x new', ...EXEC],
  ['SET x foo PX 1', 'sleep', 'WATCH x', 'DEL x', ...EXEC],
  ['SET x foo PX 1', 'sleep', 'WATCH x', 'FLUSHALL', ...EXEC],
  ['SET x foo PX 300', 'WATCH x', 'long sleep', ...EXEC],
  ['SET x foo', 'WATCH x', 'PEXPIRE x 1', 'sleep', ...EXEC],
  ['WATCH x', 'SET x foo PX 1', 'sleep', ...EXEC],
  ['SELECT 1', 'SET x foo PX 1', 'SELECT 0', 'sleep', 'WATCH x', 'SWAPDB 0 1', 'GET x', 'SWAPDB 0 1', ...EXEC],
]

t.test('EXEC fails after the same changes as in redis-server', needsRedis, async t => {
  const pair = await startPair(t)
  await pair.bothSay('DEBUG', 'SET-ACTIVE-EXPIRE', '0')
  for (const lines of CASES) {
    const { reference, ours } = await pair.connect(t)
    for (const line of ['FLUSHALL', ...lines]) {
      const ms = line === 'sleep' ? 5 : line === 'long sleep' ? 350 : 0
      if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))
      else t.equal(await ours.text(...words(line)), await reference.text(...words(line)), line)
    }
  }
})
