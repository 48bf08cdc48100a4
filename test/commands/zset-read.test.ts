import t from 'tap'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(): FakeContext {
  const ctx = new FakeContext(zsetCommands)
  ctx.ask('ZADD', 'z', 1, 'a', 2.5, 'b', 3, 'c')
  return ctx
}

// WITHSCORE is of Redis 7.2, which is not here to be compared with.
t.test('ZRANK and ZREVRANK give the score too', async t => {
  const ctx = context()
  t.equal(ctx.ask('ZRANK', 'z', 'b', 'WITHSCORE'), '*2\r\n:1\r\n$3\r\n2.5\r\n')
  t.equal(ctx.ask('ZREVRANK', 'z', 'c', 'withscore'), '*2\r\n:0\r\n$1\r\n3\r\n')
  t.equal(ctx.ask('ZRANK', 'z', 'none', 'WITHSCORE'), '*-1\r\n')
  t.equal(ctx.ask('ZRANK', 'none', 'a', 'WITHSCORE'), '*-1\r\n')
  t.equal(ctx.ask('ZRANK', 'z', 'b', 'WITHSCORES'), '-ERR syntax error\r\n')
  t.equal(ctx.ask('ZRANK', 'z', 'b', 'WITHSCORE', 'x'), "-ERR wrong number of arguments for 'zrank' command\r\n")
  ctx.session.protocol = 3
  t.equal(ctx.ask('ZRANK', 'z', 'b', 'WITHSCORE'), '*2\r\n:1\r\n,2.5\r\n')
  t.equal(ctx.ask('ZRANK', 'z', 'none', 'WITHSCORE'), '_\r\n')
})

t.test('ZSCAN goes through a large one in steps', async t => {
  const ctx = context()
  for (let i = 0; i < 1000; i++) ctx.ask('ZADD', 'large', i, `m${i}`)
  const seen = new Set<string>()
  let cursor = '0'
  let calls = 0
  do {
    const reply = ctx.ask('ZSCAN', 'large', cursor, 'COUNT', 100)
    cursor = /^\*2\r\n\$\d+\r\n(\d+)/.exec(reply)![1]
    for (const [, member] of reply.matchAll(/\r\n(m\d+)\r\n/g)) seen.add(member)
    calls++
  } while (cursor !== '0')
  t.ok(calls >= 9, `${calls} calls`)
  t.equal(seen.size, 1000)
})
