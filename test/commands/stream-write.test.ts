// XADD, XDEL, XTRIM, XSETID: what they leave in the journal, whom they tell, and where Redis 7.2 differs from 7.0.

import t from 'tap'
import { streamErrors } from '../../src/base/stream-errors.js'
import { Args } from '../../src/commands/args.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { requestOf } from '../../src/resp/request.js'
import { FakeContext } from '../support/fake-context.js'

function contextWith(...lines: string[]): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (const line of lines) ctx.ask(...line.split(' '))
  return ctx
}

const entriesOf = (ctx: FakeContext) => ctx.ask('XRANGE', 's', '-', '+')

t.test('XADD stores the bytes of its fields as they came', async t => {
  const ctx = contextWith()
  const value = Buffer.from([0, 13, 10, 36, 255])
  t.equal(ctx.ask('XADD', 's', '5-1', 'f', value, '', 'w'), '$3\r\n5-1\r\n')
  const stored = '*1\r\n*2\r\n$3\r\n5-1\r\n*4\r\n$1\r\nf\r\n$5\r\n\x00\r\n$\xff\r\n$0\r\n\r\n$1\r\nw\r\n'
  t.equal(entriesOf(ctx), stored)
})

t.test('an automatic ID follows the clock, and the last ID when the clock is behind it', async t => {
  const ctx = contextWith()
  t.equal(ctx.ask('XADD', 's', '*', 'f', 'v'), '$15\r\n1700000000000-0\r\n')
  t.equal(ctx.ask('XADD', 's', '*', 'f', 'v'), '$15\r\n1700000000000-1\r\n')
  ctx.clock.step(-5)
  t.equal(ctx.ask('XADD', 's', '*', 'f', 'v'), '$15\r\n1700000000000-2\r\n')
  ctx.clock.advance(6)
  t.equal(ctx.ask('XADD', 's', '*', 'f', 'v'), '$15\r\n1700000000001-0\r\n')
  t.equal(ctx.ask('XADD', 's', '1700000000001-*', 'f', 'v'), '$15\r\n1700000000001-1\r\n')
  t.equal(ctx.ask('XADD', 's', '1700000000002-*', 'f', 'v'), '$15\r\n1700000000002-0\r\n')
})

t.test('the last sequence of a millisecond has no successor in it', async t => {
  const ctx = contextWith('XADD s 5-18446744073709551615 f v')
  const refused = '-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n'
  t.equal(ctx.ask('XADD', 's', '5-*', 'f', 'v'), refused)
  t.same(ctx.effects, [])
})

t.test('XADD is journaled with its final ID', async t => {
  const ctx = contextWith()
  ctx.ask('XADD', 's', '*', 'f', 'v')
  t.same(ctx.effects, ['XADD s 1700000000000-0 f v'])
  t.same(ctx.touches, ['s'])
  t.same(ctx.notices, ['xadd s'])
  ctx.ask('XADD', 's', 'NOMKSTREAM', '1700000000000-*', 'f', 'v')
  t.same(ctx.effects, ['XADD s NOMKSTREAM 1700000000000-1 f v'])
  ctx.ask('XADD', 's', 'MAXLEN', '2', '1700000000005', 'f', 'v')
  t.same(ctx.effects, ['XADD s MAXLEN 2 1700000000005 f v'])
  t.same(ctx.notices, ['xadd s', 'xtrim s'])
})

t.test('an approximate trim is journaled as an exact one', async t => {
  const ctx = contextWith()
  ctx.config.set([['stream-node-max-entries', '2']])
  for (let i = 1; i <= 5; i++) ctx.ask('XADD', 's', `${i}-1`, 'f', 'v')
  ctx.ask('XADD', 's', 'MAXLEN', '~', '3', '*', 'f', 'v')
  t.same(ctx.effects, ['XADD s MAXLEN = 4 1700000000000-0 f v'])
  t.same(ctx.notices, ['xadd s', 'xtrim s'])
  ctx.ask('XADD', 's', 'MAXLEN', '~', '9', '*', 'f', 'v')
  t.same(ctx.effects, ['XADD s MAXLEN = 5 1700000000000-1 f v'])
  t.same(ctx.notices, ['xadd s'], 'nothing was removed')
  ctx.ask('XTRIM', 's', 'MINID', '~', '5-1')
  t.same(ctx.effects, ['XTRIM s MAXLEN = 3'])
  ctx.ask('XTRIM', 's', 'MAXLEN', '~', '3')
  t.same(ctx.effects, [])
})

t.test('what changed nothing leaves no trace', async t => {
  const ctx = contextWith('XADD s 1-1 f v')
  for (const line of [
    'XDEL s 9-9',
    'XDEL none 1-1',
    'XTRIM s MAXLEN 1',
    'XADD none NOMKSTREAM * f v',
    'XADD s 1-1 f v',
    'XSETID s 0-1',
  ]) {
    ctx.ask(...line.split(' '))
    t.same([ctx.effects, ctx.touches, ctx.notices], [[], [], []], line)
  }
})

