import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(count: number): FakeContext {
  const ctx = new FakeContext([...zsetCommands, ...keyCommands])
  for (let i = 0; i < count; i++) ctx.ask('ZADD', 'z', i, `m${i}`)
  return ctx
}

t.test('ZREM of the last member removes the key', async t => {
  const ctx = context(2)
  t.equal(ctx.ask('ZREM', 'z', 'm0', 'none'), ':1\r\n')
  t.same(ctx.notices, ['zrem z'])
  t.equal(ctx.ask('ZREM', 'z', 'm1'), ':1\r\n')
  t.same(ctx.notices, ['zrem z', 'del z'])
  t.equal(ctx.ask('EXISTS', 'z'), ':0\r\n')
})

t.test('a range goes out of a large one, or all of it with the key', async t => {
  const ctx = context(1000)
  t.equal(ctx.ask('ZREMRANGEBYSCORE', 'z', 100, '(900'), ':800\r\n')
  t.same(ctx.effects, ['ZREMRANGEBYSCORE z 100 (900'])
  t.same(ctx.notices, ['zremrangebyscore z'])
  t.equal(ctx.ask('ZRANK', 'z', 'm900'), ':100\r\n')
  t.equal(ctx.ask('ZREMRANGEBYRANK', 'z', 500, 600), ':0\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('ZREMRANGEBYRANK', 'z', 0, -1), ':200\r\n')
  t.same(ctx.notices, ['zremrangebyrank z', 'del z'])
  t.equal(ctx.ask('EXISTS', 'z'), ':0\r\n')
})
