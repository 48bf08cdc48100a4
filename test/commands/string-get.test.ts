import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set s abcdef',
  'set l1 0123456789',
  'set b 5',
  'get d',
  'get d',
  'get d',
  'strlen sb',
  'get sb',
  'get s',
  'getrange s a 1',
  'getrange s 0 -1',
  'getrange s -3 -1',
  'getrange s -1 -3',
  'getrange s 2 1',
  'getrange s 5 100',
  'getrange s 100 200',
  'getrange s -100 2',
  'getrange missing 0 1',
  'substr s 0 2',
  'get i',
  'getex s EX a',
  'getex missing EX a',
  'getex missing EX 0',
  'getex missing EX',
  'getex s EX 0',
  'getex s PERSIST EX 1',
  'getex s EX 1 PERSIST',
  'getex s EX 1 PX 1',
  'getex s EX',
  'getex s foo',
  'getex missing EX 0',
  'getex s EXAT 33177117420',
  'expiretime s',
  'getex s PERSIST',
  'ttl s',
  'getex s PXAT 33177117420000',
  'pexpiretime s',
  'getex s EX 10 EX a',
  'getex s',
  'getex s EXAT 1',
  'exists s',
  'pexpiretime s',
  'pexpiretime s',
  'ttl s',
  'get s',
  'get dd',
  'strlen l1',
  'strlen missing',
  'pexpiretime s',
  'expiretime s',
  'pexpiretime s',
  'exists s',
  'exists s',
  'expiretime s',
  'pexpiretime s',
  'ttl s',
  'get d2',
  'get a',
  'get b',
  'getdel b',
  'getdel b',
  'get only',
  'get',
  'get',
  'mget b missing s',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('GETEX and GETDEL are journaled as what they did to the key', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'v')
  ctx.ask('GETEX', 'k', 'EX', 10)
  t.same([ctx.effects, ctx.notices, ctx.touches], [[`PEXPIREAT k ${ctx.nowMs + 10_000}`], ['expire k'], ['k']])
  ctx.ask('GETEX', 'k', 'PERSIST')
  t.same([ctx.effects, ctx.notices], [['PERSIST k'], ['persist k']])
  ctx.ask('GETEX', 'k', 'PERSIST')
  t.same(ctx.effects, [])
  ctx.ask('GETEX', 'k')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('GETEX', 'k', 'EXAT', 1), '$1\r\nv\r\n')
  t.same([ctx.effects, ctx.notices], [['DEL k'], ['del k']])
  ctx.ask('SET', 'k', 'v')
  ctx.ask('GETDEL', 'k')
  t.same([ctx.effects, ctx.notices, ctx.touches], [['DEL k'], ['del k'], ['k']])
})

t.test('ranges of long values are those of short ones', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', '0123456789'.repeat(500))
  t.equal(ctx.ask('GETRANGE', 'k', 4998, -1), '$2\r\n89\r\n')
  t.equal(ctx.ask('STRLEN', 'k'), ':5000\r\n')
})
