// XINFO: the fields that Redis 7.2 added, and counters of 64 bits.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { FakeContext } from '../support/fake-context.js'

const ask = (ctx: FakeContext, line: string) => ctx.ask(...line.split(' '))

t.test('consumers have a time without success beside the time unseen, -1 before the first success', async t => {
  const ctx = new FakeContext(streamCommands)
  ask(ctx, 'XGROUP CREATE s g 0 MKSTREAM')
  ask(ctx, 'XREADGROUP GROUP g c STREAMS s >')
  ctx.clock.advance(30)
  const row =
    '*1\r\n*8\r\n$4\r\nname\r\n$1\r\nc\r\n$7\r\npending\r\n:0\r\n$4\r\nidle\r\n:30\r\n$8\r\ninactive\r\n:-1\r\n'
  t.equal(ask(ctx, 'XINFO CONSUMERS s g'), row)
  const times = /seen-time\r\n:1700000000000\r\n\$11\r\nactive-time\r\n:-1\r\n\$9\r\npel-count/
  t.match(ask(ctx, 'XINFO STREAM s FULL'), times)
  ask(ctx, 'XADD s 1-1 f v')
  ask(ctx, 'XREADGROUP GROUP g c STREAMS s >')
  ctx.clock.advance(5)
  t.match(ask(ctx, 'XINFO CONSUMERS s g'), /idle\r\n:5\r\n\$8\r\ninactive\r\n:5\r\n/)
  t.match(ask(ctx, 'XINFO STREAM s FULL'), /active-time\r\n:1700000000030\r\n/)
})

t.test('in RESP3 streams, groups and consumers are maps', async t => {
  const ctx = new FakeContext(streamCommands)
  ask(ctx, 'XGROUP CREATE s g 0 MKSTREAM')
  ask(ctx, 'XGROUP CREATECONSUMER s g c')
  ctx.session.protocol = 3
  t.match(ask(ctx, 'XINFO STREAM s'), /^%10\r\n/)
  t.match(ask(ctx, 'XINFO GROUPS s'), /^\*1\r\n%6\r\n/)
  t.match(ask(ctx, 'XINFO CONSUMERS s g'), /^\*1\r\n%4\r\n/)
  t.match(ask(ctx, 'XINFO STREAM s FULL'), /^%9\r\n.*groups\r\n\*1\r\n%8\r\n.*consumers\r\n\*1\r\n%5\r\n/s)
})

t.test('counters beyond 2^53 keep every digit', async t => {
  const ctx = new FakeContext(streamCommands)
  ask(ctx, 'XADD s 1-1 f v')
  ask(ctx, 'XSETID s 1-1 ENTRIESADDED 9223372036854775806')
  ask(ctx, 'XADD s 2-1 f v')
  t.match(ask(ctx, 'XINFO STREAM s'), /entries-added\r\n:9223372036854775807\r\n/)
})

t.test('HELP names every subcommand', async t => {
  const lines = ask(new FakeContext(streamCommands), 'XINFO HELP').split('\r\n')
  t.equal(lines[1], '+XINFO <subcommand> [<arg> [value] [opt] ...]. Subcommands are:')
  for (const word of ['CONSUMERS', 'GROUPS', 'HELP', 'STREAM']) {
    t.ok(
      lines.some(line => new RegExp(`^\\+${word}( |$)`).test(line)),
      word,
    )
  }
})

