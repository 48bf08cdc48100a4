// XADD with IDMP and IDMPAUTO, XCFGSET, XIDMPRECORD: what counts as sent before, the window, figures, the journal.

import t from 'tap'
import { StringValue } from '../../src/types/string/string-value.js'
import { Streams } from './stream-fixture.js'

function figures(streams: Streams, key = 's'): Record<string, unknown> {
  const flat = streams.ask(`XINFO STREAM ${key}`) as unknown[]
  const names = ['idmp-duration', 'idmp-maxsize', 'pids-tracked', 'iids-tracked', 'iids-added', 'iids-duplicates']
  return Object.fromEntries(names.flatMap(name => (flat.includes(name) ? [[name, flat[flat.indexOf(name) + 1]]] : [])))
}

t.test('a repeat gets the first ID and adds nothing; each producer has IDs of its own', async t => {
  const streams = new Streams()
  const id = streams.ask('XADD s IDMP p 1 * f v')
  t.same(streams.ctx.effects, [`XADD s IDMP p 1 ${String(id)} f v`])
  streams.ctx.clock.advance(5)
  t.equal(streams.ask('XADD s IDMP p 1 * g w'), id)
  t.same(streams.ctx.effects, [`XADD s IDMP p 1 ${String(id)} g w`], 'a replay finds the same duplicate')
  t.same(streams.ctx.touches, [])
  t.same(streams.ctx.notices, [])
  t.not(streams.ask('XADD s IDMP q 1 * f v'), id)
  t.equal(streams.ask('XLEN s'), 2)
  t.same(streams.ask('XRANGE s - + COUNT 1'), [[id, ['f', 'v']]], 'the first fields are kept')
  t.same(figures(streams), {
    'idmp-duration': 100,
    'idmp-maxsize': 100,
    'pids-tracked': 2,
    'iids-tracked': 2,
    'iids-added': 2,
    'iids-duplicates': 1,
  })
})

t.test('IDs are bytes: any, and long ones too', async t => {
  const streams = new Streams()
  const long = Buffer.alloc(65536, 7)
  const id = streams.run('XADD', 's', 'IDMP', Buffer.from([0, 13, 10, 255]), long, '*', 'f', 'v')
  t.equal(streams.run('XADD', 's', 'IDMP', Buffer.from([0, 13, 10, 255]), long, '*', 'f', 'v'), id)
  const other = Buffer.from(long)
  other[65535] = 8
  t.not(streams.run('XADD', 's', 'IDMP', Buffer.from([0, 13, 10, 255]), other, '*', 'f', 'v'), id)
  const star = streams.ask('XADD s IDMP p * * f v')
  t.equal(streams.ask('XADD s IDMP p * * f v'), star)
})

t.test('IDMPAUTO looks at the pairs: names, values and how often, not at their order', async t => {
  const streams = new Streams()
  const id = streams.ask('XADD s IDMPAUTO p * a 1 b 2 c 3')
  t.equal(streams.ask('XADD s IDMPAUTO p * c 3 a 1 b 2'), id)
  const others = ['a 2 b 1 c 3', 'a 1 b 2', 'a 1 b 2 c 3 c 3', 'a 1 b 2 d 3', 'a1  b 2 c 3', '1 a b 2 c 3']
  for (const fields of others) t.not(streams.run('XADD', 's', 'IDMPAUTO', 'p', '*', ...fields.split(' ')), id, fields)
  const twice = streams.ask('XADD s IDMPAUTO p * f v f v')
  t.equal(streams.ask('XADD s IDMPAUTO p * f v f v'), twice)
  t.not(streams.ask('XADD s IDMPAUTO p * f v'), twice)
  t.not(
    streams.run('XADD', 's', 'IDMPAUTO', 'p', '*', 'ab', 'c'),
    streams.run('XADD', 's', 'IDMPAUTO', 'p', '*', 'a', 'bc'),
  )
})

t.test('options stand in any order before the ID; a duplicate does not trim', async t => {
  const streams = new Streams('XADD s 1-0 f v', 'XADD s 2-0 f v')
  const id = streams.ask('XADD s IDMP p 1 KEEPREF MAXLEN ~ 100 * f v')
  t.same(streams.ctx.effects, [`XADD s IDMP p 1 KEEPREF MAXLEN = 3 ${String(id)} f v`])
  t.equal(streams.ask('XADD s MAXLEN 1 NOMKSTREAM IDMP p 1 * f v'), id)
  t.equal(streams.ask('XLEN s'), 3)
  t.equal(streams.ask('XADD none NOMKSTREAM IDMP p 1 * f v'), null)
  t.equal(streams.ask('XADD s IDMP p limit MAXLEN ~ 100 LIMIT 5 * f v') === id, false)
  t.match(streams.ctx.effects[0], /^XADD s IDMP p limit MAXLEN ~ 4 LIMIT 0 \S+ f v$/)
})

