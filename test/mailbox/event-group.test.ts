// What every backend demands of a group; the contract proves that they do.

import t from 'tap'
import { checkedEvents, DAY_S, dayOf } from '../../src/mailbox/event-group.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

const event = (ordinal: number, createdAtMs = 5 * DAY_S * 1000) => ({
  ordinal,
  createdAtMs,
  messageId: 'm',
  payload: Buffer.alloc(0),
})
const group = (...events: ReturnType<typeof event>[]) => ({ shard: 1, user: 'u', seq: mailboxSeq(1, 1), events })

t.test('days are UTC days', async t => {
  t.same([0, 86_399_999, 86_400_000].map(dayOf), [0, 0, 1])
})

t.test('the events come by ordinal with their day', async t => {
  const { day, events } = checkedEvents(group(event(4), event(0), event(2)))
  t.equal(day, 5)
  t.same(
    events.map(({ ordinal }) => ordinal),
    [0, 2, 4],
  )
})

t.test('the last millisecond of a day and the first of the next are two buckets', async t => {
  t.throws(() => checkedEvents(group(event(0, 86_399_999), event(1, 86_400_000))), {
    code: 'BAD_GROUP',
    message: /shard 1.*user u.*two day buckets/,
  })
  t.doesNotThrow(() => checkedEvents(group(event(0, 0), event(1, 86_399_999))))
})

t.test('times that are none are refused', async t => {
  for (const createdAtMs of [-1, 0.5, 2 ** 48, Number.NaN]) {
    t.throws(() => checkedEvents(group(event(0, createdAtMs))), { code: 'BAD_GROUP' })
  }
})
