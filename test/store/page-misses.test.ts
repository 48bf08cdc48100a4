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

/** What the miss says; undefined when there was none. */
function atOnce(misses: PageMisses): boolean | undefined {
  try {
    misses.check(Table.Pages, key)
    return undefined
  } catch (error) {
    if (!(error instanceof PageMiss)) throw error
    return error.atOnce
  }
}

/** Until rows are read at once. */
function quicken(misses: PageMisses): void {
  for (let probes = 0; probes < 4;) {
    if (missed(misses) !== undefined) continue
    misses.timed(10)
    probes++
  }
}

t.test('a row is missed, with what is expected behind it, until it has arrived', t => {
  const misses = new PageMisses()
  misses.arm(undefined)
  t.ok(misses.armed)
  const next = { table: Table.Pages, key: Buffer.from('next') }
  const load = () => undefined
  misses.expect([next], load)
  t.same(missed(misses), [{ table: Table.Pages, key, load }, next])
  t.same(missed(misses), [{ table: Table.Pages, key, load: undefined }], 'expectations hold for one read')
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
    misses.tickOver()
  }
  misses.timed(5000)
  t.notOk(atOnce(misses), 'to be fetched')
  const before = misses.thrown
  for (let i = 0; i < 160; i++) if (missed(misses) === undefined) misses.timed(5000)
  t.equal(misses.thrown - before, 150, 'slow probes change nothing')
  t.end()
})

t.test('what is read at once in a tick is bounded: beyond it commands come back, without a fetch', t => {
  const misses = new PageMisses()
  misses.arm(undefined)
  quicken(misses)
  const fetched = misses.thrown
  let atOnceReads = 0
  while (atOnce(misses) === undefined) atOnceReads++
  t.ok(atOnceReads > 0 && atOnceReads < 10, `${atOnceReads} rows`)
  t.equal(atOnce(misses), true)
  misses.tickOver()
  t.equal(atOnce(misses), undefined)
  misses.tickOver()
  misses.expect(Array(20).fill({ table: Table.Pages, key }), () => undefined)
  t.equal(missed(misses)?.length, 21, 'a whole range is not begun when it is too long')
  t.equal(misses.thrown, fetched, 'nothing of this was a fetch')
  misses.tickOver()
  misses.arm(new Set([nameOf({ table: Table.Pages, key })]))
  for (let i = 0; i < 20; i++) t.equal(missed(misses), undefined, 'what has arrived is always read')
  t.end()
})