t.test('a window ends by its duration', async t => {
  const streams = new Streams('XADD s 1-0 f v', 'XCFGSET s IDMP-DURATION 2')
  const id = streams.ask('XADD s IDMP p 1 * f v')
  streams.ctx.clock.advance(1999)
  t.equal(streams.ask('XADD s IDMP p 1 * f v'), id, 'a repeat does not renew it')
  t.match(figures(streams), { 'pids-tracked': 1, 'iids-tracked': 1 })
  streams.ctx.clock.advance(1)
  t.match(figures(streams), { 'pids-tracked': 0, 'iids-tracked': 0, 'iids-added': 1 })
  t.not(streams.ask('XADD s IDMP p 1 * f v'), id)
  t.match(figures(streams), { 'pids-tracked': 1, 'iids-tracked': 1, 'iids-added': 2, 'iids-duplicates': 1 })
})

t.test('and by its size, for each producer', async t => {
  const streams = new Streams('XADD s 1-0 f v', 'XCFGSET s IDMP-MAXSIZE 3')
  const other = streams.ask('XADD s IDMP q 1 * f v')
  const ids = [1, 2, 3].map(n => streams.ask(`XADD s IDMP p ${n} * f v`))
  t.equal(streams.ask('XADD s IDMP p 1 * f v'), ids[0], 'all three are known, and a repeat moves none')
  streams.ask('XADD s IDMP p 4 * f v')
  t.not(streams.ask('XADD s IDMP p 1 * f v'), ids[0], 'the oldest was forgotten')
  t.equal(streams.ask('XADD s IDMP p 3 * f v'), ids[2])
  t.equal(streams.ask('XADD s IDMP q 1 * f v'), other)
})

t.test('an entry that was deleted since is still known', async t => {
  const streams = new Streams()
  const id = String(streams.ask('XADD s IDMP p 1 * f v'))
  streams.ask(`XDEL s ${id}`)
  t.equal(streams.ask('XADD s IDMP p 1 * f v'), id)
  t.equal(streams.ask('XLEN s'), 0)
})

t.test('the defaults are those of the configuration at the first use', async t => {
  const streams = new Streams('XADD s 1-0 f v', 'XADD u IDMP p 1 * f v')
  streams.ctx.config.set([
    ['stream-idmp-duration', '7'],
    ['stream-idmp-maxsize', '9'],
  ])
  t.same(figures(streams), {}, 'a stream without idempotence says nothing of it, as in Redis 7')
  streams.ask('XADD s IDMP p 1 * f v')
  t.match(figures(streams), { 'idmp-duration': 7, 'idmp-maxsize': 9, 'pids-tracked': 1 })
  t.match(figures(streams, 'u'), { 'idmp-duration': 100, 'idmp-maxsize': 100 })
})

t.test('XCFGSET: a new value forgets what was known, the same one does not; lifetime counts stay', async t => {
  const streams = new Streams()
  const id = streams.ask('XADD s IDMP p 1 * f v')
  t.equal(streams.ask('XCFGSET s IDMP-DURATION 100 IDMP-MAXSIZE 100'), 'OK')
  t.same(streams.ctx.effects, ['XCFGSET s IDMP-DURATION 100 IDMP-MAXSIZE 100'])
  t.equal(streams.ask('XADD s IDMP p 1 * f v'), id)
  t.equal(streams.ask('XCFGSET s idmp-maxsize 10000'), 'OK')
  t.match(figures(streams), { 'idmp-maxsize': 10000, 'iids-tracked': 0, 'iids-added': 1, 'iids-duplicates': 1 })
  t.not(streams.ask('XADD s IDMP p 1 * f v'), id)
})

t.test('errors of XADD', async t => {
  const streams = new Streams()
  t.equal(streams.ask('XADD s IDMP p * f v'), '-ERR Invalid stream ID specified as stream command argument')
  const star = '-ERR IDMP/IDMPAUTO can be used only with auto-generated IDs'
  for (const id of ['1-1', '1-*', '5']) t.equal(streams.ask(`XADD s IDMP p 1 ${id} f v`), star)
  t.equal(streams.ask('XADD s IDMPAUTO p 1-1 f v'), star)
  const twice = '-ERR IDMP/IDMPAUTO specified multiple times'
  t.equal(streams.ask('XADD s IDMP p 1 IDMP p 2 * f v'), twice)
  t.equal(streams.ask('XADD s IDMPAUTO p IDMP p 2 * f v'), twice)
  t.equal(streams.ask('XADD s IDMP p 1 IDMPAUTO p * f v'), twice)
  t.equal(streams.ask('XADD s IDMP "" 1 * f v'), '-ERR IDMP requires a non-empty producer ID')
  t.equal(streams.ask('XADD s IDMP p "" * f v'), '-ERR IDMP requires a non-empty idempotent ID')
  t.equal(streams.ask('XADD s IDMPAUTO "" * f v'), '-ERR IDMPAUTO requires a non-empty producer ID')
  t.equal(streams.ask('XADD s KEEPREF ACKED * f v'), '-ERR syntax error')
  t.equal(streams.ask('XLEN s'), 0)
})

