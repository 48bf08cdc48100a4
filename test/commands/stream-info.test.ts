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
  t.match(ask(ctx, 'XINFO STREAM s'), /^%16\r\n/)
  t.match(ask(ctx, 'XINFO GROUPS s'), /^\*1\r\n%6\r\n/)
  t.match(ask(ctx, 'XINFO CONSUMERS s g'), /^\*1\r\n%4\r\n/)
  t.match(ask(ctx, 'XINFO STREAM s FULL'), /^%15\r\n.*groups\r\n\*1\r\n%8\r\n.*consumers\r\n\*1\r\n%5\r\n/s)
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
