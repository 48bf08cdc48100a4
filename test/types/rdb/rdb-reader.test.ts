import t from 'tap'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { RdbReader } from '../../../src/types/rdb/rdb-reader.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'

const LIMITS = { stringBytesMax: 1000, unpackedBytesMax: 2000 }
const reader = (hex: string) => new RdbReader(Buffer.from(hex, 'hex'), LIMITS)

t.test('what was written is read', async t => {
  const lengths = [0, 63, 64, 16383, 16384, 0xffffffff, 2n ** 53n, 2n ** 64n - 1n]
  const texts = [
    '',
    '0',
    '-128',
    '127',
    '-129',
    '65535',
    '-2147483648',
    '2147483647',
    '2147483648',
    'abc',
    'x'.repeat(999),
  ]
  const writer = new RdbWriter(10_000)
  for (const length of lengths) writer.length(length)
  for (const text of texts) writer.text(text)
  writer.int64(-5)
  const read = new RdbReader(writer.done(), LIMITS)
  t.same(
    lengths.map(() => read.wide()),
    lengths,
  )
  t.same(
    texts.map(() => read.text()),
    texts,
  )
  t.equal(read.int64(), -5)
  t.equal(read.remaining, 0)
})

t.test('compressed strings are unpacked, within the limits', async t => {
  t.equal(reader('c3' + '05' + '4065' + '0078e05b00').text(), 'x'.repeat(101))
  t.throws(() => reader('c3' + '05' + '4066' + '0078e05b00').text(), PayloadError, 'another length')
  t.throws(() => reader('c3' + '06' + '4065' + '0078e05b00').text(), PayloadError, 'cut off')
  t.throws(() => reader('c3' + '05' + '43e9' + '0078e05b00').text(), { message: 'string too long' })
  const many = reader(('c3' + '05' + '4065' + '0078e05b00').repeat(30))
  t.throws(
    () => {
      for (let i = 0; i < 30; i++) many.string()
    },
    { message: 'unpacks to too much' },
  )
})

t.test('lengths beyond what is there are refused before anything is made of them', async t => {
  t.throws(() => reader('81fffffffffffffff7').string(), PayloadError)
  t.throws(() => reader('80000003e8').string(), PayloadError)
  t.throws(() => reader('80000003e9').string(), { message: 'string too long' })
  t.throws(() => reader('05' + '0000').count(1), PayloadError)
  t.equal(reader('02' + '0000').count(1), 2)
  t.throws(() => reader('c0').length(), PayloadError, 'an integer is no length')
  t.throws(() => reader('82').length(), PayloadError)
  t.throws(() => reader('c4').string(), PayloadError)
  for (const hex of ['', '40', '80000000', '8100000000', 'c0', 'c100', 'c2000000', '0161'.slice(0, 2)]) {
    t.throws(() => reader(hex).string(), PayloadError, hex)
  }
})
