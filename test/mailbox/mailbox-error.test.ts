// Errors: one class per kind, from the scripts' words.

import t from 'tap'
import * as errors from '../../src/mailbox/mailbox-error.js'
import { CorruptWatermark, errorFromReply, MailboxError } from '../../src/mailbox/mailbox-error.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

t.test('every error has a code of its own and says what to do next', async t => {
  const codes = new Set<string>()
  for (const [name, kind] of Object.entries(errors)) {
    if (name === 'MailboxError' || name === 'errorFromReply') continue
    const error = Reflect.construct(kind as typeof CorruptWatermark, [mailboxSeq(1, 1), mailboxSeq(1, 1)])
    t.ok(error instanceof MailboxError && error instanceof Error, name)
    t.equal(error.name, name)
    t.match(error.code, /^[A-Z_]+$/)
    t.ok(error.next.length > 10, `${name} has a next step`)
    codes.add(error.code)
  }
  t.equal(codes.size, Object.keys(errors).length - 2)
})

t.test('a reply of a script becomes its class, with the place in front', async t => {
  const reply = new Error('MBXFENCED epoch 3 is over, the shard is in 4')
  t.match(errorFromReply(reply, 'shard 7'), {
    code: 'FENCED',
    message: 'shard 7: epoch 3 is over, the shard is in 4',
  })
})

t.test('what Redis adds to a message is cut off', async t => {
  const reply = new Error('MBXSPAN too wide script: 0123, on @user_script:4.')
  t.match(errorFromReply(reply, 'x'), { code: 'DAY_SPAN', message: 'x: too wide' })
})

t.test('a key of another type is damage of what was asked for', async t => {
  const reply = new Error('WRONGTYPE Operation against a key holding the wrong kind of value script: 0123')
  t.match(errorFromReply(reply, 'x'), { code: 'CORRUPT_ENTRY' })
  t.match(errorFromReply(reply, 'x', CorruptWatermark), { code: 'CORRUPT_WATERMARK' })
})

t.test('anything else stays what it is', async t => {
  for (const other of [new Error('MBXNEVER heard of'), new Error('OOM no'), 'text', undefined]) {
    t.equal(errorFromReply(other, 'x'), other)
  }
})
