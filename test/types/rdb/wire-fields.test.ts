import t from 'tap'
import { ListpackReader, ListpackWriter } from '../../../src/types/rdb/listpack.js'
import { WireCursor, WireFields } from '../../../src/types/rdb/wire-fields.js'

t.test('elements become bulk strings, which are walked over again', async t => {
  const texts = ['a', '', '-12', '9223372036854775807', 'long '.repeat(900)]
  const writer = new ListpackWriter()
  for (const text of texts) writer.bytes(Buffer.from(text), 0, text.length)
  const reader = new ListpackReader(writer.done())
  const wire = new WireFields()
  wire.copy(Buffer.from('..$1\r\nx\r\n..'), 2, 9)
  for (let i = 0; i < texts.length; i++) {
    reader.next()
    wire.element(reader)
  }
  const all = ['x', ...texts]
  const expected = all.map(text => `$${text.length}\r\n${text}\r\n`).join('')
  t.equal(wire.bytes.latin1Slice(0, wire.length), expected)
  const cursor = new WireCursor(Buffer.from('*12\r\n' + expected), 0)
  t.equal(cursor.header(), 12)
  for (const text of all) {
    cursor.bulk()
    t.equal(cursor.bytes.latin1Slice(cursor.from, cursor.to), text)
  }
  wire.clear()
  t.equal(wire.length, 0)
})
