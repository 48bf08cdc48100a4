import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { ByteReader } from '../../src/pages/byte-reader.js'
import { ByteWriter } from '../../src/pages/byte-writer.js'

t.test('what was written is read back', async t => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER]
  const writer = new ByteWriter(10)
  writer.u8(255)
  writer.u48(2 ** 48 - 1)
  for (const number of numbers) writer.varint(number)
  writer.sized(Buffer.from('key'))
  const reader = new ByteReader(writer.done(), 'a test')
  t.equal(reader.u8(), 255)
  t.equal(reader.u48(), 2 ** 48 - 1)
  for (const number of numbers) t.equal(reader.varint(), number)
  t.equal(reader.sized().toString(), 'key')
  reader.end()
})

t.test('damaged bytes are refused by name', async t => {
  const refused = (hex: string, read: (reader: ByteReader) => void, message: string) =>
    t.throws(() => read(new ByteReader(Buffer.from(hex, 'hex'), 'a test')), new CorruptionError(message))
  refused('', r => r.u8(), 'a test is cut off')
  refused('0000', r => r.u48(), 'a test is cut off')
  refused('80', r => r.varint(), 'a test is cut off')
  refused('8000', r => r.varint(), 'a test has a number with empty digits')
  refused('ffffffffffffff10', r => r.varint(), 'a test has a number above 2^53')
  refused('ffffffffffffffff01', r => r.varint(), 'a test has a number above 2^53')
  refused('0461', r => r.sized(), 'a test is cut off')
  refused('00', r => r.end(), 'a test has bytes behind its end')
})
