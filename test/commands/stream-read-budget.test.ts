// MAXCOUNT and MAXSIZE of XREAD and XREADGROUP, and the sums behind them.

import t from 'tap'
import { ReadBudget } from '../../src/commands/stream-read-budget.js'
import type { WireSlice } from '../../src/types/stream/stream-api.js'
import { Streams } from './stream-fixture.js'

/** A slice of `entries` entries of 10 bytes. */
function slice(entries: number): WireSlice {
  return {
    bytes: Buffer.alloc(entries * 10),
    from: 0,
    to: entries * 10,
    entries,
    bytesOf: some => some * 10,
    head: some => slice(some),
    singly: () => Array.from({ length: entries }, () => slice(1)),
  }
}

t.test('entries are added until the bytes before the next one reach the bound', async t => {
  const sizes = (slices: WireSlice[]) => slices.map(({ entries }) => entries).join('+')
  const cutAt = (bytesMax: number) => sizes(new ReadBudget(Infinity, bytesMax).fitting([slice(3), slice(4)]))
  t.equal(cutAt(1), '1', 'one at least')
  t.equal(cutAt(10), '1')
  t.equal(cutAt(11), '2')
  t.equal(cutAt(30), '3')
  t.equal(cutAt(31), '3+1')
  t.equal(cutAt(1000), '3+4')
  t.equal(sizes(new ReadBudget(5, Infinity).fitting([slice(3), slice(4), slice(5)])), '3+2')
  const taken: number[] = []
  const slices = function* () {
    for (const entries of [2, 3, 4]) {
      taken.push(entries)
      yield slice(entries)
    }
  }
  t.equal(sizes(new ReadBudget(Infinity, 20).fitting(slices())), '2')
  t.same(taken, [2], 'what is not needed is not read')
})

t.test('framing counts once there is an entry', async t => {
  const budget = new ReadBudget(Infinity, 30)
  budget.begin('a', 2)
  budget.begin('key', 2) // '*2', '$3', 'key', each with CR, LF: 13
  t.equal(budget.fitting([slice(9)])[0].entries, 2)
  t.ok(budget.spent)
  t.notOk(budget.takes(1))
})

const THREE = ['s', 'u', 'w'].flatMap(key => [1, 2, 3].map(n => `XADD ${key} ${n}-0 f v`))

/** 'key:id id' for each stream of a reply. */
function shape(reply: unknown): string[] | unknown {
  if (!Array.isArray(reply)) return reply
  return (reply as [string, [string][]][]).map(([key, entries]) => `${key}:${entries.map(([id]) => id).join(' ')}`)
}

t.test('MAXCOUNT bounds all streams together, in the order of the arguments', async t => {
  const streams = new Streams(...THREE)
  const read = (options: string) => shape(streams.ask(`XREAD ${options} STREAMS s u w 0 0 0`))
  t.same(read('MAXCOUNT 4'), ['s:1-0 2-0 3-0', 'u:1-0'])
  t.same(read('COUNT 2 MAXCOUNT 3'), ['s:1-0 2-0', 'u:1-0'])
  t.same(read('MAXCOUNT 100'), ['s:1-0 2-0 3-0', 'u:1-0 2-0 3-0', 'w:1-0 2-0 3-0'])
  t.same(read('MAXCOUNT 3'), ['s:1-0 2-0 3-0'])
  t.equal(streams.ask('XREAD MAXCOUNT 1 STREAMS s 9-0'), null)
})

t.test('MAXSIZE lets the entry that crosses it through, and one whatever its size', async t => {
  const streams = new Streams('XADD s 1-0 f v', 'XADD u 2-0 f v')
  streams.run('XADD', 's', '2-0', 'f', 'x'.repeat(10_000))
  streams.ask('XADD s 3-0 f v')
  t.same(shape(streams.ask('XREAD MAXSIZE 1 STREAMS s u 0 0')), ['s:1-0'])
  t.same(shape(streams.ask('XREAD MAXSIZE 100 STREAMS s u 0 0')), ['s:1-0 2-0'])
  t.same(shape(streams.ask('XREAD MAXSIZE 100 STREAMS s u 1-0 0')), ['s:2-0'])
  t.same(shape(streams.ask('XREAD MAXSIZE 10200 STREAMS s u 0 0')), ['s:1-0 2-0 3-0', 'u:2-0'])
})

t.test('what a group did not get is neither pending nor passed', async t => {
  const streams = new Streams(...THREE)
  for (const key of ['s', 'u', 'w']) streams.ask(`XGROUP CREATE ${key} g 0`)
  t.same(shape(streams.ask('XREADGROUP GROUP g c MAXCOUNT 4 STREAMS s u w > > >')), ['s:1-0 2-0 3-0', 'u:1-0'])
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g c COUNT 3 STREAMS s >', 'XREADGROUP GROUP g c COUNT 1 STREAMS u >'])
  t.same(streams.pending('g', 'u'), ['1-0 c 0 1'])
  t.same(streams.pending('g', 'w'), [])
  t.same(shape(streams.ask('XREADGROUP GROUP g c MAXSIZE 1 STREAMS s u w > > >')), ['u:2-0'])
  t.same(shape(streams.ask('XREADGROUP GROUP g c MAXCOUNT 2 STREAMS s u 0 0')), ['s:1-0 2-0'], 'history')
  t.same(streams.pending('g', 's'), ['1-0 c 0 2', '2-0 c 0 2', '3-0 c 0 1'])
  t.same(streams.ctx.effects, [])
  streams.ask('XREADGROUP GROUP g c MAXSIZE 45 STREAMS s 0')
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g c COUNT 2 STREAMS s 0-0'], 'no more than was given')
})

t.test('a client that waited gets no more than it asked for', async t => {
  const streams = new Streams('XGROUP CREATE s g $ MKSTREAM')
  streams.ask('XREAD BLOCK 0 MAXCOUNT 2 STREAMS s $')
  const read = streams.ctx.wait!
  streams.ask('XREADGROUP GROUP g c BLOCK 0 MAXSIZE 1 STREAMS s >')
  const grouped = streams.ctx.wait!
  for (const n of [1, 2, 3]) streams.ask(`XADD s ${n}-0 f v`)
  t.match(streams.ctx.serve(read, 's'), /^\*1\r\n\*2\r\n\$1\r\ns\r\n\*2\r\n/)
  t.match(streams.ctx.serve(grouped, 's'), /^\*1\r\n\*2\r\n\$1\r\ns\r\n\*1\r\n/)
  t.same(streams.pending(), ['1-0 c 0 1'])
})

t.test('errors', async t => {
  const streams = new Streams(...THREE, 'XGROUP CREATE s g 0')
  for (const head of ['XREAD', 'XREADGROUP GROUP g c']) {
    for (const value of ['0', '-1', 'x']) {
      t.match(streams.ask(`${head} MAXCOUNT ${value} STREAMS s 0`), /^-ERR .*MAXCOUNT/)
      t.match(streams.ask(`${head} MAXSIZE ${value} STREAMS s 0`), /^-ERR .*MAXSIZE/)
    }
    t.match(streams.ask(`${head} COUNT 5 MAXCOUNT 4 STREAMS s 0`), /^-ERR .*MAXCOUNT/)
    t.match(streams.ask(`${head} MAXCOUNT 4 COUNT 5 STREAMS s 0`), /^-ERR .*MAXCOUNT/)
    t.ok(Array.isArray(streams.ask(`${head} MAXCOUNT 4 COUNT 4 STREAMS s 0`)))
  }
})
