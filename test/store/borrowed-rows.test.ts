import t from 'tap'
import type { Test } from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { Environment, sealValue, VALUE_CRC_BYTES } from '../../src/store/environment.js'
import { Table } from '../../src/store/row.js'
import type { BorrowedRow } from '../../src/store/rows.js'
import { temporaryFolder } from './journal-fixture.js'

const ROWS = 500
/** Empty ones, short ones, and some that lie on pages of their own. */
const bytesOf = (i: number) => (i % 100 === 7 ? 9000 + i : i % 40)
const keyOf = (i: number) => Buffer.from(`a${String(i).padStart(3, '0')}`)
const valueOf = (i: number) => Buffer.alloc(bytesOf(i), `${i} `)

function sealed(content: Buffer): Buffer {
  const value = Buffer.concat([content, Buffer.alloc(VALUE_CRC_BYTES)])
  sealValue(value)
  return value
}

function filled(t: Test): Environment {
  const environment = new Environment(temporaryFolder(t))
  const heads = environment.tables[Table.Heads]
  for (let i = 0; i < ROWS; i++) heads.putSync(keyOf(i), sealed(valueOf(i)))
  for (const other of ['Z', 'b']) heads.putSync(Buffer.from(other), sealed(Buffer.from('other')))
  return environment
}

const copyOf = ({ key, keyFrom, keyTo, value, valueTo }: BorrowedRow) => ({
  key: Buffer.from(key.subarray(keyFrom, keyTo)),
  value: Buffer.from(value.subarray(0, valueTo)),
})

t.test('the rows under a prefix come in order, each right while it is the last one', async t => {
  const environment = filled(t)
  const seen = Array.from(environment.scanBorrowed(Table.Heads, Buffer.from('a')), copyOf)
  t.same(
    seen,
    Array.from({ length: ROWS }, (_, i) => ({ key: keyOf(i), value: valueOf(i) })),
  )
  t.equal(Array.from(environment.scanBorrowed(Table.Heads, Buffer.alloc(0))).length, ROWS + 2)
  t.same(Array.from(environment.scanBorrowed(Table.Parts, Buffer.alloc(0))), [], 'an empty table')
  await environment.close()
})

t.test('the table is read and written through its other door as before', async t => {
  const environment = filled(t)
  Array.from(environment.scanBorrowed(Table.Heads, Buffer.from('a')))
  t.same(environment.read(Table.Heads, keyOf(7)), valueOf(7))
  environment.tables[Table.Heads].putSync(keyOf(7), sealed(Buffer.from('new')))
  environment.refresh()
  t.same(environment.read(Table.Heads, keyOf(7))?.toString(), 'new')
  const [, again] = Array.from(environment.scanBorrowed(Table.Heads, keyOf(7)), copyOf)
  t.equal(again, undefined)
  t.same(Array.from(environment.scanBorrowed(Table.Heads, keyOf(7)), copyOf)[0].value.toString(), 'new')
  t.equal(Array.from(environment.scan(Table.Heads, Buffer.from('a'))).length, ROWS)
  await environment.close()
})

t.test('a row whose checksum does not hold, or that has none, is named', async t => {
  const environment = filled(t)
  const heads = environment.tables[Table.Heads]
  const look = () => Array.from(environment.scanBorrowed(Table.Heads, Buffer.from('a')))
  const damaged = sealed(valueOf(9))
  damaged[3] ^= 1
  heads.putSync(keyOf(9), damaged)
  environment.refresh()
  t.throws(look, new RegExp(`The checksum of row ${keyOf(9).toString('hex')} of table heads does not hold`))
  t.throws(look, CorruptionError)
  for (const short of ['', 'abc']) {
    heads.putSync(keyOf(9), Buffer.from(short))
    environment.refresh()
    t.throws(look, CorruptionError)
  }
  heads.putSync(keyOf(9), sealed(valueOf(9)))
  environment.refresh()
  t.equal(look().length, ROWS)
  await environment.close()
})
