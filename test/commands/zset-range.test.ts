import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(): FakeContext {
  const ctx = new FakeContext([...zsetCommands, ...keyCommands])
  ctx.ask('ZADD', 'z', 1, 'a', 2, 'b', 3, 'c')
  return ctx
}

t.test('scores come flat in RESP2 and in pairs in RESP3', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZRANGE', 'z', 0, 0, 'WITHSCORES'), '*2\r\n$1\r\na\r\n$1\r\n1\r\n')
  ctx.session.protocol = 3
  t.equal(ctx.ask('ZRANGE', 'z', 0, 0, 'WITHSCORES'), '*1\r\n*2\r\n$1\r\na\r\n,1\r\n')
})

t.test('LIMIT counts from the end that comes first', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZRANGE', 'z', '-inf', '+inf', 'BYSCORE', 'LIMIT', 1, 1), '*1\r\n$1\r\nb\r\n')
  t.equal(ctx.ask('ZRANGE', 'z', '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1), '*1\r\n$1\r\nc\r\n')
  t.equal(ctx.ask('ZRANGE', 'z', '-inf', '+inf', 'BYSCORE', 'LIMIT', 2, -1), '*1\r\n$1\r\nc\r\n')
  t.equal(ctx.ask('ZRANGE', 'z', '-inf', '+inf', 'BYSCORE', 'LIMIT', -1, 9), '*0\r\n')
})

t.test('ZRANGESTORE replaces its target, or removes it when there is nothing to store', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZRANGESTORE', 'to', 'z', '(1', 'inf', 'BYSCORE'), ':2\r\n')
  t.same(ctx.effects, ['ZRANGESTORE to z (1 inf BYSCORE'])
  t.same(ctx.notices, ['zrangestore to'])
  t.equal(ctx.ask('ZRANGESTORE', 'to', 'none', 0, 1), ':0\r\n')
  t.same(ctx.notices, ['del to'])
  t.equal(ctx.ask('ZRANGESTORE', 'to', 'none', 0, 1), ':0\r\n')
  t.same(ctx.effects, [])
})
