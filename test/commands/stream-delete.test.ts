// XDELEX and XACKDEL: answers for each ID, what becomes of references, errors, the journal.

import t from 'tap'
import { StringValue } from '../../src/types/string/string-value.js'
import { Streams } from './stream-fixture.js'

/** Three entries, read by group g; group h has read the first one only. */
const TWO_GROUPS = [
  'XADD s 1-0 n 1',
  'XADD s 2-0 n 2',
  'XADD s 3-0 n 3',
  'XGROUP CREATE s g 0',
  'XGROUP CREATE s h 0',
  'XREADGROUP GROUP g ann STREAMS s >',
  'XREADGROUP GROUP h bob COUNT 1 STREAMS s >',
]

t.test('KEEPREF, the default, deletes the entry and leaves it pending', async t => {
  const streams = new Streams(...TWO_GROUPS)
  t.same(streams.ask('XDELEX s IDS 3 1-0 9-0 1-0'), [1, -1, -1])
  t.same(streams.ctx.effects, ['XDELEX s IDS 3 1-0 9-0 1-0'])
  t.same(streams.ctx.notices, ['xdel s'])
  t.same(streams.ctx.touches, ['s'])
  t.same(streams.ask('XDELEX s KEEPREF IDS 1 2-0'), [1])
  t.equal(streams.pending().length, 3)
  t.equal(streams.pending('h').length, 1)
})

t.test('DELREF takes references along, of entries that are gone already too', async t => {
  const streams = new Streams(...TWO_GROUPS)
  t.same(streams.ask('XDELEX s DELREF IDS 1 1-0'), [1])
  t.same(streams.pending(), ['2-0 ann 0 1', '3-0 ann 0 1'])
  t.same(streams.pending('h'), [])
  streams.ask('XDEL s 2-0')
  t.same(streams.ask('XDELEX s DELREF IDS 1 2-0'), [-1])
  t.same(streams.ctx.effects, ['XDELEX s DELREF IDS 1 2-0'], 'a change by itself')
  t.same(streams.ctx.notices, [], 'nothing was deleted')
  t.same(streams.ctx.touches, [])
  t.same(streams.pending(), ['3-0 ann 0 1'])
  t.same(streams.ask('XDELEX s DELREF IDS 1 2-0'), [-1])
  t.same(streams.ctx.effects, [])
})

t.test('ACKED deletes what every group has read and acknowledged, in whatever order the groups stand', async t => {
  for (const [fast, slow] of [
    ['g', 'h'],
    ['h', 'g'],
  ]) {
    const streams = new Streams(
      'XADD s 1-0 n 1',
      'XADD s 2-0 n 2',
      `XGROUP CREATE s ${fast} 0`,
      `XGROUP CREATE s ${slow} 0`,
    )
    streams.ask(`XREADGROUP GROUP ${fast} ann STREAMS s >`)
    t.same(streams.ask('XDELEX s ACKED IDS 1 1-0'), [2], 'pending, and unread')
    streams.ask(`XACK s ${fast} 1-0`)
    t.same(streams.ask('XDELEX s ACKED IDS 1 1-0'), [2], 'unread')
    streams.ask(`XREADGROUP GROUP ${slow} bob COUNT 1 STREAMS s >`)
    t.same(streams.ask('XDELEX s ACKED IDS 1 1-0'), [2], 'pending')
    streams.ask(`XACK s ${slow} 1-0`)
    t.same(streams.ask('XDELEX s ACKED IDS 1 1-0'), [1])
    t.same(streams.ask('XDELEX s ACKED IDS 1 1-0'), [-1])
    t.equal(streams.ids(), '2-0')
  }
})

t.test('ACKED asks for references first: a vanished entry that is pending, or unread, is not just absent', async t => {
  const streams = new Streams(
    'XADD s 5-0 n 5',
    'XGROUP CREATE s b 0',
    'XREADGROUP GROUP b ann STREAMS s >',
    'XDEL s 5-0',
  )
  t.same(streams.ask('XDELEX s ACKED IDS 2 5-0 9-0'), [2, 2])
  streams.ask('XGROUP CREATE s a $')
  t.same(streams.ask('XDELEX s ACKED IDS 1 5-0'), [2])
  streams.ask('XACK s b 5-0')
  t.same(streams.ask('XDELEX s ACKED IDS 1 5-0'), [-1])
})

t.test('a group that was moved backwards holds entries again', async t => {
  const streams = new Streams(
    'XADD s 1-0 n 1',
    'XADD s 2-0 n 2',
    'XGROUP CREATE s g 0',
    'XREADGROUP GROUP g ann NOACK STREAMS s >',
  )
  streams.ask('XGROUP SETID s g 1-0')
  t.same(streams.ask('XDELEX s ACKED IDS 2 1-0 2-0'), [1, 2])
  streams.ask('XGROUP SETID s g 0')
  t.same(streams.ask('XDELEX s ACKED IDS 1 2-0'), [2])
  streams.ask('XGROUP DESTROY s g')
  t.same(streams.ask('XDELEX s ACKED IDS 1 2-0'), [1], 'without groups nothing is referred to')
})