t.test('lag counts what is there to be read, whatever was deleted, hinted or set', async t => {
  const ctx = new FakeContext(streamCommands)
  const lag = () => /lag\r\n(:\d+|\$-1|_)/.exec(ask(ctx, 'XINFO GROUPS s'))?.[1]
  for (const n of [1, 2, 3, 4, 5, 6]) ask(ctx, `XADD s ${n}-0 f v`)
  ask(ctx, 'XGROUP CREATE s g 0 ENTRIESREAD 77')
  t.equal(lag(), ':6', 'a wrong hint')
  ask(ctx, 'XREADGROUP GROUP g c COUNT 2 STREAMS s >')
  ask(ctx, 'XDEL s 4-0')
  t.equal(lag(), ':3', 'a hole ahead')
  ask(ctx, 'XGROUP SETID s g 2-5')
  t.equal(lag(), ':3', 'an ID that no entry has')
  ask(ctx, 'XSETID s 9-0 ENTRIESADDED 900')
  t.equal(lag(), ':3')
  ask(ctx, 'XGROUP SETID s g 18446744073709551615-18446744073709551615')
  t.equal(lag(), ':0')
  ask(ctx, 'XGROUP SETID s g 0')
  ask(ctx, 'XTRIM s MAXLEN 1')
  t.equal(lag(), ':1')
  ctx.config.set([['stream-exact-lag', 'no']])
  t.equal(lag(), ':1', 'Redis knows it too')
  ask(ctx, 'XGROUP SETID s g 5-0')
  ask(ctx, 'XADD s 10-0 f v')
  t.equal(lag(), ':2')
  ask(ctx, 'XADD s 11-0 f v')
  ask(ctx, 'XDEL s 10-0')
  ask(ctx, 'XGROUP SETID s g 7-0')
  t.equal(lag(), '$-1', 'and here it does not')
  ctx.config.set([['stream-exact-lag', 'yes']])
  t.equal(lag(), ':1')
})

t.test('entries-read is a place among all entries again once the group has read on behind a trim', async t => {
  const ctx = new FakeContext(streamCommands)
  const read = () => /entries-read\r\n(:\d+|\$-1)/.exec(ask(ctx, 'XINFO GROUPS s'))?.[1]
  for (const n of [1, 2, 3, 4, 5, 6]) ask(ctx, `XADD s ${n}-0 f v`)
  ask(ctx, 'XGROUP CREATE s g 0')
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s >')
  ask(ctx, 'XTRIM s MAXLEN 2')
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s >')
  t.equal(read(), ':5')
  ctx.config.set([['stream-exact-lag', 'no']])
  t.equal(read(), ':2', 'as Redis 7.0 has it')
  ctx.config.set([['stream-exact-lag', 'yes']])
  ask(ctx, 'XSETID s 6-0 ENTRIESADDED 2 MAXDELETEDID 4-0')
  t.equal(read(), ':2', 'never more than were added')
  ask(ctx, 'XREADGROUP GROUP g c STREAMS s >')
  ask(ctx, 'XADD s 7-0 f v')
  ask(ctx, 'XADD s 8-0 f v')
  ask(ctx, 'XDEL s 7-0')
  ask(ctx, 'XREADGROUP GROUP g c STREAMS s >')
  t.equal(read(), ':4', 'a hole between what was read and what is')
})

t.test('ages of groups are told when they are asked for', async t => {
  const ctx = new FakeContext(streamCommands)
  const ages = () =>
    ask(ctx, 'XINFO GROUPS s')
      .match(/age\r\n(:\d+|\$-1)/g)
      ?.map(text => text.slice(5))
  const start = ctx.clock.nowMs()
  ask(ctx, `XADD s ${start - 500}-0 f v`)
  ask(ctx, `XADD s ${start - 300}-0 f v`)
  ask(ctx, 'XGROUP CREATE s g 0')
  t.equal(ages(), undefined)
  ctx.config.set([['stream-group-ages', 'yes']])
  t.same(ages(), ['$-1', ':500'])
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s >')
  ctx.clock.advance(40)
  t.same(ages(), [':40', ':340'])
  ask(ctx, 'XREADGROUP GROUP g c COUNT 1 STREAMS s >')
  ctx.clock.advance(2)
  t.same(ages(), [':42', '$-1'])
  ask(ctx, `XNACK s g FAIL IDS 1 ${start - 500}-0`)
  t.same(ages(), [':2', '$-1'], 'a released entry was delivered to nobody')
  ctx.session.protocol = 3
  t.match(ask(ctx, 'XINFO GROUPS s'), /^\*1\r\n%8\r\n/)
})
