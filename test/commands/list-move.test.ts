// LMOVE and RPOPLPUSH on a context of their own: what they journal, touch and tell. Replies: test/wire/list.test.ts.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { FakeContext } from '../support/fake-context.js'

t.test('a move tells of both lists, the target first, and journals its request', async t => {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', 'a', 'b')
  t.equal(ctx.ask('LMOVE', 'l', 'to', 'LEFT', 'RIGHT'), '$1\r\na\r\n')
  t.strictSame(
    [ctx.effects, ctx.touches, ctx.notices],
    [['LMOVE l to LEFT RIGHT'], ['to', 'l'], ['rpush to', 'lpop l']],
  )
  t.equal(ctx.ask('RPOPLPUSH', 'l', 'to'), '$1\r\nb\r\n')
  t.strictSame([ctx.effects, ctx.notices], [['RPOPLPUSH l to'], ['lpush to', 'rpop l', 'del l']])
  t.equal(ctx.db.peek('l'), undefined)
})

t.test('a list of one element may turn onto itself', async t => {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', 'a')
  t.equal(ctx.ask('LMOVE', 'l', 'l', 'LEFT', 'RIGHT'), '$1\r\na\r\n')
  t.strictSame(ctx.notices, ['rpush l', 'lpop l'])
  t.equal(ctx.ask('LRANGE', 'l', 0, -1), '*1\r\n$1\r\na\r\n')
})

t.test('a large list turns onto itself and keeps every element', async t => {
  const ctx = new FakeContext(listCommands)
  for (let i = 0; i < 3_000; i++) ctx.ask('RPUSH', 'l', `element ${i}`)
  for (let i = 0; i < 3_000; i++) ctx.ask('RPOPLPUSH', 'l', 'l')
  t.equal(ctx.ask('LLEN', 'l'), ':3000\r\n')
  for (const i of [0, 1, 1_234, 2_999]) t.equal(ctx.ask('LPOS', 'l', `element ${i}`), `:${i}\r\n`)
})

t.test('nothing to move leaves no trace', async t => {
  const ctx = new FakeContext(listCommands)
  t.equal(ctx.ask('RPOPLPUSH', 'none', 'to'), '$-1\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [[], [], []])
})
