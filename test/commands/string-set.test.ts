import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set s abc',
  'set s abc',
  'set i 9223372036854775806',
  'set i -9223372036854775808',
  'set i 00',
  'set i +1',
  'set i -0',
  ['set', 'i', ' 1'],
  'set i 1.5',
  'set i 9223372036854775808',
  'set o notnum',
  'set f 0x10',
  'set i 10000',
  ['set', 'e', ''],
  'set int 123456',
  'set int 12345678901234567890',
  'set int 01',
  'set t aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'set t aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'getset k 7',
  'getset k 8',
  'set k 10000',
  'set k 9999',
  'set k -1',
  'expiretime s',
  'pexpiretime s',
  'set s abc',
  'set st 1 EX 0',
  'set s 1 EX 10 PX 10',
  'set s 1 NX GET',
  'set s 1 NX XX',
  'set s 1 XX NX',
  'set s 1 KEEPTTL EX 10',
  'set s 1 EX 10 KEEPTTL',
  'set s 1 EX 9223372036854775807',
  'set s 1 EX 9223372036854775',
  'set s 1 EX -1',
  'set s 1 PX 9223372036854775807',
  'set s 1 EXAT 9223372036854775807',
  'set s 1 EX a',
  'set s 1 EX a FOO',
  'set s 1 EX',
  'set s 1 FOO',
  'set s 1 PERSIST',
  'set s 1 PXAT 33177117420000',
  'pexpiretime s',
  'set s 2 KEEPTTL',
  'pexpiretime s',
  'set s 3 KEEPTTL GET',
  'set s 4 XX',
  'set missing 4 XX',
  'set missing 4 XX GET',
  'set s 5 NX',
  'set s 5 NX GET',
  'set new3 5 NX GET',
  'set new3 5 GET XX',
  'set new3 5 EXAT 33177117420 EXAT 33177117421',
  'expiretime new3',
  'set pp v px 33177117420000',
  'setex s 0 a',
  'psetex s a a',
  'psetex s -1 a',
  'setex s 9223372036854775807 a',
  'setex s 100 a',
  'psetex s 100000 b',
  'setnx s c',
  'setnx nn c',
  'mset a 1 b',
  'mset',
  'mset a 1 b 2 a 3',
  'mget a b c s',
  'msetnx a 1 b',
  'msetnx a 9 zz 1',
  'msetnx yy 9 zz 1',
  'msetnx dd 9 dd 1',
  'set l1 ohmytext',
  'set l2 mynewtext',
  'set x1 abcbdab',
  'set x2 bdcaba',
  'set s 1',
  'set s 1',
  'set a again',
  'set only 1',
  'get s',
  'get a',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('relative expiries are journaled as absolute ones, everything else as it came', async t => {
  const ctx = open()
  const at = ctx.nowMs + 10_000
  for (const [args, effect, notices] of [
    [['SET', 'k', 'v'], 'SET k v', ['set k']],
    [['SET', 'k', 'v', 'EX', 10], `SET k v PXAT ${at}`, ['set k', 'expire k']],
    [['SET', 'k', 'w', 'XX', 'GET', 'PX', 10_000], `SET k w PXAT ${at}`, ['set k', 'expire k']],
    [['SET', 'k', 'v', 'PXAT', at], `SET k v PXAT ${at}`, ['set k', 'expire k']],
    [['SET', 'k', 'v', 'KEEPTTL'], 'SET k v KEEPTTL', ['set k']],
    [['SETEX', 'k', 10, 'v'], `SET k v PXAT ${at}`, ['set k', 'expire k']],
    [['PSETEX', 'k', 10_000, 'v'], `SET k v PXAT ${at}`, ['set k', 'expire k']],
    [['GETSET', 'k', 'v'], 'GETSET k v', ['set k']],
    [['SETNX', 'n', 'v'], 'SETNX n v', ['set n']],
    [['MSET', 'k', '1', 'l', '2'], 'MSET k 1 l 2', ['set k', 'set l']],
  ] as const) {
    ctx.ask(...args)
    t.same(ctx.effects, [effect])
    t.same(ctx.notices, notices)
  }
  for (const args of [
    ['SET', 'k', 'v', 'NX'],
    ['SET', 'm', 'v', 'XX'],
    ['SETNX', 'k', 'v'],
    ['MSETNX', 'k', '1'],
  ]) {
    ctx.ask(...args)
    t.same([ctx.effects, ctx.touches, ctx.notices], [[], [], []], 'nothing changed, nothing told')
  }
})

t.test('SET takes the expiry away unless told to keep it, whatever the key held', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'v', 'EX', 10)
  ctx.ask('SET', 'k', 'w', 'KEEPTTL')
  t.equal(ctx.ask('TTL', 'k'), ':10\r\n')
  ctx.ask('SET', 'k', 'w')
  t.equal(ctx.ask('TTL', 'k'), ':-1\r\n')
})

t.test('a value in the past is kept at replay and gone afterwards', async t => {
  const ctx = open()
  ctx.replaying = ctx.keyspace.replaying = true
  ctx.ask('SET', 'k', 'v', 'PXAT', 5)
  t.equal(ctx.ask('GET', 'k'), '$1\r\nv\r\n')
  ctx.replaying = ctx.keyspace.replaying = false
  t.equal(ctx.ask('GET', 'k'), '$-1\r\n')
})

t.test('long values and binary ones come back byte for byte', async t => {
  const ctx = open()
  for (const length of [0, 1, 1024, 1025, 100_000]) {
    const value = Buffer.alloc(length, 0).map((_, i) => i & 0xff)
    ctx.ask('SET', 'k', Buffer.from(value))
    ctx.rows.flushAndEvict()
    t.equal(ctx.ask('GET', 'k'), `$${length}\r\n${Buffer.from(value).latin1Slice()}\r\n`)
  }
})
