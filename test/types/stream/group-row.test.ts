import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { idOf } from '../../../src/base/stream-id.js'
import { decodeGroupRow, encodeGroupRow, GROUP, GROUP_VERSION } from '../../../src/types/stream/group-row.js'
import type { GroupRow } from '../../../src/types/stream/group-row.js'

const ROW: GroupRow = {
  consumers: 3,
  lastDeliveredId: idOf(5, 6),
  entriesRead: 7,
  nextConsumer: 9,
  pending: 11,
  position: 8,
  released: 2,
  nextRelease: 14,
  pelRoot: Buffer.from('root'),
  name: 'a\x00\xff\r\n',
}

t.test('a row is read as it was written', async t => {
  for (const change of [
    {},
    { entriesRead: undefined },
    { position: undefined },
    { pelRoot: undefined },
    { name: '' },
  ]) {
    const row = { ...ROW, ...change }
    t.same(decodeGroupRow(encodeGroupRow(row), 'row'), row)
  }
})

t.test('a row of version 1 has the position of what it read, and nothing released', async t => {
  const now = encodeGroupRow(ROW)
  t.equal(now[GROUP.VERSION], GROUP_VERSION)
  const old = Buffer.concat([now.subarray(0, GROUP.POSITION), now.subarray(GROUP.SECTIONS)])
  old[GROUP.VERSION] = 1
  t.same(decodeGroupRow(old, 'row'), { ...ROW, position: 7, released: 0, nextRelease: 1 })
})

t.test('a row that is cut short, too long or of another version is refused by name', async t => {
  const bytes = encodeGroupRow(ROW)
  const bad = [bytes.subarray(0, 20), bytes.subarray(0, bytes.length - 1), Buffer.concat([bytes, Buffer.of(0)])]
  for (const one of bad) t.throws(() => decodeGroupRow(one, 'group row 07'), CorruptionError)
  bytes[GROUP.VERSION] = 77
  t.throws(() => decodeGroupRow(bytes, 'group row 07'), /group row 07/)
})
