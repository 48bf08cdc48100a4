// XPENDING: what tests over TCP cannot hold still, idle times.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { FakeContext } from '../support/fake-context.js'

const ask = (ctx: FakeContext, line: string) => ctx.ask(...line.split(' '))

function context(): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (const id of ['1-1', '2-1', '3-1']) ask(ctx, `XADD s ${id} f v`)
  ask(ctx, 'XGROUP CREATE s g 0')
  for (const consumer of ['b', 'a', 'b']) {
    ask(ctx, `XREADGROUP GROUP g ${consumer} COUNT 1 STREAMS s >`)
    ctx.clock.advance(100)
  }
  return ctx
}

const row = (id: string, owner: string, idleMs: number) => `*4\r\n$3\r\n${id}\r\n$1\r\n${owner}\r\n:${idleMs}\r\n:1\r\n`

t.test('the summary counts by consumer, in the order of their names', async t => {
  const counts = '*2\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n*2\r\n$1\r\nb\r\n$1\r\n2\r\n'
  t.equal(ask(context(), 'XPENDING s g'), `*4\r\n:3\r\n$3\r\n1-1\r\n$3\r\n3-1\r\n${counts}`)
})

t.test('a range tells owner, idle time and deliveries', async t => {
  const ctx = context()
  const all = `*3\r\n${row('1-1', 'b', 300)}${row('2-1', 'a', 200)}${row('3-1', 'b', 100)}`
  t.equal(ask(ctx, 'XPENDING s g - + 10'), all)
  t.equal(ask(ctx, 'XPENDING s g - + 1 a'), `*1\r\n${row('2-1', 'a', 200)}`)
  t.equal(ask(ctx, 'XPENDING s g (1-1 + 1 b'), `*1\r\n${row('3-1', 'b', 100)}`)
})

t.test('IDLE keeps what was idle at least so long', async t => {
  const ctx = context()
  t.equal(ask(ctx, 'XPENDING s g IDLE 200 - + 10'), `*2\r\n${row('1-1', 'b', 300)}${row('2-1', 'a', 200)}`)
  t.equal(ask(ctx, 'XPENDING s g IDLE 201 - + 10 a'), '*0\r\n')
  t.equal(ask(ctx, 'XPENDING s g IDLE 201 - + 10 b'), `*1\r\n${row('1-1', 'b', 300)}`)
})

t.test('a clock that stepped back makes nobody idle for less than nothing', async t => {
  const ctx = context()
  ctx.clock.step(-1000)
  t.equal(ask(ctx, 'XPENDING s g - + 1'), `*1\r\n${row('1-1', 'b', 0)}`)
})
