import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set s 1',
  'ttl s',
  'pttl s',
  'expiretime s',
  'pexpiretime s',
  'ttl missing',
  'pttl missing',
  'expiretime missing',
  'pexpiretime s',
  'exists s',
  'pexpiretime s',
  'pexpiretime s',
  'expire s a',
  'expire s 10 FOO',
  'expire s a FOO',
  'expire s 10 NX XX',
  'expire s 10 NX GT',
  'expire s 10 GT LT',
  'expire s 9223372036854775807',
  'expire missing 9223372036854775807',
  'expire missing 10',
  'expireat s -9223372036854775808',
  'pexpire s 9223372036854775807',
  'pexpireat s 9223372036854775807',
  'pexpiretime s',
  'expireat s 33177117420 GT',
  'expireat s 33177117420 LT',
  'expireat s 33177117421 LT',
  'expireat s 33177117421 GT',
  'expireat s 33177117421 XX',
  'expireat s 33177117421 NX',
  'expireat s 33177117421 XX GT',
  'persist s',
  'persist s',
  'persist missing',
  'expireat s 33177117421 GT',
  'expireat s 33177117421 XX',
  'expireat s 33177117421 LT',
  'pexpiretime s',
  'persist s',
  'expireat s 33177117421 NX',
  'expireat s 1',
  'exists s',
  'set s 1',
  'expire s -1',
  'exists s',
  'set s 1',
  'pexpire s 0',
  'pexpiretime s',
  'expireat b 33177117421',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('every expiry is journaled as an absolute one', async t => {
  const ctx = open()
  const now = ctx.nowMs
  ctx.ask('SET', 'k', 'v')
  for (const [args, at] of [
    [['EXPIRE', 'k', 10], now + 10_000],
    [['PEXPIRE', 'k', 10, 'LT'], now + 10],
    [['EXPIREAT', 'k', 1_800_000_000], 1_800_000_000_000],
    [['PEXPIREAT', 'k', '9223372036854775807'], '9223372036854775807'],
  ] as const) {
    t.equal(ctx.ask(...args), ':1\r\n')
    t.same(ctx.effects, [`PEXPIREAT k ${at}`])
    t.same(ctx.notices, ['expire k'])
    t.same(ctx.touches, ['k'])
  }
  ctx.ask('PERSIST', 'k')
  t.same([ctx.effects, ctx.notices, ctx.touches], [['PERSIST k'], ['persist k'], ['k']])
  ctx.ask('PERSIST', 'k')
  t.same(ctx.effects, [])
})

t.test('a time in the past removes the key, except at replay', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'v')
  t.equal(ctx.ask('EXPIRE', 'k', -1), ':1\r\n')
  t.same([ctx.effects, ctx.notices, ctx.touches], [['DEL k'], ['del k'], ['k']])
  t.equal(ctx.ask('EXISTS', 'k'), ':0\r\n')
  ctx.ask('SET', 'k', 'v')
  ctx.replaying = ctx.keyspace.replaying = true
  ctx.ask('PEXPIREAT', 'k', ctx.nowMs - 5)
  t.equal(ctx.ask('EXISTS', 'k'), ':1\r\n', 'its removal follows in the journal')
})

t.test('times to live are rounded as Redis does', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'v', 'PX', 1499)
  t.equal(ctx.ask('TTL', 'k'), ':1\r\n')
  t.equal(ctx.ask('PTTL', 'k'), ':1499\r\n')
  ctx.ask('PEXPIRE', 'k', 1500)
  t.equal(ctx.ask('TTL', 'k'), ':2\r\n')
  ctx.clock.advance(1501)
  t.equal(ctx.ask('TTL', 'k'), ':-2\r\n')
})
