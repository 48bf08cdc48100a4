import t from 'tap'
import { nameOf, PageMiss, PageMisses } from '../../src/store/page-misses.js'
import { Table } from '../../src/store/row.js'

const key = Buffer.from('row')

function missed(misses: PageMisses): readonly { table: Table; key: Buffer }[] | undefined {
  try {
    misses.check(Table.Pages, key)
    return undefined
  } catch (error) {
    if (!(error instanceof PageMiss)) throw error
    return error.rows
  }
}

t.test('a row is missed, with what is expected behind it, until it has arrived', t => {
  const misses = new PageMisses()
  misses.arm(undefined)
  t.ok(misses.armed)
  const next = { table: Table.Pages, key: Buffer.from('next') }
  misses.expect([next])
  t.same(missed(misses), [{ table: Table.Pages, key }, next])
  t.same(missed(misses), [{ table: Table.Pages, key }], 'expectations hold for one read')
  misses.arm(new Set([nameOf({ table: Table.Pages, key })]))
  t.equal(missed(misses), undefined)
  misses.arm(new Set([nameOf({ table: Table.Blocks, key })]))
  t.ok(missed(misses), 'of another table')
  t.equal(misses.thrown, 3)
  t.end()
})

t.test('while reads are quick, rows are read at once; a slow one ends that', t => {
  const misses = new PageMisses()
  misses.arm(undefined)
  let probes = 0
  for (let i = 0; i < 1000 && probes < 4; i++) {
    if (missed(misses) !== undefined) continue
    probes++
    misses.timed(10)
  }
  t.equal(misses.thrown, 60, 'one in sixteen is tried')
  for (let i = 0; i < 100; i++) {
    if (missed(misses) !== undefined) t.fail('a quick read')
    misses.timed(10)
  }
  misses.timed(5000)
  t.ok(missed(misses))
  const before = misses.thrown
  for (let i = 0; i < 160; i++) if (missed(misses) === undefined) misses.timed(5000)
  t.equal(misses.thrown - before, 150, 'slow probes change nothing')
  t.end()
})
