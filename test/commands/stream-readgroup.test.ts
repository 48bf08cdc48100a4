// XREADGROUP and XACK: the journal, consumers as from Redis 7.2 on, and waiting.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { FakeContext } from '../support/fake-context.js'

function contextWith(...lines: string[]): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (const line of lines) ctx.ask(...line.split(' '))
  return ctx
}

const ask = (ctx: FakeContext, line: string) => ctx.ask(...line.split(' '))
const START = ['XADD s 1-1 f v', 'XADD s 2-1 f v', 'XADD s 3-1 f v', 'XGROUP CREATE s g 0']

t.test('a delivery is journaled per stream with the number of entries it gave', async t => {
  const ctx = contextWith(...START, 'XADD u 1-1 f v', 'XGROUP CREATE u g 0', 'XGROUP CREATE u h $')
  ask(ctx, 'XREADGROUP GROUP g c BLOCK 9 COUNT 2 STREAMS s u > >')
  t.same(ctx.effects, ['XREADGROUP GROUP g c COUNT 2 STREAMS s >', 'XREADGROUP GROUP g c COUNT 1 STREAMS u >'])
  t.same(ctx.notices, ['xgroup-createconsumer s', 'xgroup-createconsumer u'])
  t.same(ctx.touches, [], 'as in Redis, WATCH does not mind a read')
  ask(ctx, 'XREADGROUP GROUP g c NOACK STREAMS s >')
  t.same(ctx.effects, ['XREADGROUP GROUP g c COUNT 1 NOACK STREAMS s >'])
})

t.test('a consumer is created even when it gets nothing, and that is journaled', async t => {
  const ctx = contextWith(...START, 'XREADGROUP GROUP g c STREAMS s >')
  t.equal(ask(ctx, 'XREADGROUP GROUP g d STREAMS s >'), '*-1\r\n')
  t.same(ctx.effects, ['XGROUP CREATECONSUMER s g d'])
  t.equal(ask(ctx, 'XREADGROUP GROUP g e STREAMS s 0'), '*1\r\n*2\r\n$1\r\ns\r\n*0\r\n')
  t.same(ctx.effects, ['XGROUP CREATECONSUMER s g e'])
  ask(ctx, 'XREADGROUP GROUP g d STREAMS s >')
  t.same(ctx.effects, [], 'being seen is not journaled')
})

t.test('seen and active times are kept apart', async t => {
  const ctx = contextWith(...START, 'XGROUP CREATECONSUMER s g c')
  const times = () =>
    ask(ctx, 'XINFO CONSUMERS s g')
      .split('\r\n')
      .filter(word => word[0] === ':')
      .join('')
  ctx.clock.advance(100)
  t.equal(times(), ':0:100:-1')
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s >')
  ctx.clock.advance(50)
  ask(ctx, 'XREADGROUP GROUP g c STREAMS s 1-1')
  ctx.clock.advance(7)
  t.equal(times(), ':1:7:57')
})

t.test('a read of history is journaled when it raised delivery counts', async t => {
  const ctx = contextWith(...START, 'XREADGROUP GROUP g c STREAMS s >', 'XDEL s 2-1')
  ctx.clock.advance(10)
  t.match(ask(ctx, 'XREADGROUP GROUP g c COUNT 2 STREAMS s 0'), /\$3\r\n2-1\r\n\*-1\r\n$/)
  t.same(ctx.effects, ['XREADGROUP GROUP g c COUNT 2 STREAMS s 0-0'])
  t.match(ask(ctx, 'XPENDING s g - + 10'), /1-1\r\n\$1\r\nc\r\n:0\r\n:2.*2-1\r\n\$1\r\nc\r\n:10\r\n:1/s)
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s 1-1')
  t.same(ctx.effects, [], 'the deleted entry keeps its count')
})

t.test('+ and $ mean nothing to a group', async t => {
  const ctx = contextWith(...START)
  t.match(ask(ctx, 'XREADGROUP GROUP g c STREAMS s +'), /^-ERR The \+ ID is meaningless in the context of XREADGROUP/)
  t.match(ask(ctx, 'XREADGROUP GROUP g c STREAMS s $'), /^-ERR The \$ ID is meaningless in the context of XREADGROUP/)
})

t.test('who waits is served new entries, journaled as any delivery', async t => {
  const ctx = contextWith(...START, 'XREADGROUP GROUP g c STREAMS s >')
  t.equal(ask(ctx, 'XREADGROUP GROUP g d COUNT 1 BLOCK 0 STREAMS s >'), '')
  const wait = ctx.wait!
  t.same([wait.keys, wait.timeoutMs], [['s'], 0])
  t.equal(ctx.serve(wait, 's'), undefined)
  t.same(ctx.effects, [])
  ask(ctx, 'XADD s 4-1 f v')
  ask(ctx, 'XADD s 5-1 f v')
  t.equal(ctx.serve(wait, 's'), '*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n4-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n')
  t.same(ctx.effects, ['XREADGROUP GROUP g d COUNT 1 STREAMS s >'])
})

t.test('who waits hears that the group, the key or its type went', async t => {
  const gone = '-NOGROUP the consumer group this client was blocked on no longer exists\r\n'
  const keyGone = '-UNBLOCKED the stream key no longer exists\r\n'
  const waiting = () => {
    const ctx = contextWith('XGROUP CREATE s g $ MKSTREAM')
    ask(ctx, 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >')
    return { ctx, wait: ctx.wait! }
  }
  const destroyed = waiting()
  ask(destroyed.ctx, 'XGROUP DESTROY s g')
  t.same(destroyed.ctx.touches, ['wake s'], 'which wakes it')
  t.equal(destroyed.ctx.serve(destroyed.wait, 's'), gone)
  const deleted = waiting()
  deleted.ctx.db.remove('s')
  t.equal(deleted.ctx.serve(deleted.wait, 's'), keyGone)
  const replaced = waiting()
  replaced.ctx.db.put('s', StringValue.create(replaced.ctx.rows, 'text'))
  t.equal(replaced.ctx.serve(replaced.wait, 's'), keyGone)
})

t.test('history never waits', async t => {
  const ctx = contextWith(...START)
  t.equal(ask(ctx, 'XREADGROUP GROUP g c BLOCK 0 STREAMS s 0'), '*1\r\n*2\r\n$1\r\ns\r\n*0\r\n')
  t.equal(ctx.wait, undefined)
})

t.test('XACK is journaled when something was pending', async t => {
  const ctx = contextWith(...START, 'XREADGROUP GROUP g c STREAMS s >')
  t.equal(ask(ctx, 'XACK s g 1-1 9-9'), ':1\r\n')
  t.same(ctx.effects, ['XACK s g 1-1 9-9'])
  t.equal(ask(ctx, 'XACK s g 1-1'), ':0\r\n')
  t.same(ctx.effects, [])
})
