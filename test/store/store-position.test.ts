import t from 'tap'
import { CorruptionError, UsageError } from '../../src/base/errors.js'
import { decodePosition, EMPTY_POSITION, encodePosition, STORE_VERSION } from '../../src/store/store-position.js'

t.test('a position comes back as it was written, its numbers up to 48 bits', async t => {
  const position = { sequence: 2 ** 48 - 1, nextId: 2 ** 33 + 5, checkpoints: 70_000 }
  t.same(decodePosition(encodePosition(position)), position)
  t.same(decodePosition(encodePosition(EMPTY_POSITION)), { sequence: 1, nextId: 1, checkpoints: 0 })
})

t.test('another version is refused by its number, a row cut short as damage', async t => {
  const bytes = encodePosition(EMPTY_POSITION)
  t.throws(() => decodePosition(bytes.subarray(0, bytes.length - 1)), CorruptionError)
  bytes.writeUInt32BE(STORE_VERSION + 1)
  t.throws(() => decodePosition(bytes), new UsageError('The store has format version 2; this program reads version 1.'))
  t.throws(() => decodePosition(Buffer.alloc(0)), UsageError)
})
