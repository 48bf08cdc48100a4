// Events to the byte, in day buckets and in streams.

import t from 'tap'
import { decodeBody, decodeMember, encodeBody, encodeMember } from '../../src/mailbox/event-body.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

const event = {
  ordinal: 0x0a0b0c,
  createdAtMs: 0x0102_0304_0506,
  messageId: 'mü',
  payload: Buffer.from([0xff, 0, 0x0d]),
}

t.test('a body as hex', async t => {
  t.equal(encodeBody(event).toString('hex'), '010203040506' + '03' + '6dc3bc' + 'ff000d')
  t.same(decodeBody(encodeBody(event), event.ordinal, 'here'), event)
})

t.test('a member as hex: its head sorts as numbers do', async t => {
  const member = encodeMember(mailboxSeq(1, 0xabc), event)
  t.equal(member.toString('latin1', 0, 24), '0001000000000abc' + '000a0b0c')
  t.same(member.subarray(24), encodeBody(event))
  t.same(decodeMember(member, 'here'), { seq: mailboxSeq(1, 0xabc), event })
  const later = encodeMember(mailboxSeq(1, 0xabc), { ...event, ordinal: 2 ** 32 - 1 })
  t.ok(Buffer.compare(member, later) < 0)
})

t.test('nothing but the head is a body without id and payload', async t => {
  const bare = { ordinal: 0, createdAtMs: 0, messageId: '', payload: Buffer.alloc(0) }
  t.equal(encodeBody(bare).toString('hex'), '00000000000000')
  t.same(decodeBody(encodeBody(bare), 0, 'here'), bare)
})

t.test('cut bodies and foreign members are corruption', async t => {
  const body = encodeBody(event)
  for (let length = 0; length < 10; length++) {
    t.throws(() => decodeBody(body.subarray(0, length), 0, 'there'), { code: 'CORRUPT_ENTRY', message: /^there/ })
  }
  for (const text of ['', 'x', '0001000000000abc000a0b0', 'G001000000000abc000a0b0c0000000'])
    t.throws(() => decodeMember(Buffer.from(text), 'there'), { code: 'CORRUPT_ENTRY' })
})
