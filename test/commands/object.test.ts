import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set a 1',
  'set k 10000',
  'set s text',
  'object encoding d',
  'object encoding sb',
  'object encoding f',
  'object encoding fresh',
  'object encoding fresh',
  'object encoding n2',
  'object encoding int',
  'object encoding int',
  'object encoding int',
  'object encoding t',
  'object encoding t',
  'object encoding new',
  'object encoding k',
  'object refcount k',
  'object refcount t',
  'object refcount k',
  'object refcount k',
  'object refcount k',
  'object encoding missing',
  'object freq missing',
  'object freq a',
  'object foo',
  'object foo a',
  'object encoding',
  'object encoding a b',
  'object help',
  'object idletime missing',
  'object refcount a',
  'object refcount k',
  'object encoding a',
  'object encoding s',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

t.test('the idle time counts from the last access, not from a look at it', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  ctx.ask('SET', 'k', 'v')
  ctx.clock.advance(5_000)
  ctx.ask('TTL', 'k')
  t.equal(ctx.ask('OBJECT', 'IDLETIME', 'k'), ':5\r\n')
  t.equal(ctx.ask('OBJECT', 'IDLETIME', 'k'), ':5\r\n')
  ctx.ask('GET', 'k')
  t.equal(ctx.ask('OBJECT', 'IDLETIME', 'k'), ':0\r\n')
})
