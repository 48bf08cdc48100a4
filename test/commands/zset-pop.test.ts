import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(): FakeContext {
  const ctx = new FakeContext([...zsetCommands, ...keyCommands])
  ctx.ask('ZADD', 'z', 1, 'a', 2, 'b', 3, 'c')
  return ctx
}

t.test('ZPOPMIN and ZPOPMAX take from their ends and remove an emptied key', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZPOPMIN', 'z'), '*2\r\n$1\r\na\r\n$1\r\n1\r\n')
  t.same(ctx.effects, ['ZPOPMIN z'])
  t.same(ctx.notices, ['zpopmin z'])
  t.equal(ctx.ask('ZPOPMAX', 'z', 0), '*0\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('ZPOPMAX', 'z', 9), '*4\r\n$1\r\nc\r\n$1\r\n3\r\n$1\r\nb\r\n$1\r\n2\r\n')
  t.same(ctx.notices, ['zpopmax z', 'del z'])
  t.equal(ctx.ask('EXISTS', 'z'), ':0\r\n')
})

t.test('pops from several keys are journaled as the pop from the one they took from', async t => {
  const ctx = context()
  t.equal(ctx.ask('BZPOPMIN', 'none', 'z', 0), '*3\r\n$1\r\nz\r\n$1\r\na\r\n$1\r\n1\r\n')
  t.same(ctx.effects, ['ZPOPMIN z'])
  t.equal(ctx.ask('ZMPOP', 2, 'none', 'z', 'MAX'), '*2\r\n$1\r\nz\r\n*1\r\n*2\r\n$1\r\nc\r\n$1\r\n3\r\n')
  t.same(ctx.effects, ['ZPOPMAX z 1'])
  t.equal(ctx.ask('BZMPOP', 0, 1, 'z', 'MIN', 'COUNT', 5), '*2\r\n$1\r\nz\r\n*1\r\n*2\r\n$1\r\nb\r\n$1\r\n2\r\n')
  t.same(ctx.effects, ['ZPOPMIN z 1'])
})

t.test('a blocked client takes from the first key that becomes a sorted set', async t => {
  const ctx = context()
  t.equal(ctx.ask('BZPOPMAX', 'x', 'y', 'x', '1.5'), '')
  const wait = ctx.wait!
  t.same(wait.keys, ['x', 'y'])
  t.equal(wait.timeoutMs, 1500)
  t.equal(wait.kind, 'zset')
  t.equal(ctx.serve(wait, 'y'), undefined)
  ctx.ask('ZADD', 'y', 5, 'm', 6, 'n')
  t.equal(ctx.serve(wait, 'y'), '*3\r\n$1\r\ny\r\n$1\r\nn\r\n$1\r\n6\r\n')
  t.same(ctx.effects, ['ZPOPMAX y'])
})

t.test('where nothing may wait, and when time is up, the answer is a null array', async t => {
  const ctx = context()
  ctx.ask('BZMPOP', 0, 1, 'x', 'MIN')
  const wait = ctx.wait!
  wait.onTimeout(ctx.reply)
  t.equal(Buffer.concat(ctx.reply.take()).toString(), '*-1\r\n')
  ctx.mayBlock = false
  t.equal(ctx.ask('BZPOPMIN', 'x', 0), '*-1\r\n')
})
