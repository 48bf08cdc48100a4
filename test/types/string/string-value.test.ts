import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import { StringValue, stringType, TEXT_BYTES_MAX } from '../../../src/types/string/string-value.js'
import { seeded } from '../../support/seeded.js'

t.test('encodings are those that Redis would name', async t => {
  const rows = new MemoryRows()
  const encodingOf = (text: string) => StringValue.create(rows, text).encoding
  t.equal(encodingOf('0'), 'int')
  t.equal(encodingOf('-9223372036854775808'), 'int')
  for (const text of ['', '-0', '+1', '01', ' 1', '1.0', '9223372036854775808', 'x'.repeat(44)]) {
    t.equal(encodingOf(text), 'embstr', text)
  }
  t.equal(encodingOf('x'.repeat(45)), 'raw')
  t.equal(encodingOf('x'.repeat(TEXT_BYTES_MAX + 1)), 'raw')
  const value = StringValue.create(rows, '12')
  value.append(Buffer.from('3'))
  t.equal(value.encoding, 'raw')
  value.assign('123')
  t.equal(value.encoding, 'int')
})

t.test('integers are read to 64 bits', async t => {
  const rows = new MemoryRows()
  const intOf = (text: string) => StringValue.create(rows, text).int64()
  t.equal(intOf('123456789012345'), 123456789012345)
  t.equal(intOf('-7'), -7)
  t.equal(intOf('9223372036854775807'), 9223372036854775807n)
  for (const text of ['', '-', 'a', '1a', '9223372036854775808', '1'.repeat(2000)])
    t.equal(intOf(text), undefined, text)
})

t.test(
  'agrees with plain Buffers through changes, checkpoints and evictions; what was handed out never changes',
  async t => {
    const random = seeded()
    t.comment(`SEED=${random.seed}`)
    const rows = new MemoryRows()
    let value = StringValue.create(rows, '')
    let model = Buffer.alloc(0)
    const lent: { bytes: Buffer; copy: Buffer }[] = []
    for (let step = 0; step < 3000; step++) {
      const piece = random.bytes(random.pick([0, 1, 5, 300, 900]))
      const offset = random.below(model.length + 20)
      switch (random.below(9)) {
        case 0:
          if (random.chance(0.1)) value.assign((model = Buffer.from(piece)))
          break
        case 1:
        case 2:
          if (model.length > 4000) break
          model = Buffer.concat([model, piece])
          t.equal(value.append(piece), model.length)
          break
        case 3:
          if (piece.length === 0) break
          model = Buffer.concat([model, Buffer.alloc(Math.max(0, offset + piece.length - model.length))])
          piece.copy(model, offset)
          t.equal(value.overwrite(offset, piece), model.length)
          break
        case 4: {
          model = Buffer.concat([model, Buffer.alloc(Math.max(0, offset + 1 - model.length))])
          const bit = random.below(2)
          const mask = 0x80 >>> (step % 8)
          t.equal(value.setBit(offset * 8 + (step % 8), bit), (model[offset] & mask) === 0 ? 0 : 1)
          model[offset] = bit === 1 ? model[offset] | mask : model[offset] & ~mask
          break
        }
        case 5: {
          const bytes = value.lend()
          lent.push({ bytes, copy: Buffer.from(bytes) })
          break
        }
        case 6:
          if (random.chance(0.5)) rows.flush()
          else rows.flushAndEvict()
          break
        case 7: {
          const twin = value.copy()
          const other = random.chance(0.5) ? value : twin
          value = other === value ? twin : value
          other.append(Buffer.from('not ours'))
          if (other.length > 'not ours'.length) other.overwrite(0, Buffer.from('#'))
          other.drop()
          break
        }
        default:
          rows.verifyClean([value])
      }
      if (!value.bytes().equals(model)) t.fail(`step ${step}: the bytes differ`)
      t.equal(value.length, model.length)
    }
    t.ok(lent.length > 50)
    t.ok(
      lent.every(({ bytes, copy }) => bytes.equals(copy)),
      'lent bytes stayed as they were',
    )
    rows.flush()
    const stored = stringType.load(rows, value.object.id) as StringValue
    t.ok(stored.bytes().equals(model))
  },
)

t.test('the cache knows the bytes of clean values, and of no others', async t => {
  const rows = new MemoryRows()
  const value = StringValue.create(rows, 'x'.repeat(5000))
  t.equal(rows.cache.bytesUsed, 0)
  rows.flush()
  t.equal(rows.cache.bytesUsed, value.cachedBytes)
  value.append(Buffer.alloc(100))
  t.equal(rows.cache.bytesUsed, value.cachedBytes)
  rows.cache.advance()
  t.notOk(value.evict(), 'a dirty value stays')
  t.equal(rows.flushAndEvict(), 1)
  t.equal(rows.cache.bytesUsed, 0)
  t.equal(value.length, 5100, 'it is read again')
  t.equal(rows.cache.bytesUsed, value.cachedBytes)
  value.drop()
  t.equal(rows.cache.bytesUsed, 0)
  rows.flush()
  t.equal(rows.rowCount(Table.Heads), 0)
})

t.test('a value without its row is corruption; one can be dropped or replaced without being read', async t => {
  const rows = new MemoryRows()
  t.throws(() => (stringType.load(rows, 99) as StringValue).length, CorruptionError)
  const value = StringValue.create(rows, 'abc')
  rows.flush()
  const again = stringType.load(rows, value.object.id) as StringValue
  again.assign('unread')
  rows.flush()
  t.equal((stringType.load(rows, value.object.id) as StringValue).content(), 'unread')
  stringType.dropUnloaded!(rows, value.object.id)
  rows.flush()
  t.equal(rows.rowCount(Table.Heads), 0)
})

t.test('many values read in one go through a small cache are all there when they are read', t => {
  const rows = new MemoryRows(8192)
  const values = Array.from({ length: 300 }, (_, i) => StringValue.create(rows, `${'v'.repeat(200)}${i}`))
  for (let round = 0; round < 3; round++) {
    rows.flushAndEvict()
    for (const [i, value] of values.entries()) t.equal(value.length, 200 + String(i).length)
  }
  t.end()
})
