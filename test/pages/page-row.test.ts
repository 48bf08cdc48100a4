import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { bodyBytesFilling, decodePageRow, encodePageRow } from '../../src/pages/page-row.js'

t.test('a row is its header and its body', async t => {
  const row = encodePageRow(2, 3, Buffer.from('body'))
  t.equal(row.toString('hex'), '4d5002010000000300000004' + '626f6479')
  t.equal(decodePageRow(row, 2, 3, 'page 1 of tree 1').toString(), 'body')
})

t.test('a row that is not what is expected is refused by name', async t => {
  const row = encodePageRow(2, 3, Buffer.from('body'))
  const refused = (value: Buffer | undefined, kind = 2, count = 3) =>
    t.throws(() => decodePageRow(value, kind, count, 'page 7 of tree 9'), {
      name: 'CorruptionError',
      message: /^page 7 of tree 9 /,
    })
  refused(undefined)
  refused(row, 1)
  refused(row, 2, 4)
  refused(row.subarray(0, 15))
  refused(Buffer.concat([row, Buffer.of(0)]))
  for (let length = 0; length < 12; length++) refused(row.subarray(0, length))
  for (let bit = 0; bit < 12 * 8; bit++) {
    const damaged = Buffer.from(row)
    damaged[bit >>> 3] ^= 1 << (bit & 7)
    t.throws(() => decodePageRow(damaged, 2, 3, 'a page'), CorruptionError, `bit ${bit}`)
  }
})

t.test('a full page fills whole pages of LMDB, with its own header, the checksum and the header of LMDB', async t => {
  for (const pages of [1, 2, 4]) {
    const row = encodePageRow(1, 1, Buffer.alloc(bodyBytesFilling(pages)))
    t.equal(row.length + 4 + 16, pages * 4096)
  }
})