t.test('XACKDEL acknowledges for one group and deletes', async t => {
  const streams = new Streams(...TWO_GROUPS)
  t.same(streams.ask('XACKDEL s g IDS 2 2-0 9-0'), [1, -1])
  t.same(streams.ctx.effects, ['XACKDEL s g IDS 2 2-0 9-0'])
  t.same(streams.ctx.notices, ['xdel s'])
  t.same(streams.pending(), ['1-0 ann 0 1', '3-0 ann 0 1'])
  t.same(streams.ask('XACKDEL s h IDS 1 2-0'), [-1], 'there, but not pending in that group')
  t.same(streams.ask('XACKDEL s g DELREF IDS 1 1-0'), [1])
  t.same(streams.pending('h'), [])
  t.equal(streams.ids(), '3-0')
})

t.test('XACKDEL ACKED keeps what another group needs, and acknowledges all the same', async t => {
  const streams = new Streams(...TWO_GROUPS)
  t.same(streams.ask('XACKDEL s g ACKED IDS 3 1-0 2-0 1-0'), [2, 2, -1])
  t.same(streams.ctx.notices, [])
  t.same(streams.ctx.effects, ['XACKDEL s g ACKED IDS 3 1-0 2-0 1-0'])
  t.same(streams.pending(), ['3-0 ann 0 1'])
  t.equal(streams.ids(), '1-0 2-0 3-0')
  t.same(streams.ask('XACKDEL s h ACKED IDS 1 1-0'), [1])
  t.equal(streams.ids(), '2-0 3-0')
})

t.test('XACKDEL of an entry that is gone leaves nothing of it', async t => {
  const streams = new Streams(...TWO_GROUPS, 'XDEL s 1-0')
  t.same(streams.ask('XACKDEL s g IDS 1 1-0'), [1])
  t.same(streams.ctx.notices, [])
  t.same(streams.pending('h').length, 1)
})

t.test('without key or group every answer is -1', async t => {
  const streams = new Streams('XADD s 1-0 n 1')
  t.same(streams.ask('XDELEX none IDS 2 1-0 2-0'), [-1, -1])
  t.same(streams.ask('XACKDEL none g IDS 1 1-0'), [-1])
  t.same(streams.ask('XACKDEL s none ACKED IDS 1 1-0'), [-1])
  t.same(streams.ctx.effects, [])
})

t.test('very many IDs in one command', async t => {
  const streams = new Streams()
  const ids = Array.from({ length: 20_000 }, (_, i) => `${i + 1}-0`)
  for (const id of ids) streams.run('XADD', 's', id, 'f', 'v')
  const answers = streams.run('XDELEX', 's', 'IDS', ids.length, ...ids) as number[]
  t.ok(answers.length === ids.length && answers.every(answer => answer === 1))
  t.equal(streams.ask('XLEN s'), 0)
})

t.test('errors come before anything changes', async t => {
  const streams = new Streams(...TWO_GROUPS)
  streams.ctx.db.put('text', StringValue.create(streams.ctx.rows, 'x'))
  for (const [head, arity] of [
    ['XDELEX s', 'xdelex'],
    ['XACKDEL s g', 'xackdel'],
  ]) {
    t.equal(streams.ask(`${head} IDS 0 1-0`), '-ERR Number of IDs must be a positive integer')
    t.equal(streams.ask(`${head} IDS x 1-0`), '-ERR Number of IDs must be a positive integer')
    t.equal(streams.ask(`${head} IDS 2 1-0`), '-ERR The `numids` parameter must match the number of arguments')
    t.equal(streams.ask(`${head} IDS 1 1-0 2-0`), '-ERR syntax error')
    t.equal(streams.ask(`${head} KEEPREF DELREF IDS 1 1-0`), '-ERR syntax error')
    t.equal(streams.ask(`${head} IDS 1 1-0 ACKED ACKED`), '-ERR syntax error')
    t.equal(streams.ask(`${head} WHATEVER IDS 1 1-0`), '-ERR syntax error')
    t.equal(streams.ask(`${head} IDS 2 1-0 x`), '-ERR Invalid stream ID specified as stream command argument')
    t.equal(streams.ask(`${head} IDS 1`), `-ERR wrong number of arguments for '${arity}' command`)
    t.match(streams.ask(`${head.replace(' s', ' text')} IDS 1 1-0`), /^-WRONGTYPE/)
  }
  t.equal(streams.ids(), '1-0 2-0 3-0')
  t.same(streams.ask('XDELEX s IDS 1 1-0 ACKED'), [2], 'the policy may stand behind the IDs')
  t.same(streams.ask('XDELEX s delref ids 1 1-0'), [1], 'in any case')
})
