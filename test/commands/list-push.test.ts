// LPUSH, RPUSH and their X forms on a context of their own, and beside redis-server.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

t.test('a push journals its request, touches its key and tells of it', async t => {
  const ctx = new FakeContext(listCommands)
  t.equal(ctx.ask('RPUSH', 'l', 'a', 'b'), ':2\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [['RPUSH l a b'], ['l'], ['rpush l']])
  t.equal(ctx.ask('LPUSH', 'l', 'y', 'z'), ':4\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [['LPUSH l y z'], ['l'], ['lpush l']])
  t.equal(ctx.ask('LRANGE', 'l', 0, -1), '*4\r\n$1\r\nz\r\n$1\r\ny\r\n$1\r\na\r\n$1\r\nb\r\n')
})

t.test('LPUSHX and RPUSHX leave no trace without a list', async t => {
  const ctx = new FakeContext(listCommands)
  t.equal(ctx.ask('LPUSHX', 'l', 'a'), ':0\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [[], [], []])
  ctx.ask('RPUSH', 'l', 'b')
  t.equal(ctx.ask('RPUSHX', 'l', 'c'), ':2\r\n')
  t.strictSame([ctx.effects, ctx.notices], [['RPUSHX l c'], ['rpush l']])
})

t.test('pushes answer as redis-server', async t => {
  await againstRedis(
    t,
    [...listCommands, ...stringCommands],
    [
      'SET str x',
      'LPUSH l',
      'RPUSH str a',
      'LPUSH str a',
      'LPUSHX str a',
      'RPUSHX none a b',
      'RPUSH l a b c',
      ['RPUSH', 'l', '', Buffer.from([0, 255, 13, 10]), 'x'.repeat(5000)],
      ['LPUSH', 'l', 'y'.repeat(20_000), 1, -1],
      'LPUSHX l p q',
      'RPUSHX l r s',
      'LRANGE l 0 -1',
      'LLEN l',
    ],
  )
})
