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

const SETUP = [
  'FLUSHALL',
  'SET str abc',
  'SET e v EX 100',
  'RPUSH l a b c',
  'SADD se a b',
  'ZADD z 1 a 2 b',
  'HSET h f v n 1',
  ...['1-0', '2-0', '3-0', '4-0'].map(id => `XADD s ${id} f v`),
  'XGROUP CREATE s g 0',
  'XREADGROUP GROUP g c COUNT 2 STREAMS s >',
]

/** Commands by the key that is watched: what changes it, what leaves it alone, and what changes nothing in the end. */
const CHANGES: Record<string, string> = {
  s: `XGROUP DESTROY s g|XGROUP DESTROY s none|XGROUP CREATE s g3 0|XGROUP CREATECONSUMER s g x|
    XGROUP DELCONSUMER s g c|XGROUP DELCONSUMER s g none|
    XGROUP SETID s g 0|XREADGROUP GROUP g c STREAMS s >|XREADGROUP GROUP g c STREAMS s 0|
    XACK s g 1-0|XCLAIM s g c 0 1-0|XAUTOCLAIM s g c 0 0|XSETID s 9-0|XDEL s 1-0|XDEL s 77-0|XTRIM s MAXLEN 2|
    XTRIM s MAXLEN 20|XADD s 5-0 f v|COPY s s2|XINFO STREAM s`,
  str: `EXPIRE str 100|EXPIRE str -1|EXPIREAT str 1 NX|PERSIST str|TOUCH str|GETEX str|GETEX str EX 10|GETDEL str|
    SETRANGE str 0 abc|APPEND str|SETBIT str 1 0|COPY str d|RENAME str d|MOVE str 1|SET str abc NX|SET str abc XX|
    SETNX str q|MSETNX str a none b|GETSET str abc|BITOP AND str none|INCR str|STRLEN str|SWAPDB 0 1|FLUSHDB`,
  e: 'EXPIRE e 50 GT|EXPIRE e 50|PERSIST e|GETEX e PERSIST|RENAMENX str e|COPY str e REPLACE|COPY str e',
  l: `LSET l 0 a|LTRIM l 0 -1|LTRIM l 0 0|LREM l 0 q|LINSERT l BEFORE q x|LMOVE l l LEFT LEFT|LMOVE l l LEFT RIGHT|
    RPOPLPUSH l l|LPOP l 0|LMPOP 1 l LEFT|BLPOP l 0|BLMOVE l d LEFT LEFT 0|LPUSHX l a|SORT l BY nosort STORE d`,
  se: 'SADD se a|SREM se q|SMOVE se se a|SMOVE se d a|SMOVE se d q|SPOP se|SUNIONSTORE d se|SINTERSTORE se none',
  z: `SORT z|ZADD z 1 a|ZADD z 5 a|ZADD z XX 5 q|ZINCRBY z 0 a|ZREM z q|ZRANGESTORE d z 0 -1|ZRANGESTORE z none 0 -1|
    ZUNIONSTORE z 1 none|ZPOPMIN z 0|ZPOPMIN z|ZMPOP 1 z MIN|BZPOPMIN z 0|ZREMRANGEBYRANK z 5 9`,
  h: 'HSET h f v|HSETNX h f v|HDEL h q|HINCRBY h n 0|HINCRBYFLOAT h n 0|HGETALL h|DEL h',
  d: `COPY str d|RENAME str d|SUNIONSTORE d none|SUNIONSTORE d se|BITOP AND d str|BITOP AND d none|RESTORE d 0 x|DEL d|
    XGROUP CREATE d g $ MKSTREAM|XADD d NOMKSTREAM 5-0 f v|LPUSHX d a|SETRANGE d 0 a|INCRBY d 0`,
}

t.test('EXEC fails after each command as in redis-server', needsRedis, async t => {
  const pair = await startPair(t)
  for (const [key, commands] of Object.entries(CHANGES)) {
    for (const command of commands.split('|').map(line => line.trim())) {
      const { reference, ours } = await pair.connect(t)
      for (const line of [...SETUP, `WATCH ${key}`, command, ...EXEC]) {
        const [expected, found] = await Promise.all([reference.text(...words(line)), ours.text(...words(line))])
        if (line === 'EXEC') t.equal(found, expected, `${command} with ${key} watched`)
      }
      reference.close()
      ours.close()
    }
  }
})