t.test('errors of XCFGSET', async t => {
  const streams = new Streams('XADD s 1-0 f v')
  streams.ctx.db.put('text', StringValue.create(streams.ctx.rows, 'x'))
  t.equal(streams.ask('XCFGSET none IDMP-DURATION 5'), '-ERR no such key')
  t.match(streams.ask('XCFGSET text IDMP-DURATION 5'), /^-WRONGTYPE/)
  t.equal(streams.ask('XCFGSET none IDMP-DURATION x'), '-ERR no such key', 'the key comes first')
  t.equal(streams.ask('XCFGSET none'), '-ERR no such key')
  t.equal(streams.ask('XCFGSET s'), '-ERR At least one parameter must be specified')
  for (const word of ['IDMP-DURATION', 'IDMP-MAXSIZE']) {
    t.equal(streams.ask(`XCFGSET s ${word} 5 ${word} 5`), `-ERR ${word} specified multiple times`)
  }
  for (const value of ['0', '-100', '86401']) {
    t.equal(streams.ask(`XCFGSET s IDMP-DURATION ${value}`), '-ERR IDMP-DURATION must be between 1 and 86400 seconds')
  }
  for (const value of ['0', '-50', '10001']) {
    t.equal(streams.ask(`XCFGSET s IDMP-MAXSIZE ${value}`), '-ERR IDMP-MAXSIZE must be between 1 and 10000 entries')
  }
  for (const value of ['A', '3.14', '120-5', '000000000', '*', '+', 'IDMP-DURATION']) {
    t.equal(streams.ask(`XCFGSET s IDMP-DURATION ${value}`), '-ERR value is not an integer or out of range')
  }
  for (const tail of ['INVALID', 'IDMP-DURATION', 'IDMP-MAXSIZE', 'IDMP-DURATION 5 IDMP-MAXSIZE']) {
    t.equal(streams.ask(`XCFGSET s ${tail}`), '-ERR syntax error')
  }
  t.same(figures(streams), {}, 'nothing was set')
})

t.test('XIDMPRECORD notes the ID of an entry that is there', async t => {
  const streams = new Streams('XADD s 5-0 f v', 'XADD s 6-0 f v')
  streams.ctx.db.put('text', StringValue.create(streams.ctx.rows, 'x'))
  const now = streams.ctx.clock.nowMs()
  streams.ask(`XADD s ${now - 1000}-0 f v`)
  t.equal(streams.ask(`XIDMPRECORD s p 1 ${now - 1000}-0`), 'OK')
  t.same(streams.ctx.effects, [`XIDMPRECORD s p 1 ${now - 1000}-0`])
  t.equal(streams.ask('XADD s IDMP p 1 * f v'), `${now - 1000}-0`)
  t.equal(streams.ask(`XIDMPRECORD s p 1 ${now - 1000}-0`), 'OK')
  t.same(streams.ctx.effects, [])
  t.match(figures(streams), { 'iids-added': 1, 'iids-tracked': 1 })
  const another = '-ERR IID already exists for this producer with a different stream ID'
  t.equal(streams.ask('XIDMPRECORD s p 1 6-0'), another)
  t.equal(streams.ask('XIDMPRECORD s p 2 7-0'), '-ERR No such message in stream')
  t.equal(streams.ask('XIDMPRECORD none "" 2 5-0'), '-ERR producer ID must be non-empty')
  t.equal(streams.ask('XIDMPRECORD none p "" 5-0'), '-ERR idempotent ID must be non-empty')
  t.match(streams.ask('XIDMPRECORD s "" "" x'), /^-ERR Invalid stream ID/)
  t.equal(streams.ask('XIDMPRECORD none p 1 5-0'), '-ERR no such key')
  t.match(streams.ask('XIDMPRECORD text p 1 5-0'), /^-WRONGTYPE/)
  t.equal(streams.ask('XIDMPRECORD s q 1 5-0'), 'OK')
  t.match(figures(streams), { 'iids-tracked': 1 }, 'an entry of 1970 is known no longer')
})
