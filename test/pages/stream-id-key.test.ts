import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { ID_MAX, ID_MIN, idOf } from '../../src/base/stream-id.js'
import { streamIdKey } from '../../src/pages/stream-id-key.js'

t.test('the order of the bytes is that of the IDs', async t => {
  const ids = [ID_MIN, idOf(0, 1), idOf(1), idOf(1, 2 ** 32), idOf(2 ** 32), idOf(2 ** 48, 5), ID_MAX]
  const keys = ids.map(id => streamIdKey.encodeKey(id))
  for (let i = 1; i < ids.length; i++) {
    t.ok(Buffer.compare(keys[i - 1], keys[i]) < 0)
    t.ok(streamIdKey.compare(ids[i - 1], ids[i]) < 0)
  }
  t.same(
    keys.map(key => streamIdKey.decodeKey(key)),
    ids,
  )
})

t.test('a key of another length is no ID', async t => {
  for (const length of [0, 15, 17]) t.throws(() => streamIdKey.decodeKey(Buffer.alloc(length)), CorruptionError)
})

t.test('a page is separated by its first ID', async t => {
  t.equal(streamIdKey.separator(undefined, ID_MAX), ID_MAX)
  const id = idOf(7)
  t.equal(streamIdKey.separator(idOf(6), id), id)
})
