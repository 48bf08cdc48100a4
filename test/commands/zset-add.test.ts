import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

const context = () => new FakeContext([...zsetCommands, ...keyCommands])

t.test('ZADD counts what it added, is journaled as it came, and leaves no trace when nothing changes', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZADD', 'z', 1, 'a', 2, 'b', 3, 'a'), ':2\r\n')
  t.same(ctx.effects, ['ZADD z 1 a 2 b 3 a'])
  t.same(ctx.touches, ['z'])
  t.same(ctx.notices, ['zadd z'])
  t.equal(ctx.ask('ZADD', 'z', 'CH', 3, 'a', 2, 'b'), ':0\r\n')
  t.same(ctx.effects, [])
  t.same(ctx.touches, [])
  t.equal(ctx.ask('ZADD', 'z', 'CH', 4, 'a', 9, 'c'), ':2\r\n')
})

t.test('ZINCRBY and ZADD INCR answer the new score, or nothing when the options forbid it', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZINCRBY', 'z', 1.5, 'a'), '$3\r\n1.5\r\n')
  t.same(ctx.notices, ['zincr z'])
  t.equal(ctx.ask('ZADD', 'z', 'INCR', 'GT', -1, 'a'), '$-1\r\n')
  t.same(ctx.effects, [])
  ctx.session.protocol = 3
  t.equal(ctx.ask('ZADD', 'z', 'INCR', 'LT', -1, 'a'), ',0.5\r\n')
  t.equal(ctx.ask('ZADD', 'z', 'INCR', 'XX', 1, 'none'), '_\r\n')
})

t.test('a sum that is no number changes nothing', async t => {
  const ctx = context()
  ctx.ask('ZADD', 'z', 'inf', 'a')
  t.equal(ctx.ask('ZINCRBY', 'z', '-inf', 'a'), '-ERR resulting score is not a number (NaN)\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('ZSCORE', 'z', 'a'), '$3\r\ninf\r\n')
})

t.test('XX makes no key', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZADD', 'z', 'XX', 1, 'a'), ':0\r\n')
  t.equal(ctx.ask('EXISTS', 'z'), ':0\r\n')
})
