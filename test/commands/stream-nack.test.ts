// XNACK: modes, counts, who sees released entries and who does not, the order they are claimed in, errors, the journal.

import t from 'tap'
import { StringValue } from '../../src/types/string/string-value.js'
import { Streams } from './stream-fixture.js'

const READ = [
  'XADD s 1-0 n 1',
  'XADD s 2-0 n 2',
  'XADD s 3-0 n 3',
  'XGROUP CREATE s g 0',
  'XREADGROUP GROUP g ann STREAMS s >',
]
const MAX = '9223372036854775807'

t.test('SILENT undoes the delivery, FAIL keeps the count, FATAL makes it the highest', async t => {
  const streams = new Streams(...READ)
  t.equal(streams.ask('XNACK s g SILENT IDS 1 1-0'), 1)
  t.same(streams.ctx.effects, ['XNACK s g SILENT IDS 1 1-0'])
  t.same(streams.ctx.touches, ['wake s'], 'those who wait may claim it; WATCH does not mind')
  streams.ask('XNACK s g FAIL IDS 1 2-0')
  streams.ask('XNACK s g fatal IDS 1 3-0')
  t.match(streams.ctx.ask('XPENDING', 's', 'g', '3-0', '3-0', '1'), `:-1\r\n:${MAX}\r\n`)
  t.same(streams.pending().slice(0, 2), ['1-0  -1 0', '2-0  -1 1'])
  streams.ask('XNACK s g SILENT IDS 1 1-0')
  t.equal(streams.pending()[0], '1-0  -1 0', 'not below 0')
})

t.test('RETRYCOUNT sets the count, whatever the mode', async t => {
  const streams = new Streams(...READ)
  streams.ask('XNACK s g FATAL IDS 1 1-0 RETRYCOUNT 7')
  streams.ask('XNACK s g SILENT IDS 1 2-0 RETRYCOUNT 0')
  t.same(streams.pending().slice(0, 2), ['1-0  -1 7', '2-0  -1 0'])
})

t.test('each ID released counts, twice if it is named twice; what is not pending does not', async t => {
  const streams = new Streams(...READ)
  t.equal(streams.ask('XNACK s g FAIL IDS 3 2-0 9-0 2-0'), 2)
  t.equal(streams.ask('XNACK s g FAIL IDS 1 9-0'), 0)
  t.same(streams.ctx.effects, [])
  t.same(streams.ctx.touches, [])
})

t.test('FORCE makes an entry of the stream pending that was not, never delivered', async t => {
  const streams = new Streams('XADD s 1-0 n 1', 'XADD s 2-0 n 2', 'XADD s 3-0 n 3', 'XGROUP CREATE s g 0')
  t.equal(streams.ask('XNACK s g FAIL IDS 2 1-0 9-0 FORCE'), 1)
  t.equal(streams.ask('XNACK s g SILENT IDS 1 2-0 RETRYCOUNT 4 FORCE'), 1)
  t.equal(streams.ask('XNACK s g FATAL IDS 1 3-0 FORCE'), 1)
  t.same(streams.pending().slice(0, 2), ['1-0  -1 0', '2-0  -1 4'])
  t.match(streams.ctx.ask('XPENDING', 's', 'g', '3-0', '3-0', '1'), `:${MAX}\r\n`)
})

t.test(
  'a released entry is nobody’s: no history, no consumer in the summary, and it outlives its consumer',
  async t => {
    const streams = new Streams(...READ, 'XNACK s g FAIL IDS 2 1-0 2-0')
    t.same(streams.ask('XREADGROUP GROUP g ann STREAMS s 0'), [['s', [['3-0', ['n', '3']]]]])
    t.same(streams.ask('XPENDING s g'), [3, '1-0', '3-0', [['ann', '1']]])
    t.equal(streams.ask('XGROUP DELCONSUMER s g ann'), 1)
    t.same(streams.pending(), ['1-0  -1 1', '2-0  -1 1'])
    t.same(streams.ask('XPENDING s g'), [2, '1-0', '2-0', []])
    t.same(streams.ask('XPENDING s g IDLE 99999999 - + 10'), [
      ['1-0', '', -1, 1],
      ['2-0', '', -1, 1],
    ])
    const info = streams.ask('XINFO STREAM s FULL') as unknown[]
    const [group] = info[info.indexOf('groups') + 1] as unknown[][]
    t.equal(group[group.indexOf('nacked-count') + 1], 2)
    t.same(group[group.indexOf('pending') + 1], [
      ['1-0', '', 0, 1],
      ['2-0', '', 0, 1],
    ])
  },
)

t.test('a released entry outlives XDEL and XTRIM, and is acknowledged like any other', async t => {
  const streams = new Streams(...READ, 'XNACK s g FAIL IDS 2 1-0 2-0', 'XDEL s 2-0', 'XTRIM s MAXLEN 1')
  t.equal(streams.pending().length, 3)
  t.equal(streams.ask('XACK s g 1-0 2-0 3-0'), 3)
  t.same(streams.ask('XPENDING s g'), [0, null, null, null])
})

