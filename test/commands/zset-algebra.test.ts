import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(): FakeContext {
  const ctx = new FakeContext([...zsetCommands, ...setCommands, ...keyCommands])
  ctx.ask('ZADD', 'a', 1, 'x', 2, 'y')
  ctx.ask('SADD', 's', 'y', 'z')
  return ctx
}

t.test('results are stored under their key, journaled as they were asked for', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZUNIONSTORE', 'to', 2, 'a', 's', 'WEIGHTS', 10, 1), ':3\r\n')
  t.same(ctx.effects, ['ZUNIONSTORE to 2 a s WEIGHTS 10 1'])
  t.same(ctx.touches, ['to'])
  t.same(ctx.notices, ['zunionstore to'])
  t.equal(ctx.ask('ZRANGE', 'to', 0, -1), '*3\r\n$1\r\nz\r\n$1\r\nx\r\n$1\r\ny\r\n')
  t.equal(ctx.ask('ZDIFFSTORE', 'to', 2, 'a', 'a'), ':0\r\n')
  t.same(ctx.notices, ['del to'])
  t.equal(ctx.ask('ZINTERSTORE', 'a', 2, 'a', 's'), ':1\r\n')
  t.equal(ctx.ask('ZSCORE', 'a', 'y'), '$1\r\n3\r\n')
})

t.test('the type of a key matters more than wrong options', async t => {
  const ctx = context()
  const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value\r\n'
  ctx.ask('ZADD', 'zset', 1, 'm')
  t.equal(ctx.ask('ZUNION', 1, 'a', 'NONSENSE'), '-ERR syntax error\r\n')
  t.equal(ctx.ask('SINTER', 'zset'), wrongType)
  t.equal(ctx.ask('ZINTERCARD', 2, 's', 'a', 'LIMIT', -1), "-ERR LIMIT can't be negative\r\n")
})