t.test('XDEL and XTRIM are journaled as they came and keep the empty key', async t => {
  const ctx = contextWith('XADD s 1-1 f v', 'XADD s 2-1 f v')
  t.equal(ctx.ask('XDEL', 's', '1-1', '9-9'), ':1\r\n')
  t.same([ctx.effects, ctx.touches, ctx.notices], [['XDEL s 1-1 9-9'], ['s'], ['xdel s']])
  t.equal(ctx.ask('XTRIM', 's', 'MAXLEN', '0'), ':1\r\n')
  t.same([ctx.effects, ctx.touches, ctx.notices], [['XTRIM s MAXLEN 0'], ['s'], ['xtrim s']])
  t.equal(ctx.ask('XLEN', 's'), ':0\r\n')
  t.ok(ctx.db.peek('s'))
})

t.test('XSETID may go below the highest deleted ID, not below the last entry', async t => {
  const ctx = contextWith('XADD s 1-1 f v', 'XADD s 2-1 f v', 'XDEL s 2-1')
  t.equal(ctx.ask('XSETID', 's', '1-0'), `-${streamErrors.setIdBelowTop}\r\n`)
  t.equal(ctx.ask('XSETID', 's', '1-9'), '+OK\r\n')
  t.same([ctx.effects, ctx.notices], [['XSETID s 1-9'], ['xsetid s']])
})

t.test('an entry above the bound of Redis is refused', async t => {
  const ctx = contextWith()
  const request = requestOf(['XADD', 's', '1-1', 'f', 'v'])
  const row = ctx.table.row('xadd')!
  const options = row.spec.parse(new Args(request))
  // A request of a gigabyte in all but its bytes.
  ctx.request = Object.assign(requestOf(['XADD', 's', '1-1', 'f', 'v']), { to: 2 ** 30 + 100 })
  t.throws(() => row.spec.run(ctx, options), { message: 'ERR Elements are too large to be stored' })
  t.equal(ctx.db.peek('s'), undefined)
})

t.test('XTRIM ~ ACKED makes progress entry by entry, whatever the nodes are', async t => {
  const ctx = new FakeContext(streamCommands)
  const ask = (line: string) => ctx.ask(...line.split(' '))
  for (let n = 1; n <= 250; n++) ask(`XADD s ${n}-0 f v`)
  ask('XGROUP CREATE s g 0')
  t.equal(ask('XTRIM s MAXLEN ~ 10 ACKED'), ':0\r\n', 'nothing was read')
  ask('XREADGROUP GROUP g c COUNT 200 STREAMS s >')
  for (let n = 1; n <= 200; n++) if (n % 50 !== 0) ask(`XACK s g ${n}-0`)
  t.equal(ask('XTRIM s MAXLEN ~ 10 ACKED'), ':196\r\n')
  t.same(ctx.effects, ['XTRIM s MAXLEN ~ 10 ACKED'], 'what it does follows from the groups')
  t.equal(ask('XLEN s'), ':54\r\n')
  ask('XACK s g 100-0')
  t.equal(ask('XADD s ACKED MAXLEN ~ 10 300-0 f v'), '$5\r\n300-0\r\n')
  t.same(ctx.effects, ['XADD s ACKED MAXLEN ~ 10 300-0 f v'])
  t.equal(ask('XRANGE s - + COUNT 3').match(/\d+-0/g)?.join(' '), '50-0 150-0 200-0')
  t.equal(ask('XTRIM s MINID = 160-0 ACKED'), ':0\r\n')
  ask('XACK s g 50-0 150-0 200-0')
  t.equal(ask('XTRIM s MINID = 160-0 ACKED'), ':2\r\n')
  t.equal(ask('XTRIM s MAXLEN ~ 0 ACKED LIMIT 1'), ':1\r\n')
})

t.test('DELREF takes along what was pending below the new first entry; the journal says so', async t => {
  const ctx = new FakeContext(streamCommands)
  const ask = (line: string) => ctx.ask(...line.split(' '))
  for (let n = 1; n <= 5; n++) ask(`XADD s ${n}-0 f v`)
  ask('XGROUP CREATE s g 0')
  ask('XREADGROUP GROUP g c STREAMS s >')
  ask('XDEL s 2-0')
  t.equal(ask('XTRIM s MAXLEN 3 KEEPREF'), ':1\r\n')
  t.match(ask('XPENDING s g'), /^\*4\r\n:5\r\n/)
  t.equal(ask('XTRIM s DELREF MAXLEN 2'), ':1\r\n')
  t.match(ask('XPENDING s g'), /^\*4\r\n:2\r\n/)
  ctx.config.set([['stream-node-max-entries', '1']])
  for (let n = 6; n <= 8; n++) ask(`XADD s ${n}-0 f v`)
  ask('XREADGROUP GROUP g c STREAMS s >')
  ask('XTRIM s MAXLEN ~ 2 DELREF')
  t.same(ctx.effects, ['XTRIM s MAXLEN = 2 DELREF'])
  t.match(ask('XPENDING s g'), /^\*4\r\n:2\r\n/)
  ask('XADD s MAXLEN ~ 1 DELREF * f v')
  t.match(ctx.effects[0], /^XADD s MAXLEN = 1 DELREF \S+ f v$/)
  t.match(ask('XPENDING s g'), /^\*4\r\n:0\r\n/)
  t.match(ask('XTRIM s KEEPREF MAXLEN 1 ACKED'), '-ERR syntax error')
  t.match(ask('XTRIM s ACKED LIMIT 5'), /LIMIT/)
})
