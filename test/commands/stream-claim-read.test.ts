// XREADGROUP CLAIM: what is taken over, in which order and shape, the journal, and how long a client waits for it.

import t from 'tap'
import { Stream } from '../../src/types/stream/stream.js'
import { Streams, valueOf } from './stream-fixture.js'

const READ = [
  'XADD s 1-0 n 1',
  'XADD s 2-0 n 2',
  'XADD s 3-0 n 3',
  'XGROUP CREATE s g 0',
  'XREADGROUP GROUP g ann COUNT 2 STREAMS s >',
]

function entriesOf(reply: unknown): unknown[] {
  return reply === null ? [] : (reply as [[string, unknown[]]])[0][1]
}

t.test('idle pending entries come first, then new ones; all have four elements', async t => {
  const streams = new Streams(...READ)
  streams.ctx.clock.advance(60)
  t.same(entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 50 STREAMS s >')), [
    ['1-0', ['n', '1'], 60, 1],
    ['2-0', ['n', '2'], 60, 1],
    ['3-0', ['n', '3'], 0, 0],
  ])
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 3 CLAIM 50 STREAMS s >'])
  t.same(streams.pending(), ['1-0 bob 0 2', '2-0 bob 0 2', '3-0 bob 0 1'])
  t.equal(streams.ask('XREADGROUP GROUP g bob CLAIM 50 STREAMS s >'), null)
  streams.ctx.clock.advance(50)
  t.same(
    (entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 50 COUNT 1 STREAMS s >'))[0] as unknown[]).slice(2),
    [50, 2],
  )
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 1 CLAIM 50 STREAMS s >'])
})

t.test('COUNT is shared; what is not idle enough is left alone', async t => {
  const streams = new Streams(...READ)
  streams.ctx.clock.advance(50)
  streams.ask('XCLAIM s g ann 0 1-0 JUSTID')
  const ids = (options: string) =>
    entriesOf(streams.ask(`XREADGROUP GROUP g bob ${options} STREAMS s >`)).map(entry => (entry as unknown[])[0])
  t.same(ids('CLAIM 50 COUNT 2'), ['2-0', '3-0'])
  t.same(ids('CLAIM 50 COUNT 2'), [])
  t.same(ids('CLAIM 0 COUNT 2'), ['1-0', '2-0'], 'everything is idle for 0 ms; the same age, by ID')
})

