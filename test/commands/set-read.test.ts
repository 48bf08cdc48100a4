import t from 'tap'
import { setCommands } from '../../src/commands/set-commands.js'
import { FakeContext } from '../support/fake-context.js'

function bulks(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n(.*)\r\n/g)].map(match => match[1])
}

function filled(count: number): FakeContext {
  const ctx = new FakeContext(setCommands)
  ctx.ask('SADD', 's', ...Array.from({ length: count }, (_, i) => `m${i}`))
  return ctx
}

t.test('SRANDMEMBER gives different members for a positive count, any for a negative one', async t => {
  for (const size of [20, 1500]) {
    const ctx = filled(size)
    for (const count of [1, 5, size - 1, size, size + 10]) {
      const members = bulks(ctx.ask('SRANDMEMBER', 's', count))
      t.equal(members.length, Math.min(count, size))
      t.equal(new Set(members).size, members.length)
    }
    t.equal(bulks(ctx.ask('SRANDMEMBER', 's', -5000)).length, 5000)
    t.match(ctx.ask('SRANDMEMBER', 's'), /^\$\d\r\nm\d/)
    t.same(ctx.effects, [])
  }
})

t.test('every member comes up in time', async t => {
  const ctx = filled(300)
  t.equal(new Set(bulks(ctx.ask('SRANDMEMBER', 's', -20_000))).size, 300)
})

t.test('reading leaves no trace', async t => {
  const ctx = filled(3)
  for (const command of ['SCARD', 'SMEMBERS', 'SRANDMEMBER'] as const) {
    ctx.ask(command, 's')
    t.same([ctx.effects, ctx.touches, ctx.notices], [[], [], []])
  }
  t.equal(ctx.ask('SMISMEMBER', 's', 'm0', 'x'), '*2\r\n:1\r\n:0\r\n')
})
