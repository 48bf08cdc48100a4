import t from 'tap'
import { queuedRecord, storedRecord } from '../../src/queue/message-record.js'

t.test('a record is its numbers and the body behind the first line end', async t => {
  const body = Buffer.from([10, 0, 255, 10])
  t.same(storedRecord('m', Buffer.concat([Buffer.from('17\n'), body])), { publishedUs: 17, body })
  t.same(queuedRecord('m', Buffer.concat([Buffer.from('17 3 19\n'), body])), {
    publishedUs: 17,
    storageUid: 3,
    enqueuedUs: 19,
    body,
  })
})

t.test('what is not ours is refused by name', async t => {
  for (const text of ['', '17', '17 3\nbody', 'x\nbody', '1.5\nbody']) {
    t.throws(() => storedRecord('message 4', Buffer.from(text)), { message: /^message 4 does not begin/ }, text)
  }
})
