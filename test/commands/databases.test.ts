import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set a 0',
  'swapdb a 1',
  'swapdb 1 a',
  'swapdb 99999999999 1',
  'swapdb 0 99',
  'swapdb -1 0',
  'swapdb 0 0',
  'swapdb 0 1',
  'dbsize',
  'get a',
  'swapdb 0 1',
  'get a',
  'flushdb foo',
  'flushdb async sync',
  'flushall foo',
  'flushdb ASYNC',
  'dbsize',
  'set only 1',
  'flushall SYNC',
  'dbsize',
  'get only',
  'set only 1',
  'flushdb',
  'flushall',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

t.test('whole databases are told of; of an empty one only the journal hears', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  ctx.ask('FLUSHALL')
  t.same([ctx.effects, ctx.touches], [['FLUSHALL'], []])
  ctx.ask('SET', 'a', '1')
  ctx.ask('SWAPDB', 0, 2)
  t.same([ctx.effects, ctx.touches], [['SWAPDB 0 2'], ['*', '*']])
  t.equal(ctx.keyspace.database(2).size, 1)
  ctx.ask('FLUSHDB')
  t.same([ctx.effects, ctx.touches], [['FLUSHDB'], []])
  ctx.ask('FLUSHALL')
  t.same([ctx.effects, ctx.touches], [['FLUSHALL'], ['*']])
  t.equal(ctx.keyspace.database(2).size, 0)
})
