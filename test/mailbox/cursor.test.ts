// Tokens: bytes, forgeries, rotation of keys.

import { createHmac } from 'node:crypto'
import t from 'tap'
import { CursorSigner } from '../../src/mailbox/cursor.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

const KEY = Buffer.from('0123456789abcdef0123456789abcdef')
const signer = new CursorSigner([KEY])
const cursor = { shard: 0x01020304, shardEpoch: 0x0506, lastApplied: mailboxSeq(0x0506, 0x0708090a0b0c) }
const TOKEN = 'AQECAwQFBgUGBwgJCgsMc6Lwe51jgrjywjSP4bllMQAURMNeenh3V7duwWmWIJ8'

t.test('the bytes of a token', async t => {
  const bytes = Buffer.from(signer.sign('alice', cursor), 'base64url')
  t.equal(bytes.length, 47)
  t.equal(bytes.toString('hex', 0, 15), '0101020304' + '0506' + '05060708090a0b0c')
  const mac = createHmac('sha256', KEY)
    .update('millrace mailbox cursor\0')
    .update(Buffer.from('00000005616c696365', 'hex'))
    .update(bytes.subarray(0, 15))
    .digest('hex')
  t.equal(bytes.toString('hex', 15), mac)
})

t.test('a token is frozen text', async t => {
  t.equal(signer.sign('alice', cursor), TOKEN)
  t.same(signer.verify('alice', TOKEN), cursor)
})

t.test('any changed bit is a forgery', async t => {
  const token = signer.sign('alice', cursor)
  const bytes = Buffer.from(token, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const forged = Buffer.from(bytes)
    forged[bit >> 3] ^= 1 << (bit & 7)
    t.throws(() => signer.verify('alice', forged.toString('base64url')), { code: 'BAD_TOKEN' })
  }
})

t.test('cut, lengthened and respelled tokens are refused', async t => {
  const token = signer.sign('alice', cursor)
  for (let length = 0; length < token.length; length++) {
    t.throws(() => signer.verify('alice', token.slice(0, length)), { code: 'BAD_TOKEN' })
  }
  const last = token.at(-1)!
  const sibling = String.fromCharCode(last.charCodeAt(0) + 1)
  for (const odd of [`${token}A`, `${token}=`, ` ${token}`, `${token}\n`, `${token.slice(0, -1)}${sibling}`, '=='])
    t.throws(() => signer.verify('alice', odd), { code: 'BAD_TOKEN' }, JSON.stringify(odd))
})

t.test('the token of another user or service is foreign', async t => {
  const token = signer.sign('alice', cursor)
  t.throws(() => signer.verify('bob', token), { code: 'BAD_TOKEN' })
  t.throws(() => signer.verify('', token), { code: 'BAD_TOKEN' })
  const other = new CursorSigner([Buffer.alloc(32, 7)])
  t.throws(() => other.verify('alice', token), { code: 'BAD_TOKEN' })
})

t.test('another version is refused even when it is signed', async t => {
  const bytes = Buffer.from(signer.sign('alice', cursor), 'base64url')
  bytes[0] = 2
  createHmac('sha256', KEY)
    .update('millrace mailbox cursor\0')
    .update(Buffer.from('00000005616c696365', 'hex'))
    .update(bytes.subarray(0, 15))
    .digest()
    .copy(bytes, 15)
  t.throws(() => signer.verify('alice', bytes.toString('base64url')), { code: 'BAD_TOKEN', message: /version 2/ })
})

t.test('keys rotate: the first signs, all verify', async t => {
  const next = Buffer.alloc(16, 9)
  const rotated = new CursorSigner([next, KEY])
  t.same(rotated.verify('alice', signer.sign('alice', cursor)), cursor)
  t.throws(() => signer.verify('alice', rotated.sign('alice', cursor)), { code: 'BAD_TOKEN' })
})

t.test('short keys and none are refused', async t => {
  t.throws(() => new CursorSigner([]), { code: 'MALFORMED' })
  t.throws(() => new CursorSigner([KEY, Buffer.alloc(15)]), { code: 'MALFORMED' })
})
