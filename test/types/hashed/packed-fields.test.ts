import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { FORM } from '../../../src/types/hashed/fields.js'
import { PackedFields } from '../../../src/types/hashed/packed-fields.js'

t.test('fields keep the order they came in; a new value leaves a field in its place', async t => {
  const fields = new PackedFields(FORM.listpack)
  for (const name of ['b', 'a', 'c']) t.ok(fields.set(name, name))
  t.notOk(fields.set('a', Buffer.from([0, 255])))
  const pairs: string[] = []
  fields.some((field, value) => pairs.push(`${field}=${value as string}`) > 9)
  t.same(pairs, ['b=b', 'a=\0\xff', 'c=c'])
  t.equal(fields.at(1), 'a')
  t.ok(fields.delete('b'))
  t.notOk(fields.delete('b'))
  t.equal(fields.at(0), 'a')
  t.throws(() => fields.at(2), RangeError)
})

t.test('bytes on the disk', async t => {
  const fields = new PackedFields(FORM.packed)
  fields.set('f', 'two')
  fields.set('', '')
  t.same(fields.encode(), Buffer.from('\x02\x01f\x03two\x00\x00', 'latin1'))
  const again = PackedFields.decode(FORM.packed, fields.encode(), 'a test')
  t.equal(again.get('f'), 'two')
  t.equal(again.memoryBytes, fields.memoryBytes)
})

t.test('room ends before the row outgrows a page of LMDB', async t => {
  const fields = new PackedFields(FORM.packed)
  for (let i = 0; fields.hasRoom(14); i++) fields.set(`f${String(i).padStart(6, '0')}`, 'seven77')
  t.ok(fields.count > 200)
  t.ok(fields.encode().length < 4000)
  t.notOk(new PackedFields(FORM.packed).hasRoom(4000))
})

t.test('damaged bytes are refused by name', async t => {
  for (const bytes of ['', '\x01', '\x01\x02f', '\x02\x01f\x00\x01f\x00', '\x00\x00', '\x01\x01f\x05v']) {
    t.throws(() => PackedFields.decode(FORM.packed, Buffer.from(bytes, 'latin1'), 'the head'), CorruptionError)
  }
})
