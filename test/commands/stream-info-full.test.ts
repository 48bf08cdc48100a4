// XINFO of streams with very many groups: told a piece at a time, while others change them.

import t from 'tap'
import type { LongReply } from '../../src/commands/long-reply.js'
import { LISTED_AT_ONCE } from '../../src/commands/stream-info-full.js'
import { Streams, valueOf } from './stream-fixture.js'

const GROUPS = LISTED_AT_ONCE + 200

function manyGroups(): Streams {
  const streams = new Streams('XADD s 1-0 f v', 'XADD s 2-0 f v')
  for (let i = 0; i < GROUPS; i++) {
    streams.ask(`XGROUP CREATE s g${i} 0`)
    streams.ask(`XREADGROUP GROUP g${i} c COUNT 1 STREAMS s >`)
  }
  return streams
}

type Fields = Record<string, unknown>

function fieldsOf(flat: unknown): Fields {
  const words = flat as unknown[]
  return Object.fromEntries(Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i], words[2 * i + 1]]))
}

/** The reply to `line`, between whose pieces `meanwhile` is called. */
function streamed(
  streams: Streams,
  line: string,
  meanwhile: (piece: number) => void,
): { value: unknown; pieces: number } {
  const { ctx } = streams
  let rest: LongReply | undefined
  ctx.mayStream = true
  ctx.stream = long => void (rest = long)
  let text = ctx.ask(...line.split(' '))
  ctx.mayStream = false
  let pieces = 0
  for (let more = rest !== undefined; more; pieces++) {
    meanwhile(pieces)
    more = rest!.write(ctx.reply)
    text += Buffer.concat(ctx.reply.take()).toString('latin1')
  }
  rest?.close()
  return { value: valueOf(text), pieces }
}

t.test('what is told in pieces is what is told at once', async t => {
  const streams = manyGroups()
  for (const line of ['XINFO STREAM s FULL', 'XINFO GROUPS s']) {
    const atOnce = streams.ask(line)
    const { value, pieces } = streamed(streams, line, () => {})
    t.same(value, atOnce, line)
    t.ok(pieces > 4, `${pieces} pieces`)
  }
  for (let i = 0; i < GROUPS; i++) streams.ask(`XGROUP CREATECONSUMER s g7 c${i}`)
  const consumers = streamed(streams, 'XINFO CONSUMERS s g7', () => {})
  t.equal((consumers.value as unknown[]).length, GROUPS + 1)
  t.ok(consumers.pieces > 4)
})

t.test('groups that go meanwhile leave their figures behind, and the reply stays whole', async t => {
  const changes: [name: string, change: (streams: Streams) => void, rowsLeft: number][] = [
    ['the group is destroyed', streams => void streams.ask('XGROUP DESTROY s g999'), 0],
    // It is dropped in slices, and none of them has come yet.
    ['the stream is deleted', streams => void streams.ctx.db.remove('s'), 1],
    ['the consumer is deleted', streams => void streams.ask('XGROUP DELCONSUMER s g999 c'), 0],
  ]
  for (const [name, change, rowsLeft] of changes) {
    const streams = manyGroups()
    const { value } = streamed(streams, 'XINFO STREAM s FULL', piece => void (piece === 2 && change(streams)))
    const groups = fieldsOf(value).groups as unknown[]
    t.equal(groups.length, GROUPS, name)
    const last = fieldsOf(groups.at(-1))
    t.equal(last.name, 'g999', 'the last by its name')
    t.same(last['last-delivered-id'], '1-0')
    t.equal((last.pending as unknown[]).length, rowsLeft, name)
    const whole = fieldsOf(groups[0])
    t.equal((whole.pending as unknown[]).length, 1, 'those before were told in full')
    const again = manyGroups()
    const told = streamed(again, 'XINFO GROUPS s', piece => void (piece === 0 && change(again)))
    t.equal((told.value as unknown[]).length, GROUPS, name)
  }
})