t.test('whoever claims with whatever idle time gets it; the highest count stays the highest', async t => {
  const streams = new Streams(...READ, 'XNACK s g FATAL IDS 1 1-0', 'XNACK s g FAIL IDS 1 2-0')
  t.same(streams.ask('XCLAIM s g bob 3600000 2-0 3-0 JUSTID'), ['2-0'])
  t.same(streams.ask('XAUTOCLAIM s g bob 3600000 0 COUNT 1'), ['2-0', [['1-0', ['n', '1']]], []])
  t.match(streams.ctx.ask('XPENDING', 's', 'g', '1-0', '1-0', '1'), `bob\r\n:0\r\n:${MAX}\r\n`)
  t.same(streams.ask('XINFO STREAM s FULL') && streams.pending().map(row => row.split(' ')[1]), ['bob', 'bob', 'ann'])
})

t.test('CLAIM gives the released first, in the order they were released, then the oldest', async t => {
  const streams = new Streams(...READ)
  streams.ctx.clock.advance(100)
  streams.ask('XCLAIM s g ann 0 2-0 JUSTID')
  streams.ctx.clock.advance(100)
  streams.ask('XADD s 4-0 n 4')
  streams.ask('XADD s 5-0 n 5')
  streams.ask('XREADGROUP GROUP g ann STREAMS s >')
  streams.ask('XNACK s g FAIL IDS 2 5-0 3-0')
  streams.ask('XNACK s g FAIL IDS 1 5-0')
  streams.ctx.clock.advance(50)
  const [[, entries]] = streams.ask('XREADGROUP GROUP g bob CLAIM 20 STREAMS s >') as [[string, unknown[][]]]
  t.same(
    entries.map(([id, , idle, count]) => [id, idle, count]),
    [
      ['3-0', streams.ctx.clock.nowMs(), 1],
      ['5-0', streams.ctx.clock.nowMs(), 1],
      ['1-0', 250, 1],
      ['2-0', 150, 1],
      ['4-0', 50, 1],
    ],
  )
})

t.test('options stand before the IDs or behind them', async t => {
  const streams = new Streams(...READ)
  for (const [words, count] of [
    ['FORCE IDS 1 3-0', 1],
    ['FORCE RETRYCOUNT 42 IDS 1 3-0', 42],
    ['RETRYCOUNT 5 IDS 1 3-0 FORCE', 5],
    ['FORCE IDS 1 3-0 RETRYCOUNT 3', 3],
  ]) {
    t.equal(streams.ask(`XNACK s g FAIL ${words}`), 1, String(words))
    t.ok(streams.pending().includes(`3-0  -1 ${count}`), streams.pending().join())
  }
})

t.test('errors, in Redis’ order: key and group first', async t => {
  const streams = new Streams(...READ)
  streams.ctx.db.put('text', StringValue.create(streams.ctx.rows, 'x'))
  const nogroup = (key: string, group: string) => `-NOGROUP No such key '${key}' or consumer group '${group}'`
  t.equal(streams.ask('XNACK s none NEVER IDS 1 1-0'), nogroup('s', 'none'))
  t.equal(streams.ask('XNACK none g FAIL IDS 1 1-0'), nogroup('none', 'g'))
  t.match(streams.ask('XNACK text g FAIL IDS 1 1-0'), /^-WRONGTYPE/)
  t.equal(streams.ask('XNACK s g NEVER IDS 1 1-0'), '-ERR mode must be SILENT, FAIL, or FATAL')
  t.equal(streams.ask('XNACK s g FAIL FORCE RETRYCOUNT 5'), '-ERR syntax error, expected IDS keyword')
  for (const [words, unknown] of [
    ['FAIL NEVER IDS 1 1-0', 'NEVER'],
    ['SILENT FORCE NEVER IDS 1 1-0', 'NEVER'],
    ['FAIL RETRYCOUNT 5 NEVER IDS 1 1-0', 'NEVER'],
    ['FAIL FORCE IDS 1 1-0 NEVER RETRYCOUNT 5', 'NEVER'],
    ['FAIL FATAL IDS 1 1-0', 'FATAL'],
    ['SILENT NOTIDS 1 1-0', 'NOTIDS'],
    ['FAIL IDS 1 1-0 RETRYCOUNT', 'RETRYCOUNT'],
    ['FAIL IDS 1 x NEVER', 'NEVER'],
  ]) {
    t.equal(streams.ask(`XNACK s g ${words}`), `-ERR Unrecognized XNACK option '${unknown}'`, words)
  }
  t.equal(streams.ask('XNACK s g FAIL IDS 1 1-0 RETRYCOUNT x'), '-ERR value is not an integer or out of range')
  t.equal(streams.ask('XNACK s g FAIL IDS 2147483648 1-0'), '-ERR numids must be a positive integer')
  t.equal(streams.ask('XNACK s g FAIL IDS 0 1-0'), '-ERR numids must be a positive integer')
  t.equal(streams.ask('XNACK s g FAIL IDS x 1-0'), '-ERR numids must be a positive integer')
  t.equal(streams.ask('XNACK s g FAIL IDS 2 1-0'), "-ERR number of IDs doesn't match numids")
  t.equal(streams.ask('XNACK s g FAIL IDS 1 1-0 RETRYCOUNT -1'), '-ERR Invalid RETRYCOUNT value, must be >= 0')
  t.equal(streams.ask('XNACK s g FAIL IDS 1 1-0 2-0'), "-ERR Unrecognized XNACK option '2-0'")
  t.equal(streams.ask('XNACK s g FAIL IDS 1 x'), '-ERR Invalid stream ID specified as stream command argument')
  t.match(streams.ask('XNACK s g FAIL IDS 1'), /^-ERR wrong number of arguments/)
  t.same(streams.pending().length, 3)
  t.ok(streams.pending().every(row => row.includes('ann')))
})
