// XCLAIM and XAUTOCLAIM: the journal, consumers as from Redis 7.2 on, and long PELs.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { FakeContext } from '../support/fake-context.js'

const ask = (ctx: FakeContext, line: string) => ctx.ask(...line.split(' '))

/** Entries 1-0 … `entries`-0, all delivered to consumer `a`. */
function context(entries: number): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (let i = 1; i <= entries; i++) ask(ctx, `XADD s ${i} f v`)
  ask(ctx, 'XGROUP CREATE s g 0')
  ask(ctx, 'XREADGROUP GROUP g a STREAMS s >')
  return ctx
}

const ids = (...list: string[]) => `*${list.length}\r\n${list.map(id => `$${id.length}\r\n${id}\r\n`).join('')}`

t.test('a claim is journaled as it came, when it changed something', async t => {
  const ctx = context(3)
  ctx.clock.advance(50)
  t.equal(ask(ctx, 'XCLAIM s g b 10 1-0 7-0 JUSTID'), ids('1-0'))
  t.same(ctx.effects, ['XCLAIM s g b 10 1-0 7-0 JUSTID'])
  t.same(ctx.notices, ['xgroup-createconsumer s'])
  t.equal(ask(ctx, 'XCLAIM s g b 10 1-0'), '*0\r\n')
  t.same(ctx.effects, [], 'not idle for long enough')
  ask(ctx, 'XCLAIM s g b 10 7-0 LASTID 9')
  t.same(ctx.effects, ['XCLAIM s g b 10 7-0 LASTID 9'], 'the last delivered ID moved')
  t.match(ask(ctx, 'XINFO GROUPS s'), /last-delivered-id\r\n\$3\r\n9-0/)
})

t.test('a consumer is created even when it claims nothing, and that is journaled', async t => {
  const ctx = context(3)
  t.equal(ask(ctx, 'XCLAIM s g b 10 7-0'), '*0\r\n')
  t.same(ctx.effects, ['XGROUP CREATECONSUMER s g b'])
  t.equal(ask(ctx, 'XAUTOCLAIM s g c 10 -'), '*3\r\n$3\r\n0-0\r\n*0\r\n*0\r\n')
  t.same(ctx.effects, ['XGROUP CREATECONSUMER s g c'])
  t.equal(ask(ctx, 'XAUTOCLAIM s g c 10 -'), '*3\r\n$3\r\n0-0\r\n*0\r\n*0\r\n')
  t.same(ctx.effects, [])
})

t.test('what was deleted from the stream leaves the pending entries on the way', async t => {
  const ctx = context(4)
  ask(ctx, 'XDEL s 1-0 3-0')
  t.equal(ask(ctx, 'XCLAIM s g b 0 1-0'), '*0\r\n')
  t.same(ctx.effects, ['XCLAIM s g b 0 1-0'])
  t.equal(ask(ctx, 'XAUTOCLAIM s g b 0 - JUSTID'), `*3\r\n$3\r\n0-0\r\n${ids('2-0', '4-0')}${ids('3-0')}`)
  t.same(ctx.effects, ['XAUTOCLAIM s g b 0 - JUSTID'])
  t.match(ask(ctx, 'XPENDING s g'), /^\*4\r\n:2\r\n/)
})

t.test('XAUTOCLAIM of a short PEL looks at ten rows per entry asked for, as in Redis', async t => {
  const ctx = context(30)
  ctx.clock.advance(1000)
  for (let i = 1; i <= 25; i++) ask(ctx, `XCLAIM s g a 0 ${i} JUSTID`)
  t.equal(ask(ctx, 'XAUTOCLAIM s g b 500 - COUNT 2'), '*3\r\n$4\r\n21-0\r\n*0\r\n*0\r\n')
  t.equal(ask(ctx, 'XAUTOCLAIM s g b 500 21-0 COUNT 2 JUSTID'), `*3\r\n$4\r\n28-0\r\n${ids('26-0', '27-0')}*0\r\n`)
})

t.test('XAUTOCLAIM of a long PEL finds what is idle behind any number of busy rows', async t => {
  const ctx = context(3000)
  ctx.clock.advance(1000)
  const busy = Array.from({ length: 2900 }, (_, i) => i + 1)
  ctx.ask('XCLAIM', 's', 'g', 'a', 0, ...busy, 'JUSTID')
  ask(ctx, 'XDEL s 2902-0')
  const found = `${ids('2901-0', '2903-0')}${ids('2902-0')}`
  t.equal(ask(ctx, 'XAUTOCLAIM s g b 500 - COUNT 3 JUSTID'), `*3\r\n$6\r\n2904-0\r\n${found}`)
  const rest = Array.from({ length: 97 }, (_, i) => `${2904 + i}-0`)
  t.equal(ask(ctx, 'XAUTOCLAIM s g b 500 - JUSTID'), `*3\r\n$3\r\n0-0\r\n${ids(...rest)}*0\r\n`)
})
