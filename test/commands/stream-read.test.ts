// XREAD: what Redis 7.4 added, and waiting. Replies that 7.0 gives too are compared with it in test/wire.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { FakeContext } from '../support/fake-context.js'

function contextWith(...lines: string[]): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (const line of lines) ctx.ask(...line.split(' '))
  return ctx
}

const entry = (id: string) => `*2\r\n$${id.length}\r\n${id}\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n`
const reply = (key: string, ...ids: string[]) =>
  `*1\r\n*2\r\n$${key.length}\r\n${key}\r\n*${ids.length}\r\n${ids.map(entry).join('')}`

t.test('the ID + is the last entry, whatever was deleted behind it', async t => {
  const ctx = contextWith('XADD s 1-1 f v', 'XADD s 2-1 f v', 'XADD s 3-1 f v', 'XADD s 4-0 f v')
  t.equal(ctx.ask('XREAD', 'STREAMS', 's', '+'), reply('s', '4-0'))
  ctx.ask('XDEL', 's', '4-0')
  t.equal(ctx.ask('XREAD', 'COUNT', 5, 'STREAMS', 's', '+'), reply('s', '3-1'))
  t.equal(ctx.ask('XREAD', 'STREAMS', 'none', '+'), '*-1\r\n')
  ctx.ask('XTRIM', 's', 'MAXLEN', 0)
  t.equal(ctx.ask('XREAD', 'STREAMS', 's', '+'), '*-1\r\n')
})

t.test('a read that finds nothing waits for each of its keys once', async t => {
  const ctx = contextWith('XADD s 1-1 f v')
  t.equal(ctx.ask('XREAD', 'BLOCK', 250, 'STREAMS', 's', 'u', 's', '$', '0', '9'), '')
  t.same(ctx.wait?.keys, ['s', 'u'])
  t.equal(ctx.wait?.timeoutMs, 250)
  ctx.wait?.onTimeout(ctx.reply)
  t.equal(Buffer.concat(ctx.reply.take()).toString(), '*-1\r\n')
})

t.test('who waits gets what came after the ID that was the last one then', async t => {
  const ctx = contextWith('XADD s 1-1 f v')
  ctx.ask('XREAD', 'BLOCK', 0, 'STREAMS', 's', 'u', '$', '0')
  const wait = ctx.wait!
  t.equal(ctx.serve(wait, 's'), undefined, 'nothing new')
  ctx.ask('XADD', 's', '2-1', 'f', 'v')
  ctx.ask('XDEL', 's', '2-1')
  t.equal(ctx.serve(wait, 's'), undefined, 'it was deleted again')
  ctx.ask('XADD', 's', '3-1', 'f', 'v')
  ctx.ask('XADD', 's', '4-1', 'f', 'v')
  t.equal(ctx.serve(wait, 's'), reply('s', '3-1', '4-1'))
})

t.test('who waits does not mind that the key goes or becomes something else', async t => {
  const ctx = contextWith('XADD s 5-1 f v')
  ctx.ask('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  const wait = ctx.wait!
  ctx.db.remove('s')
  t.equal(ctx.serve(wait, 's'), undefined)
  ctx.ask('XADD', 's', '5-1', 'f', 'v')
  t.equal(ctx.serve(wait, 's'), undefined, 'not above the ID it waits behind')
  ctx.ask('XADD', 's', '5-2', 'f', 'v')
  t.equal(ctx.serve(wait, 's'), reply('s', '5-2'))
})

t.test('where nobody may wait the answer is that of a time-out', async t => {
  const ctx = contextWith('XADD s 1-1 f v')
  ctx.mayBlock = false
  t.equal(ctx.ask('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$'), '*-1\r\n')
  t.equal(ctx.wait, undefined)
})
