import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { Environment, firstAfter, sealValue, VALUE_CRC_BYTES } from '../../src/store/environment.js'
import { Table } from '../../src/store/row.js'
import { temporaryFolder } from './journal-fixture.js'

function sealed(text: string): Buffer {
  const value = Buffer.concat([Buffer.from(text), Buffer.alloc(VALUE_CRC_BYTES)])
  sealValue(value)
  return value
}

t.test('a sealed value is read without its checksum; its table alone has it', async t => {
  const environment = new Environment(temporaryFolder(t))
  const key = Buffer.from([0, 1, 255])
  environment.tables[Table.Heads].putSync(key, sealed('value'))
  t.same(environment.read(Table.Heads, key), Buffer.from('value'))
  t.equal(environment.read(Table.Parts, key), undefined)
  t.equal(environment.countOf(Table.Heads), 1)
  t.equal(environment.countOf(Table.Parts), 0)
  await environment.close()
})

t.test('a value with one bit turned, or cut short, is refused and its row named', async t => {
  const environment = new Environment(temporaryFolder(t))
  const key = Buffer.from('abc')
  const value = sealed('value')
  const named = { name: 'CorruptionError', message: /row 616263 of table pages/ }
  for (let at = 0; at < value.length; at++) {
    const flipped = Buffer.from(value)
    flipped[at] ^= 16
    environment.tables[Table.Pages].putSync(key, flipped)
    t.throws(() => environment.read(Table.Pages, key), named, `byte ${at}`)
  }
  environment.tables[Table.Pages].putSync(key, value.subarray(0, 3))
  t.throws(() => environment.read(Table.Pages, key), CorruptionError)
  t.throws(() => Array.from(environment.scan(Table.Pages, Buffer.from('a'))), named)
  await environment.close()
})

t.test('a scan gives the keys with a prefix, in the order of their bytes, and stops where they end', async t => {
  const environment = new Environment(temporaryFolder(t))
  const names = ['\xff\xff', 'b', 'ab', 'a\xff\xff', 'a\xff', 'aa', 'a', '\xff', '\xff\x00']
  for (const name of names) {
    environment.tables[Table.Parts].putSync(Buffer.from(name, 'latin1'), sealed(`of ${name}`))
  }
  const under = (prefix: string) =>
    Array.from(environment.scan(Table.Parts, Buffer.from(prefix, 'latin1')), ({ key }) => key.toString('latin1'))
  t.same(under('a'), ['a', 'aa', 'ab', 'a\xff', 'a\xff\xff'])
  t.same(under('a\xff'), ['a\xff', 'a\xff\xff'])
  t.same(under('\xff'), ['\xff', '\xff\x00', '\xff\xff'])
  t.same(under('c'), [])
  t.equal(under('').length, names.length, 'all of them')
  await environment.close()
})

t.test('the first key behind a prefix', async t => {
  const after = (...bytes: number[]) => firstAfter(Buffer.from(bytes))
  t.same(after(1, 2), Buffer.from([1, 3]))
  t.same(after(1, 255, 255), Buffer.from([2]))
  t.equal(after(255, 255), undefined)
  t.equal(after(), undefined)
})

t.test('a full map grows, in the middle of a transaction and under a reader', async t => {
  const mapBytes = 1 << 20
  const environment = new Environment(temporaryFolder(t), false, mapBytes)
  const { tables, root } = environment
  const key = (i: number) => Buffer.from(`row${i}`)
  const text = 'x'.repeat(3000)
  root.transactionSync(() => tables[Table.Heads].putSync(key(0), sealed('first')))
  const before = environment.beginRead()
  for (let round = 0; round < 3; round++) {
    root.transactionSync(() => {
      for (let i = 1; i <= 1000; i++) tables[Table.Heads].putSync(key(round * 1000 + i), sealed(text + i))
    })
  }
  environment.refresh()
  t.ok(environment.space().fileBytes > 8 * mapBytes, `${environment.space().fileBytes} bytes of file`)
  t.equal(environment.countOf(Table.Heads), 3001)
  for (let i = 1; i <= 3000; i += 97) {
    t.equal(environment.read(Table.Heads, key(i))?.toString(), text + (((i - 1) % 1000) + 1))
  }
  t.equal(environment.read(Table.Heads, key(0), before)?.toString(), 'first', 'the older state is still there')
  t.equal(environment.read(Table.Heads, key(5), before), undefined)
  before.done()
  await environment.close()
})

t.test('a scan gives keys and values that stay', async t => {
  const environment = new Environment(temporaryFolder(t))
  const names = Array.from({ length: 300 }, (_, i) => `a${String(i).padStart(3, '0')}`)
  for (const name of names) environment.tables[Table.Heads].putSync(Buffer.from(name), sealed(`value of ${name}`))
  environment.tables[Table.Heads].putSync(Buffer.from('b'), sealed('other'))
  const rows = Array.from(environment.scan(Table.Heads, Buffer.from('a')))
  t.same(
    rows.map(({ key }) => key.toString()),
    names,
  )
  t.same(
    rows.map(({ value }) => value.toString()),
    names.map(name => `value of ${name}`),
  )
  await environment.close()
})

t.test('lmdb is the one that was compiled here, with optimisation', t => {
  if (!existsSync('/proc/self/maps')) t.comment('no list of loaded files here: left out')
  else t.match(readFileSync('/proc/self/maps', 'utf8'), /\/lmdb\/build\/Release\/lmdb\.node$/m)
  t.end()
})
