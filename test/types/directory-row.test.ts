import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import {
  decodeDirectoryRow,
  encodeDirectoryKey,
  encodeDirectoryValue,
  NAME_BYTES_IN_KEY_MAX,
} from '../../src/types/directory-row.js'

const row = { name: 'job', typeCode: 6, objectId: 258, expireAtMs: 1_700_000_000_000, fieldsExpireAtMs: 0 }

t.test('the bytes are those of docs/format/directory.md', async t => {
  t.equal(encodeDirectoryKey(0, 'job').toString('hex'), '00000000006a6f62')
  t.equal(encodeDirectoryValue(row).toString('hex'), '0106010000000001020000018bcfe56800')
})

t.test('a row survives the way to the store and back', async t => {
  const long = '\x00\xff'.repeat(NAME_BYTES_IN_KEY_MAX)
  for (const name of ['', 'a', '\x00\xff', 'x'.repeat(NAME_BYTES_IN_KEY_MAX), long]) {
    for (const expireAtMs of [0, 1, -5, 1.7e12, Number.MAX_SAFE_INTEGER]) {
      for (const fieldsExpireAtMs of [0, 1.8e12]) {
        const given = { name, typeCode: 5, objectId: 2 ** 47 + 5, expireAtMs, fieldsExpireAtMs }
        const key = encodeDirectoryKey(4_294_967_295, name)
        t.ok(key.length <= 511, 'the store takes the key')
        t.same(decodeDirectoryRow(key, encodeDirectoryValue(given)), given)
      }
    }
  }
})

t.test('only a row with fields that expire has the version that older programs refuse', async t => {
  t.equal(encodeDirectoryValue(row)[0], 1)
  const fields = encodeDirectoryValue({ ...row, typeCode: 5, fieldsExpireAtMs: 1_700_000_000_000 })
  t.equal(fields.toString('hex'), '0205050000000001020000018bcfe568000000018bcfe56800')
  fields[0] = 1
  t.throws(() => decodeDirectoryRow(encodeDirectoryKey(0, 'job'), fields), /version 1 is unknown/)
})

t.test('an expiry beyond 64 bits is kept as the largest', async t => {
  const value = encodeDirectoryValue({ ...row, expireAtMs: 2 ** 63, fieldsExpireAtMs: 0 })
  t.equal(value.readBigInt64BE(9), 0x7fffffffffffffffn)
})

t.test('rows that contradict themselves are refused', async t => {
  const key = encodeDirectoryKey(1, 'job')
  const value = encodeDirectoryValue(row)
  const damaged = (change: (bytes: Buffer) => Buffer) => () => decodeDirectoryRow(key, change(Buffer.from(value)))
  t.throws(
    damaged(bytes => bytes.subarray(0, 8)),
    CorruptionError,
  )
  t.throws(
    damaged(bytes => bytes.subarray(0, 12)),
    CorruptionError,
  )
  t.throws(
    damaged(bytes => Buffer.concat([bytes, Buffer.from('x')])),
    CorruptionError,
  )
  t.throws(
    damaged(bytes => (bytes.writeUInt8(2, 0), bytes)),
    { message: /version 2/ },
  )
  t.throws(
    damaged(bytes => (bytes.writeUInt8(3, 2), bytes)),
    { message: /form and flags/ },
  )
})