t.test('few groups are told at once', async t => {
  const streams = new Streams('XGROUP CREATE s g 0 MKSTREAM')
  t.equal(streamed(streams, 'XINFO STREAM s FULL', () => {}).pieces, 0)
  t.equal(streamed(streams, 'XINFO GROUPS s', () => {}).pieces, 0)
})

const ROWS = 3 * LISTED_AT_ONCE

/** One group in which `ann` and `bob` have every other entry pending, all but the last, which was released. */
function manyPending(): Streams {
  const streams = new Streams()
  for (let i = 1; i <= ROWS; i++) streams.ask(`XADD s ${i}-0 f v`)
  streams.ask('XGROUP CREATE s g 0')
  for (let i = 1; i <= ROWS; i++) streams.ask(`XREADGROUP GROUP g ${i % 2 === 0 ? 'ann' : 'bob'} COUNT 1 STREAMS s >`)
  streams.ask(`XNACK s g FAIL IDS 1 ${ROWS}-0`)
  return streams
}

t.test('very many pending entries are told in pieces as they are told at once', async t => {
  const streams = manyPending()
  for (const count of [0, LISTED_AT_ONCE + 700]) {
    const line = `XINFO STREAM s FULL COUNT ${count}`
    const atOnce = streams.ask(line)
    const { value, pieces } = streamed(streams, line, () => {})
    t.same(value, atOnce, line)
    t.ok(pieces > 10, `${pieces} pieces`)
  }
  t.equal(streamed(streams, 'XINFO STREAM s FULL COUNT 100', () => {}).pieces, 0, 'few of many are told at once')
})

t.test('a list of pending entries is that of one moment, whatever happens while it is told', async t => {
  const changes: [name: string, change: (streams: Streams) => void][] = [
    ['they are acknowledged', streams => streams.ask(`XACK s g ${IDS}`)],
    ['they change hands', streams => streams.ask(`XCLAIM s g cat 0 ${IDS} JUSTID`)],
    ['the consumers are deleted', streams => ['ann', 'bob'].map(name => streams.ask(`XGROUP DELCONSUMER s g ${name}`))],
    ['the group is destroyed', streams => streams.ask('XGROUP DESTROY s g')],
    ['the stream is deleted', streams => streams.ctx.db.remove('s')],
  ]
  for (const [name, change] of changes) {
    for (const when of [5, 22]) {
      const streams = manyPending()
      const before = groupTold(streams.ask('XINFO STREAM s FULL COUNT 0'))
      const line = 'XINFO STREAM s FULL COUNT 0'
      const { value, pieces } = streamed(streams, line, piece => void (piece === when && change(streams)))
      t.ok(pieces > when)
      const group = groupTold(value)
      t.same(group.pending, before.pending, name)
      const consumers = (group.consumers as unknown[]).map(fieldsOf)
      t.equal(consumers.length, 2, name)
      for (const { pending, 'pel-count': count } of consumers) {
        const told = (pending as unknown[]).length
        t.ok(told === count || told === 0, `${name}: all or nothing of it`)
      }
    }
  }
})

t.test('entries of more than a mebibyte are told in pieces, and stand before groups of that moment', async t => {
  const streams = new Streams()
  const value = 'x'.repeat(20_000)
  for (let i = 1; i <= 100; i++) streams.ask(`XADD s ${i}-0 f ${value}`)
  streams.ask('XGROUP CREATE s g 0')
  const atOnce = streams.ask('XINFO STREAM s FULL COUNT 0')
  const told = streamed(streams, 'XINFO STREAM s FULL COUNT 0', piece => {
    if (piece === 0) streams.ask('XTRIM s MAXLEN 0')
  })
  t.same(fieldsOf(told.value).entries, fieldsOf(atOnce).entries)
  t.equal((fieldsOf(told.value).groups as unknown[]).length, 1)
  t.ok(told.pieces > 10)
})

const IDS = Array.from({ length: ROWS }, (_, i) => `${i + 1}-0`).join(' ')

function groupTold(full: unknown): Fields {
  return fieldsOf((fieldsOf(full).groups as unknown[])[0])
}
