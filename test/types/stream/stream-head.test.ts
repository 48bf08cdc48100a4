import t from 'tap'
import { ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { decodeHead, encodeHead, HEAD } from '../../../src/types/stream/stream-head.js'
import type { StreamHead } from '../../../src/types/stream/stream-head.js'

const full: StreamHead = {
  length: 2 ** 40,
  lastId: ID_MAX,
  maxDeletedId: idOf(1_700_000_000_000, 3),
  entriesAdded: 9223372036854775807n,
  groupCount: 12,
  entriesRoot: Buffer.from('root of the entries'),
  closedRoot: Buffer.from('root of the nodes'),
  openNode: { firstId: idOf(1), lastId: idOf(2), live: 3, deleted: 4, bytes: 4096, masterFields: '$1\r\n\xff\r\n' },
  idempotence: Buffer.from('idempotence'),
  dropped: Buffer.from('dropped references'),
}

t.test('a head comes back as it was written, with and without what may be missing', async t => {
  t.same(decodeHead(encodeHead(full), 'the head'), full)
  const empty = {
    ...full,
    length: 0,
    lastId: ID_MIN,
    entriesAdded: 0,
    closedRoot: undefined,
    openNode: undefined,
    idempotence: undefined,
    dropped: undefined,
  }
  t.same(decodeHead(encodeHead(empty), 'the head'), empty)
})

t.test('a head of version 1, which had no idempotence, is read', async t => {
  const bytes = encodeHead({ ...full, idempotence: undefined, dropped: undefined })
  const old = Buffer.from(bytes.subarray(0, bytes.length - 4))
  old[HEAD.VERSION] = 1
  t.same(decodeHead(old, 'the head'), { ...full, idempotence: undefined, dropped: undefined })
})

t.test('a head without dropped references is one of version 2, as servers before wrote it', async t => {
  const bytes = encodeHead({ ...full, dropped: undefined })
  t.equal(bytes[HEAD.VERSION], 2)
  t.equal(bytes.subarray(-15).toString('latin1'), '\0\0\0\x0bidempotence')
  t.same(decodeHead(bytes, 'the head'), { ...full, dropped: undefined })
  t.equal(encodeHead(full)[HEAD.VERSION], 3)
})

t.test('a head cut short, of another version, or with an impossible node is refused by name', async t => {
  const bytes = encodeHead(full)
  const refused = { name: 'CorruptionError', message: /the head/ }
  for (let length = 0; length < bytes.length; length += 7) {
    t.throws(() => decodeHead(bytes.subarray(0, length), 'the head'), refused, `${length} bytes`)
  }
  const other = Buffer.from(bytes)
  other[HEAD.VERSION] = 4
  t.throws(() => decodeHead(other, 'the head'), refused)
  const backwards = { ...full.openNode!, firstId: idOf(3) }
  t.throws(() => decodeHead(encodeHead({ ...full, openNode: backwards }), 'the head'), refused)
})
