import t from 'tap'
import { VALUE_CRC_BYTES } from '../../src/store/environment.js'
import { PACK_BYTES, PackBuilder, readPack } from '../../src/store/row-pack.js'
import { Table, TwoPieces } from '../../src/store/row.js'

function rowsOf(builder: PackBuilder): [Table, string, string | undefined][] {
  const rows: [Table, string, string | undefined][] = []
  readPack(builder.take(), (table, key, value) => {
    rows.push([table, key.toString(), value?.toString('latin1', 0, value.length - VALUE_CRC_BYTES)])
  })
  return rows
}

t.test('rows come out of a pack as they went in, with room for the checksum', async t => {
  const builder = new PackBuilder()
  builder.add(Table.Pages, Buffer.from('page'), Buffer.from('bytes'))
  builder.add(Table.Directory, Buffer.from('gone'), undefined)
  builder.add(Table.Heads, Buffer.from('empty'), Buffer.alloc(0))
  t.same(rowsOf(builder), [
    [Table.Pages, 'page', 'bytes'],
    [Table.Directory, 'gone', undefined],
    [Table.Heads, 'empty', ''],
  ])
  t.equal(builder.used, 0, 'the builder is empty then')
  t.same(rowsOf(builder), [])
  builder.add(Table.Meta, Buffer.from('next'), Buffer.from('x'))
  t.same(rowsOf(builder), [[Table.Meta, 'next', 'x']])
})

t.test('a value in two pieces is one value', async t => {
  const builder = new PackBuilder()
  const value = new TwoPieces(Buffer.from('head '), Buffer.from('.body').subarray(1))
  t.equal(value.length, 9)
  builder.add(Table.Pages, Buffer.from('page'), value)
  builder.add(Table.Pages, Buffer.from('next'), Buffer.from('whole'))
  t.same(rowsOf(builder), [
    [Table.Pages, 'page', 'head body'],
    [Table.Pages, 'next', 'whole'],
  ])
})

t.test('a pack holds its bytes and no more; its first row may be of any size', async t => {
  const builder = new PackBuilder()
  const key = Buffer.from('k')
  const half = Buffer.alloc(PACK_BYTES / 2, 'a')
  t.notOk(builder.isFullFor(key.length, 2 * PACK_BYTES), 'an empty pack takes everything')
  builder.add(Table.Pages, key, half)
  t.ok(builder.isFullFor(key.length, half.length))
  const rest = PACK_BYTES - builder.used - 8 - key.length - VALUE_CRC_BYTES
  t.notOk(builder.isFullFor(key.length, rest))
  t.ok(builder.isFullFor(key.length, rest + 1))
  builder.add(Table.Pages, key, half.subarray(0, rest))
  const pack = builder.take()
  t.equal(pack.used, PACK_BYTES)
  t.equal(pack.bytes.byteLength, PACK_BYTES)
  const large = Buffer.alloc(3 * PACK_BYTES, 'b')
  builder.add(Table.Pages, key, large)
  t.equal(rowsOf(builder)[0][2], large.toString())
})

t.test('a pack is shared between threads; one of more bytes than usual is handed over whole', async t => {
  const builder = new PackBuilder()
  builder.add(Table.Meta, Buffer.from('k'), Buffer.from('v'))
  t.type(builder.take().bytes, SharedArrayBuffer)
  builder.add(Table.Meta, Buffer.from('k'), Buffer.alloc(PACK_BYTES))
  const { bytes } = builder.take()
  if (!(bytes instanceof ArrayBuffer)) return t.fail('its memory is an ArrayBuffer')
  structuredClone(bytes, { transfer: [bytes] })
  t.equal(bytes.byteLength, 0)
})

t.test('memory that was given back is used again, but not for a first row that is larger', async t => {
  const spares = [new SharedArrayBuffer(PACK_BYTES), new SharedArrayBuffer(PACK_BYTES)]
  const [first, second] = spares
  const builder = new PackBuilder(() => spares.pop())
  builder.add(Table.Meta, Buffer.from('k'), Buffer.from('v'))
  t.equal(builder.take().bytes, second)
  builder.add(Table.Pages, Buffer.from('k'), Buffer.alloc(PACK_BYTES, 'b'))
  t.ok(builder.take().bytes.byteLength > PACK_BYTES)
  builder.add(Table.Meta, Buffer.from('k'), Buffer.from('w'))
  const { bytes, used } = builder.take()
  t.equal(bytes, first)
  t.same(Buffer.from(bytes, 8, used - 8).toString('latin1', 0, 2), 'kw')
  builder.add(Table.Meta, Buffer.from('k'), Buffer.from('v'))
  t.equal(builder.take().bytes.byteLength, PACK_BYTES, 'none is left: new memory')
})
