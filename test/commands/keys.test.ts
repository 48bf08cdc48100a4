import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set a 1',
  'set b 2',
  'type a',
  'type missing',
  'touch a b missing',
  'touch missing',
  'exists a a b missing',
  'unlink a b dd',
  'set i 1',
  'del i i',
  'del',
  'dbsize',
  'randomkey',
  'set only 1',
  'randomkey',
  'dbsize',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

t.test('DEL says what it did, key by key, and leaves no trace when it did nothing', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  ctx.ask('SET', 'a', '1')
  ctx.ask('SET', 'b', '1')
  ctx.ask('DEL', 'a', 'missing', 'b')
  t.same(ctx.effects, ['DEL a missing b'])
  t.same(ctx.touches, ['a', 'b'])
  t.same(ctx.notices, ['del a', 'del b'])
  ctx.ask('UNLINK', 'a')
  t.same(ctx.effects, [])
})

t.test('RANDOMKEY reaches every key', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  const seen = new Set<string>()
  for (const key of ['a', 'b', 'c']) ctx.ask('SET', key, '1')
  for (let i = 0; i < 500; i++) seen.add(ctx.ask('RANDOMKEY'))
  t.equal(seen.size, 3)
})
