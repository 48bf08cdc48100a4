// The sizes as a whole are held against DUMP of a real redis-server in macro-nodes.test.ts.

import t from 'tap'
import { idOf, parseId } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import {
  elementBytes,
  EntryMeasure,
  fieldNames,
  fieldNamesOfEntry,
  integerElementBytes,
  measureEntry,
  msDifferenceBytes,
  seqDifferenceBytes,
} from '../../../src/types/stream/listpack-size.js'
import { entryWire, wireOf } from './stream-fixture.js'

const ofText = (text: string) => {
  const bytes = Buffer.from(`x${text}y`, 'latin1')
  return elementBytes(bytes, 1, bytes.length - 1)
}

t.test('integers take 1, 2, 3, 4, 5 or 9 bytes and one for the way back', async t => {
  const sizes: [number, number][] = [
    [0, 2],
    [127, 2],
    [128, 3],
    [-1, 3],
    [4095, 3],
    [-4096, 3],
    [4096, 4],
    [-32768, 4],
    [32768, 5],
    [-8388608, 5],
    [8388608, 6],
    [-2147483648, 6],
    [2147483648, 10],
    [Number.MAX_SAFE_INTEGER, 10],
  ]
  for (const [value, bytes] of sizes) {
    t.equal(integerElementBytes(value), bytes, String(value))
    t.equal(ofText(String(value)), bytes, `'${value}'`)
  }
  t.equal(ofText('9223372036854775807'), 10)
  t.equal(ofText('-9223372036854775808'), 10)
})

t.test('what is no canonical integer is a string', async t => {
  for (const text of ['', '-', '-0', '00', '01', '+1', '1 ', '1.0', '1x']) t.equal(ofText(text), text.length + 2, text)
  t.equal(ofText('9223372036854775808'), 19 + 2)
  t.equal(ofText('-9223372036854775809'), 20 + 2)
  t.equal(ofText('x'.repeat(63)), 63 + 1 + 1)
  t.equal(ofText('x'.repeat(64)), 64 + 2 + 1)
  t.equal(ofText('x'.repeat(125)), 125 + 2 + 1)
  t.equal(ofText('x'.repeat(126)), 126 + 2 + 2)
  t.equal(ofText('x'.repeat(4095)), 4095 + 2 + 2)
  t.equal(ofText('x'.repeat(4096)), 4096 + 5 + 2)
  t.equal(ofText('x'.repeat(16377)), 16377 + 5 + 2)
  t.equal(ofText('x'.repeat(16378)), 16378 + 5 + 3)
})

t.test('differences of ID halves wrap at 64 bits', async t => {
  const id = (text: string) => parseId(Buffer.from(text), 0, text.length) as StreamId
  t.equal(msDifferenceBytes(id('130-0'), id('2-9')), 3)
  t.equal(seqDifferenceBytes(id('9-0'), id('2-1')), 3, 'minus one')
  t.equal(seqDifferenceBytes(id('9-0'), id('2-18446744073709551615')), 2, 'one')
  t.equal(seqDifferenceBytes(id('9-18446744073709551615'), id('2-0')), 3, 'minus one')
  t.equal(msDifferenceBytes(id('4294967296'), id('0')), 10)
  t.equal(msDifferenceBytes(id('4294967296'), id('4294967295')), 2)
  t.equal(seqDifferenceBytes(idOf(1, 2 ** 40), idOf(1, 2 ** 40 - 5000)), 4)
})

t.test('an entry is measured in one pass and compared with the master entry', async t => {
  const fields = ['temperature', '21', 'x'.repeat(64), 'warm']
  const wire = Buffer.concat([Buffer.from('abc'), wireOf(fields)])
  const names = fieldNames(2, wire, 3)
  t.equal(names, `$11\r\ntemperature\r\n$64\r\n${'x'.repeat(64)}\r\n`)
  const entry = Buffer.from(entryWire(idOf(1700000000000, 12), fields), 'latin1')
  t.equal(fieldNamesOfEntry(Buffer.concat([Buffer.from('before'), entry]), 6), names)
  const measure = new EntryMeasure()
  measureEntry(measure, 2, wire, 3, names)
  t.match(measure, { rawBytes: 11 + 2 + 64 + 4, fieldBytes: 13 + 67, valueBytes: 2 + 6, sameFields: true })
  for (const other of ['', names.slice(0, 20), `${names}$1\r\na\r\n`, names.replace('temp', 'Temp')]) {
    measureEntry(measure, 2, wire, 3, other)
    t.equal(measure.sameFields, false, JSON.stringify(other))
  }
})
