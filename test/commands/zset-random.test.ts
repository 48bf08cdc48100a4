import t from 'tap'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function context(count: number): FakeContext {
  const ctx = new FakeContext(zsetCommands)
  for (let i = 0; i < count; i++) ctx.ask('ZADD', 'z', i, `m${i}`)
  return ctx
}

const membersIn = (reply: string) => [...reply.matchAll(/\r\n(m\d+)\r\n/g)].map(match => match[1])

for (const count of [20, 600]) {
  t.test(`ZRANDMEMBER of ${count}`, async t => {
    const ctx = context(count)
    const different = membersIn(ctx.ask('ZRANDMEMBER', 'z', 15))
    t.equal(new Set(different).size, 15)
    const repeated = membersIn(ctx.ask('ZRANDMEMBER', 'z', -count * 5))
    t.equal(repeated.length, count * 5)
    t.ok(new Set(repeated).size > count / 2)
    for (const [, member, score] of ctx
      .ask('ZRANDMEMBER', 'z', -9, 'WITHSCORES')
      .matchAll(/m(\d+)\r\n\$\d\r\n(\d+)/g)) {
      t.equal(score, member)
    }
    ctx.session.protocol = 3
    t.match(ctx.ask('ZRANDMEMBER', 'z', 1, 'WITHSCORES'), /^\*1\r\n\*2\r\n\$\d\r\nm(\d+)\r\n,\1\r\n$/)
    t.equal(ctx.ask('ZCARD', 'z'), `:${count}\r\n`)
  })
}
