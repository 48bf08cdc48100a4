import t from 'tap'
import { ReplyError } from '../../../src/base/errors.js'
import { idOf } from '../../../src/base/stream-id.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'

function hex(write: (writer: RdbWriter) => void): string {
  const writer = new RdbWriter(1_000_000)
  write(writer)
  return writer.done().toString('hex')
}

t.test('lengths take as many bytes as they need', async t => {
  const of = (length: number | bigint) => hex(writer => writer.length(length))
  t.same([0, 63, 64, 16383, 16384, 0xffffffff].map(of), ['00', '3f', '4040', '7fff', '8000004000', '80ffffffff'])
  t.same([2 ** 32, 2n ** 64n - 1n].map(of), ['810000000100000000', '81ffffffffffffffff'])
})

t.test('short integers are not stored as text', async t => {
  const of = (text: string) => hex(writer => writer.text(text))
  t.same(['0', '-128', '128', '-32769'].map(of), ['c000', 'c080', 'c18000', 'c2ff7fffff'])
  t.same(['2147483648', '01', '-0', ''].map(of), ['0a32313437343833363438', '023031', '022d30', '00'])
})

t.test('numbers and IDs', async t => {
  t.equal(
    hex(writer => {
      writer.u8(255)
      writer.u16(0x0102)
      writer.int64(-2)
    }),
    'ff0201feffffffffffffff',
  )
  t.equal(
    hex(writer => writer.rawId(idOf(258, 3))),
    '00000000000001020000000000000003',
  )
  t.equal(
    hex(writer => writer.id(idOf(2 ** 40, 3))),
    '81000001000000000003',
  )
})

t.test('it grows, and what does not fit is refused', async t => {
  const writer = new RdbWriter(5000)
  for (let i = 0; i < 2500; i++) writer.u16(i)
  t.throws(() => writer.u8(0), ReplyError)
  t.equal(writer.done().readUInt16LE(4998), 2499)
})
