// Records of the dispatch log: bytes, and what a producer is refused.

import t from 'tap'
import { checkedDispatch, decodeRecipients, encodeRecipients, groupOf } from '../../src/mailbox/dispatch-record.js'
import type { Recipient } from '../../src/mailbox/dispatch-record.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

const event = { ordinal: 0x01020304, messageId: 'id', payload: Buffer.from([9, 0]) }
const recipients: readonly Recipient[] = [
  { user: 'ü', events: [event, { ...event, ordinal: 5, payload: Buffer.alloc(0) }] },
  { user: 'v', events: [event] },
]

t.test('recipients as hex', async t => {
  const one = encodeRecipients([{ user: 'ü', events: [event] }])
  t.equal(one.toString('hex'), '00000001' + '0002c3bc' + '0001' + '01020304' + '026964' + '00000002' + '0900')
  t.same(decodeRecipients(encodeRecipients(recipients), 'here'), recipients)
  t.same(decodeRecipients(encodeRecipients([]), 'here'), [])
})

t.test('every cut, and every byte too many, is corruption', async t => {
  const body = encodeRecipients(recipients)
  for (let length = 0; length < body.length; length++) {
    t.throws(() => decodeRecipients(body.subarray(0, length), 'there'), { code: 'CORRUPT_ENTRY', message: /^there/ })
  }
  t.throws(() => decodeRecipients(Buffer.concat([body, Buffer.alloc(1)]), 'there'), { message: /1 bytes too many/ })
})

t.test('a group has the time of its record', async t => {
  const record = { dispatchId: 'd', committedAtMs: 77, recipients, logOffset: 3 }
  const group = groupOf(record, recipients[1], 2, mailboxSeq(1, 3))
  t.same(group, { shard: 2, user: 'v', seq: mailboxSeq(1, 3), events: [{ ...event, createdAtMs: 77 }] })
})

t.test('a dispatch that no mailbox could take is refused before it is in the log', async t => {
  const good = { dispatchId: 'd', committedAtMs: 1, recipients }
  t.equal(checkedDispatch(good), good)
  const [first] = recipients
  const odd: Record<string, object> = {
    'no id': { dispatchId: '' },
    'long id': { dispatchId: 'x'.repeat(256) },
    'no time': { committedAtMs: Number.NaN },
    'a time before 1970': { committedAtMs: -1 },
    'a user twice': { recipients: [first, first] },
    'no name': { recipients: [{ ...first, user: '' }] },
    'long name': { recipients: [{ ...first, user: 'x'.repeat(65_536) }] },
    'no events': { recipients: [{ user: 'u', events: [] }] },
    'many events': {
      recipients: [{ user: 'u', events: Array.from({ length: 1025 }, (_, i) => ({ ...event, ordinal: i })) }],
    },
    'an ordinal twice': { recipients: [{ user: 'u', events: [event, event] }] },
    'no ordinal': { recipients: [{ user: 'u', events: [{ ...event, ordinal: -1 }] }] },
    'long message id': { recipients: [{ user: 'u', events: [{ ...event, messageId: 'x'.repeat(256) }] }] },
  }
  for (const [name, part] of Object.entries(odd)) {
    t.throws(() => checkedDispatch({ ...good, ...part }), { code: 'BAD_GROUP' }, name)
  }
})
