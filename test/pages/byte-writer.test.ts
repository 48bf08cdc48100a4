import t from 'tap'
import { ByteWriter } from '../../src/pages/byte-writer.js'

t.test('numbers are written seven bits a byte, low bits first', async t => {
  const hex = (value: number) => {
    const writer = new ByteWriter(1)
    writer.varint(value)
    return writer.done().toString('hex')
  }
  t.equal(hex(0), '00')
  t.equal(hex(127), '7f')
  t.equal(hex(128), '8001')
  t.equal(hex(300), 'ac02')
  t.equal(hex(Number.MAX_SAFE_INTEGER), 'ffffffffffffff0f')
})

t.test('a writer grows beyond what it expected', async t => {
  const writer = new ByteWriter(1)
  writer.u8(1)
  writer.u48(2 ** 48 - 2)
  writer.sized(Buffer.alloc(1_000, 7))
  const bytes = writer.done()
  t.equal(bytes.toString('hex', 0, 9), '01fffffffffffee807')
  t.equal(bytes.length, 1_009)
})
