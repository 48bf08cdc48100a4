// XPENDING: what tests over TCP cannot hold still, idle times.

import t from 'tap'
import type { LongReply } from '../../src/commands/long-reply.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { LISTED_AT_ONCE } from '../../src/commands/stream-info-full.js'
import { FakeContext } from '../support/fake-context.js'
import { Streams, valueOf } from './stream-fixture.js'

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

const MANY = LISTED_AT_ONCE + 500

/** Rows of three owners in turn, every hundredth released, the first half of them a second older. */
function manyPending(): Streams {
  const streams = new Streams()
  const { ctx } = streams
  for (let i = 1; i <= 2 * MANY; i++) ctx.ask('XADD', 's', `${i}-0`, 'f', 'v')
  ctx.ask('XGROUP', 'CREATE', 's', 'g', '0')
  for (let i = 0; i < 2 * MANY; i += 10) {
    if (i === MANY) ctx.clock.advance(1000)
    ctx.ask(
      'XREADGROUP',
      'GROUP',
      'g',
      ['ann', 'bob', 'rare'][i % 2000 === 0 ? 2 : (i / 10) % 2],
      'COUNT',
      '10',
      'STREAMS',
      's',
      '>',
    )
  }
  for (let i = 100; i <= 2 * MANY; i += 100) ctx.ask('XNACK', 's', 'g', 'FAIL', 'IDS', '1', `${i}-0`)
  ctx.clock.advance(500)
  return streams
}

/** The reply to `line`, between whose pieces `meanwhile` is called. */
function streamed(streams: Streams, line: string, meanwhile: (piece: number) => void = () => undefined) {
  const { ctx } = streams
  let rest: LongReply | undefined
  ctx.mayStream = true
  ctx.stream = long => void (rest = long)
  let text = ask(ctx, line)
  ctx.mayStream = false
  let pieces = 0
  for (let more = rest !== undefined; more; pieces++) {
    meanwhile(pieces)
    more = rest!.write(ctx.reply)
    text += Buffer.concat(ctx.reply.take()).toString('latin1')
  }
  rest?.close()
  t.equal(rest?.pinnedBytes ?? 0, 0, 'everything is let go')
  return { value: valueOf(text), pieces }
}

t.test('very many rows are told in pieces, and are those that would be told at once', async t => {
  const streams = manyPending()
  const first = { pieces: 3 }
  const ranges = ['- +', '200-0 +', '- (2500-0', '17 2900-5', '2999 3', '(18446744073709551615-18446744073709551614 +']
  for (const idle of ['', 'IDLE 400 ', 'IDLE 700 ', 'IDLE 1700 ']) {
    for (const range of ranges) {
      for (const count of [LISTED_AT_ONCE + 1, 1_000_000]) {
        for (const owner of ['', ' ann', ' rare', ' nobody']) {
          const line = `XPENDING s g ${idle}${range} ${count}${owner}`
          const atOnce = streams.ask(line) as unknown[]
          const { value, pieces } = streamed(streams, line)
          t.same(value, atOnce, line)
          t.equal(pieces > 0, atOnce.length > LISTED_AT_ONCE, `${line}: ${pieces} pieces of ${atOnce.length}`)
          first.pieces = Math.max(first.pieces, pieces)
        }
      }
    }
  }
  t.ok(first.pieces > 8, `${first.pieces} pieces`)
})

t.test('what is told in pieces is as it was at the command, whatever happens meanwhile', async t => {
  const changes = ['XGROUP DESTROY s g', 'XGROUP DELCONSUMER s g ann', 'XACKDEL s g IDS 3 1-0 2000-0 2900-0']
  for (const line of ['XPENDING s g - + 1000000', 'XPENDING s g IDLE 400 - + 1000000', 'XPENDING s g - + 100000 ann']) {
    for (const change of changes) {
      const streams = manyPending()
      const atOnce = streams.ask(line)
      const { value } = streamed(streams, line, piece => void (piece === 1 && streams.ask(change)))
      t.same(value, atOnce, `${line}, ${change}`)
    }
  }
})

t.test('a summary of very many consumers is told in pieces, with the counts of its moment', async t => {
  const streams = new Streams()
  for (let i = 1; i <= MANY; i++) {
    streams.ask(`XADD s ${i}-0 f v`)
    if (i === 1) streams.ask('XGROUP CREATE s g 0')
    streams.ask(`XREADGROUP GROUP g c${i} COUNT 1 STREAMS s >`)
  }
  const atOnce = streams.ask('XPENDING s g')
  const { value, pieces } = streamed(
    streams,
    'XPENDING s g',
    piece => void (piece === 1 && streams.ask('XACK s g 1200-0')),
  )
  t.same(value, atOnce)
  t.ok(pieces > 4)
})
