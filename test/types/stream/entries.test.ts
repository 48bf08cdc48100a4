import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { Entries } from '../../../src/types/stream/entries.js'
import type { EntryRun } from '../../../src/types/stream/entries.js'
import { entryWire, textOf, wireOf } from './stream-fixture.js'

const COUNT = 1000

/** Entries 2-0, 4-0 … in pages of their own size. */
function filled(): Entries {
  const rows = new MemoryRows()
  const entries = new Entries(rows, new StoreObject(rows.newId()), () => undefined)
  const fields = wireOf(['f', 'x'.repeat(100)])
  for (let i = 1; i <= COUNT; i++) entries.append(idOf(2 * i), 1, fields, 0, fields.length)
  return entries
}

const wire = (ms: number) => entryWire(idOf(ms), ['f', 'x'.repeat(100)])
const wires = (from: number, to: number) => {
  let text = ''
  for (let ms = from; ms <= to; ms += 2) text += wire(ms)
  return text
}
const ids = (runs: Iterable<EntryRun>) => Array.from(runs, run => `${formatId(run.firstId)} ${formatId(run.lastId)}`)

t.test('a range is the bytes of its entries, in as few slices as there are pages', async t => {
  const entries = filled()
  const all = [...entries.range(ID_MIN, ID_MAX, COUNT)]
  t.equal(textOf(all), wires(2, 2 * COUNT))
  t.ok(all.length > 3, `${all.length} pages`)
  t.ok(all.length < COUNT / 20)
  t.equal(textOf(entries.range(idOf(3), idOf(9), COUNT)), wires(4, 8), 'bounds need not exist')
  t.equal(textOf(entries.range(idOf(500), idOf(1500), COUNT)), wires(500, 1500), 'across pages')
  t.equal(textOf(entries.range(idOf(500), ID_MAX, 3)), wires(500, 504), 'at most so many')
  t.same(ids(entries.range(idOf(9), idOf(3), COUNT)), [])
  t.same(ids(entries.range(idOf(3), idOf(3), COUNT)), [])
  t.same(ids(entries.range(ID_MIN, ID_MAX, 0)), [])
})

t.test('runs from an ID are those of its range', async t => {
  const entries = filled()
  t.same(entries.runsFrom(idOf(501), 300), [...entries.range(idOf(501), ID_MAX, 300)])
  t.same(entries.runsFrom(idOf(2 * COUNT + 1), 10), [])
})

t.test('backwards an entry is a slice of its own', async t => {
  const entries = filled()
  t.same(ids(entries.rangeReverse(idOf(3), idOf(9), 2)), ['8-0 8-0', '6-0 6-0'])
  t.equal(textOf(entries.rangeReverse(idOf(3), idOf(9), COUNT)), [8, 6, 4].map(wire).join(''))
  t.equal([...entries.rangeReverse(ID_MIN, ID_MAX, COUNT)].length, COUNT)
})

t.test('counts come without reading entries', async t => {
  const entries = filled()
  t.equal(entries.countRange(ID_MIN, ID_MAX), COUNT)
  t.equal(entries.countRange(idOf(3), idOf(9)), 3)
  t.equal(entries.countRange(idOf(4), idOf(8)), 3)
  t.equal(entries.countRange(idOf(9), idOf(3)), 0)
  t.equal(entries.rank(idOf(9)), 4)
  t.equal(entries.hasFrom(idOf(2 * COUNT)), true)
  t.equal(entries.hasFrom(idOf(2 * COUNT + 1)), false)
})

t.test('a deleted entry is gone, a slice taken before still has it', async t => {
  const entries = filled()
  const before = entries.get(idOf(500))!
  entries.deleteRun(entries.runOf([idOf(500)], 0)!)
  t.equal(entries.runOf([idOf(500)], 0), undefined)
  t.equal(entries.has(idOf(500)), false)
  t.equal(entries.count, COUNT - 1)
  t.equal(textOf([before]), wire(500))
  t.equal(textOf(entries.range(idOf(498), idOf(502), 9)), wire(498) + wire(502))
})

t.test('entries with given IDs that lie side by side are found and deleted as one', async t => {
  const entries = filled()
  const wanted = [500, 502, 504, 505, 506].map(ms => idOf(ms))
  const run = entries.runOf(wanted, 0)!
  t.equal(textOf([run]), wire(500) + wire(502) + wire(504), 'up to one that is not there')
  t.equal(entries.runOf(wanted, 3), undefined)
  entries.deleteRun(run)
  t.equal(entries.count, COUNT - 3)
  t.equal(textOf(entries.range(idOf(498), idOf(506), 9)), wire(498) + wire(506))
  const all = Array.from({ length: COUNT }, (_, i) => idOf(2 * (i + 1)))
  t.ok(entries.runOf(all, 500)!.entries < COUNT / 2, 'no further than to the end of its page')
})

t.test('first and last follow what is dropped', async t => {
  const entries = filled()
  entries.dropFirst(COUNT - 1)
  t.same(ids([entries.first()!, entries.last()!]), [`${2 * COUNT}-0 ${2 * COUNT}-0`, `${2 * COUNT}-0 ${2 * COUNT}-0`])
  entries.dropFirst(1)
  t.equal(entries.first(), undefined)
  t.equal(entries.last(), undefined)
})
