// ZADD, ZINCRBY and look-ups in sorted sets over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

const SETUP = ['SET str x', 'ZADD z 1 a 2 b 3 c 4 d 5 e', 'ZADD names 0 a 0 b 0 ba 0 c 0 d 0 e\\0x']

t.test('ZADD and ZINCRBY answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'ZADD',
    'ZADD q 1',
    'ZADD str 1 a',
    'ZADD str x a',
    'ZADD q 1 a 2 b',
    'ZADD q NX XX 1 a',
    'ZADD q GT LT 1 a',
    'ZADD q NX GT 1 a',
    'ZADD q INCR 1 a 2 b',
    'ZADD q x a',
    'ZADD q nan a',
    'ZADD q 1e400 a',
    'ZADD q 1 a 2',
    'ZADD q XX CH',
    'ZADD q CH 2 a 2 b 3 c',
    'ZADD q XX CH 5 a 6 none',
    'ZADD q NX CH 7 a 6 d',
    'ZADD q GT CH 4 a 9 b',
    'ZADD q LT CH 4 a 10 b 1 e',
    'ZADD q ch lt 1 a 2 a 0 a',
    'ZADD q INCR 1.5 a',
    'ZADD q INCR XX 1.5 none',
    'ZADD q INCR NX 1.5 a',
    'ZADD q INCR GT -1 a',
    'ZADD q INCR LT -1 a',
    'ZADD q INCR 0 a',
    'ZADD q INCR inf a',
    'ZADD q INCR -inf a',
    'ZADD none XX 1 a',
    'EXISTS none',
    'ZINCRBY q x a',
    'ZINCRBY q nx a',
    'ZINCRBY q 0.1 f',
    'ZINCRBY q 0.2 f',
    'ZINCRBY str 1 f',
    'ZINCRBY q -0 minus',
    'ZRANGE q 0 -1 WITHSCORES',
  ])
})

t.test('scores are printed and encodings named as by redis-server', needsRedis, async t => {
  const scores =
    'ZADD k 1e17 a 1e18 b 123456789012345678 c -4e18 e 5e18 f 3e-320 g inf h -inf i 1.5e300 j 0.3 l 0x10 m -0 n 1e-7 o'
  await answersAlike(t, [
    scores,
    'ZRANGE k 0 -1 WITHSCORES',
    'ZMSCORE k a b n',
    'OBJECT ENCODING k',
    'ZSCAN k 0',
    'CONFIG SET zset-max-listpack-entries 3',
    'ZADD k 5 a',
    'OBJECT ENCODING k',
    'ZADD k 5 new',
    'OBJECT ENCODING k',
    'ZADD k -0 zero',
    'ZSCORE k zero',
    'ZADD k 0 zero',
    'ZSCORE k zero',
    'ZRANGE k 0 -1 WITHSCORES',
    'COPY k copy',
    'OBJECT ENCODING copy',
    'ZRANGE copy 0 -1 WITHSCORES',
    'ZADD t 1 a 2 b 3 c',
    'OBJECT ENCODING t',
    'ZADD t 1 d',
    'OBJECT ENCODING t',
    'ZREM t a b c',
    'OBJECT ENCODING t',
    'ZUNIONSTORE u 1 t',
    'OBJECT ENCODING u',
    'CONFIG SET zset-max-listpack-entries 128',
    `ZADD w 1 ${'x'.repeat(64)}`,
    'OBJECT ENCODING w',
    `ZADD w 1 ${'x'.repeat(65)}`,
    'OBJECT ENCODING w',
    'ZRANGESTORE v w 0 0',
    'OBJECT ENCODING v',
  ])
})

t.test('look-ups answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'ZCARD z',
    'ZCARD none',
    'ZCARD str',
    'ZCARD',
    'ZSCORE z a',
    'ZSCORE z none',
    'ZSCORE none none',
    'ZSCORE str none',
    'ZSCORE z',
    'ZMSCORE z a b zzz',
    'ZMSCORE none a b',
    'ZMSCORE str a b',
    'ZMSCORE z',
    'ZRANK z a',
    'ZRANK z zzz',
    'ZRANK none a',
    'ZRANK str a',
    'ZREVRANK z a',
    'ZREVRANK none a',
    'ZSCAN z 0',
    'ZSCAN z 0 COUNT 0',
    'ZSCAN z 0 COUNT x',
    'ZSCAN none 0',
    'ZSCAN str 0',
    'ZSCAN z x',
    'ZSCAN z 0 MATCH b*',
    'ZRANDMEMBER none',
    'ZRANDMEMBER none 5',
    'ZRANDMEMBER z 100',
    'ZRANDMEMBER z 5 WITHSCORES',
    'ZRANDMEMBER z 0',
    'ZRANDMEMBER z 1 foo',
    'ZRANDMEMBER z 1 WITHSCORES x',
    'ZRANDMEMBER z x',
    'ZRANDMEMBER z 9223372036854775807 WITHSCORES',
    'ZRANDMEMBER z -9223372036854775808',
    'ZRANDMEMBER z -4611686018427387904 WITHSCORES',
    'ZRANDMEMBER str',
  ])
})

t.test('rows in COMMAND are those of redis-server', needsRedis, async t => {
  const names =
    'zadd zincrby zrem zcard zscore zmscore zcount zlexcount zrange zrangestore zrangebyscore zrevrangebyscore ' +
    'zrangebylex zrevrangebylex zrevrange zremrangebyrank zremrangebyscore zremrangebylex zpopmin zpopmax zmpop ' +
    'bzpopmin bzpopmax bzmpop zrandmember zunion zinter zdiff zunionstore zinterstore zdiffstore zintercard zscan'
  await answersAlike(
    t,
    names.split(' ').map(name => `COMMAND INFO ${name}`),
  )
})