t.test('history and NOACK', async t => {
  const streams = new Streams(...READ)
  streams.ctx.clock.advance(50)
  t.same(entriesOf(streams.ask('XREADGROUP GROUP g ann CLAIM 10 STREAMS s 0')), [
    ['1-0', ['n', '1']],
    ['2-0', ['n', '2']],
  ])
  streams.ctx.clock.advance(50)
  t.equal(entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 10 NOACK STREAMS s >')).length, 3)
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 3 CLAIM 10 NOACK STREAMS s >'])
  t.same(streams.pending(), ['1-0 bob 0 3', '2-0 bob 0 3'], 'claimed entries stay pending, new ones do not become so')
})

t.test('an entry that was deleted is not given, and stays pending', async t => {
  const streams = new Streams(...READ, 'XDEL s 1-0')
  streams.ctx.clock.advance(50)
  const entries = entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 10 COUNT 1 STREAMS s >')) as unknown[][]
  t.same(
    entries.map(([id]) => id),
    ['2-0'],
  )
  t.same(streams.pending(), ['1-0 ann 50 1', '2-0 bob 0 2'])
})

t.test('many deleted entries are looked for once, not at every call, and XAUTOCLAIM still tells of them', async t => {
  const streams = new Streams('XGROUP CREATE s g 0 MKSTREAM')
  for (let i = 1; i <= 600; i++) streams.ask(`XADD s ${i}-0 n ${i}`)
  streams.ask('XREADGROUP GROUP g ann STREAMS s >')
  streams.ask('XTRIM s MAXLEN 2')
  streams.ctx.clock.advance(50)
  let looks = 0
  const { get } = Stream.prototype
  Stream.prototype.get = function (id) {
    looks++
    return get.call(this, id)
  }
  t.teardown(() => void (Stream.prototype.get = get))
  const claims = () => {
    looks = 0
    return entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 10 COUNT 1 STREAMS s >')).length
  }
  t.equal(claims(), 1)
  t.ok(looks >= 599)
  t.equal(claims(), 1)
  t.ok(looks < 5, `${looks} looks`)
  t.equal(claims(), 0)
  t.equal(looks, 0)
  t.equal(streams.pending().length, 600, 'they are pending as before')
  streams.ctx.clock.advance(50)
  t.equal((streams.ask('XAUTOCLAIM s g bob 10 - COUNT 1000') as [string, [], []])[2].length, 598)
})

t.test('an ID that comes again after XSETID is claimed like any other', async t => {
  const streams = new Streams(...READ, 'XDEL s 2-0 3-0')
  streams.ctx.clock.advance(50)
  const ids = () =>
    (entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 10 STREAMS s >')) as string[][]).map(([id]) => id)
  t.same(ids(), ['1-0'])
  streams.ask('XSETID s 1-0')
  streams.ask('XADD s 2-0 n again')
  t.same(ids(), ['2-0'], 'what was passed over is looked for again')
})

t.test('several streams, each with its own', async t => {
  const streams = new Streams(...READ, 'XADD u 7-0 n 7', 'XGROUP CREATE u g 0', 'XREADGROUP GROUP g ann STREAMS u >')
  streams.ctx.clock.advance(50)
  const reply = streams.ask('XREADGROUP GROUP g bob CLAIM 10 COUNT 2 MAXCOUNT 3 STREAMS u s > >') as [
    string,
    unknown[][],
  ][]
  t.same(
    reply.map(([key, entries]) => [key, ...entries.map(([id]) => id)]),
    [
      ['u', '7-0'],
      ['s', '1-0', '2-0'],
    ],
  )
  t.match(
    streams.ctx.ask('XREADGROUP', 'GROUP', 'g', 'cat', 'CLAIM', '0', 'STREAMS', 's', '>'),
    /\*4\r\n\$3\r\n1-0\r\n/,
  )
})

t.test('MAXSIZE bounds what is claimed too', async t => {
  const streams = new Streams(...READ)
  streams.ctx.clock.advance(50)
  t.equal(entriesOf(streams.ask('XREADGROUP GROUP g bob CLAIM 10 MAXSIZE 1 STREAMS s >')).length, 1)
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 1 CLAIM 10 STREAMS s >'])
  t.same(streams.pending(), ['1-0 bob 0 2', '2-0 ann 50 1'])
})

t.test('the count of deliveries does not run over', async t => {
  const streams = new Streams(...READ, 'XNACK s g FATAL IDS 1 1-0')
  const reply = streams.ctx.ask('XREADGROUP', 'GROUP', 'g', 'bob', 'COUNT', '1', 'CLAIM', '9', 'STREAMS', 's', '>')
  t.match(reply, ':1700000000000\r\n:9223372036854775807\r\n', 'a released one is idle since 1970')
  t.match(streams.ctx.ask('XPENDING', 's', 'g', '1-0', '1-0', '1'), ':9223372036854775807\r\n')
})

t.test('a client that waits looks again when the first entry can be idle enough', async t => {
  const streams = new Streams(...READ, 'XREADGROUP GROUP g ann STREAMS s >')
  streams.ctx.clock.advance(30)
  t.equal(streams.ask('XREADGROUP GROUP g bob BLOCK 0 CLAIM 100 STREAMS s >'), undefined)
  const wait = streams.ctx.wait!
  t.equal(wait.retryMs, 70)
  streams.ctx.clock.advance(40)
  t.equal(streams.ctx.serve(wait, 's'), undefined, 'too early')
  t.equal(wait.retryMs, 30)
  streams.ctx.clock.advance(30)
  t.equal(entriesOf(valueOf(streams.ctx.serve(wait, 's')!)).length, 3)
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 3 CLAIM 100 STREAMS s >'])
})

t.test('it looks again after the whole time when there is nothing to wait for yet', async t => {
  const streams = new Streams('XGROUP CREATE s g 0 MKSTREAM')
  streams.ask('XREADGROUP GROUP g bob BLOCK 0 CLAIM 100 STREAMS s >')
  t.equal(streams.ctx.wait!.retryMs, 100)
  streams.ask('XREADGROUP GROUP g bob BLOCK 0 CLAIM 0 STREAMS s >')
  t.equal(streams.ctx.wait!.retryMs, 10, 'but not all the time')
  streams.ask('XREADGROUP GROUP g bob BLOCK 0 STREAMS s >')
  t.equal(streams.ctx.wait!.retryMs, undefined)
})

t.test('what is pending of deleted entries keeps nobody busy', async t => {
  const streams = new Streams(...READ, 'XREADGROUP GROUP g ann STREAMS s >', 'XDEL s 1-0 2-0 3-0')
  streams.ctx.clock.advance(1000)
  t.equal(streams.ask('XREADGROUP GROUP g bob BLOCK 0 CLAIM 100 STREAMS s >'), undefined)
  t.equal(streams.ctx.wait!.retryMs, 100)
})

t.test('a release and a claim with a time of the past wake who waits; a plain claim need not', async t => {
  const streams = new Streams(...READ)
  streams.ask('XNACK s g FAIL IDS 1 1-0')
  t.same(streams.ctx.touches, ['wake s'])
  streams.ask('XCLAIM s g ann 0 1-0 IDLE 5000')
  t.same(streams.ctx.touches, ['wake s'])
  streams.ask('XCLAIM s g ann 0 1-0')
  t.same(streams.ctx.touches, [])
})

t.test('an idle time that nothing reaches is journaled so that it can be read again', async t => {
  const streams = new Streams(...READ)
  streams.ask('XREADGROUP GROUP g bob CLAIM 9223372036854775807 STREAMS s >')
  t.same(streams.ctx.effects, ['XREADGROUP GROUP g bob COUNT 1 CLAIM 9007199254740991 STREAMS s >'])
})

t.test('errors', async t => {
  const streams = new Streams(...READ)
  t.equal(
    streams.ask('XREAD CLAIM 5 STREAMS s 0'),
    '-ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.',
  )
  for (const word of ['x', '5.5', '+10', '-0', '10e', '99999999999999999999']) {
    const error = '-ERR min-idle-time is not an integer or out of range'
    t.equal(streams.ask(`XREADGROUP GROUP g c CLAIM ${word} STREAMS s >`), error, word)
  }
  t.equal(streams.ask('XREADGROUP GROUP g c CLAIM -1 STREAMS s >'), '-ERR min-idle-time must be a positive integer')
})
