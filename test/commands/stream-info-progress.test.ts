import t from 'tap'
import { factsOf, writeAges, writeProgress } from '../../src/commands/stream-info-progress.js'
import type { Reply } from '../../src/resp/reply.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import type { ConsumerGroup, Stream } from '../../src/types/stream/stream-api.js'
import { Streams } from './stream-fixture.js'

const READ = ['XADD s 1-0 f v', 'XADD s 2-0 f v', 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c COUNT 1 STREAMS s >']

function groupOf(streams: Streams): ConsumerGroup {
  return streams.ctx.db.typed<Stream>('s', 'stream')!.group('g')!
}

function written(write: (reply: Reply) => void): string {
  const reply = new ReplyWriter()
  write(reply)
  return Buffer.concat(reply.take()).toString().replaceAll('\r\n', ' ')
}

t.test('lag is counted, or estimated as Redis 7 does', async t => {
  const streams = new Streams(...READ, 'XADD s 3-0 f v', 'XDEL s 2-0')
  const facts = factsOf(streams.ctx)
  t.same(facts, { nowMs: streams.ctx.clock.nowMs(), exactLag: true })
  const group = groupOf(streams)
  t.match(
    written(reply => writeProgress(reply, group, facts)),
    / lag :1 $/,
  )
  t.match(
    written(reply => writeProgress(reply, group, { ...facts, exactLag: false })),
    / lag \$-1 $/,
    'which it cannot behind a hole',
  )
})

t.test('ages count from a delivery and from an ID; of a group that was dropped there are none', async t => {
  const streams = new Streams(...READ)
  const group = groupOf(streams)
  const facts = { nowMs: streams.ctx.clock.nowMs() + 5, exactLag: true }
  t.equal(
    written(reply => writeAges(reply, group, facts)),
    `$18 oldest-pending-age :5 $22 oldest-undelivered-age :${facts.nowMs - 2} `,
  )
  streams.ctx.db.remove('s')
  t.ok(group.dropped)
  t.equal(
    written(reply => writeAges(reply, group, facts)),
    '$18 oldest-pending-age $-1 $22 oldest-undelivered-age $-1 ',
  )
  t.match(
    written(reply => writeProgress(reply, group, facts)),
    /entries-read :1 \$3 lag \$-1 $/,
  )
})
