import t from 'tap'
import { formatId, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, entryWire } from './stream-fixture.js'

const FIELDS = ['field', 'v'.repeat(100)]

function streamOf(rows: MemoryRows, entries: number): Stream {
  const stream = Stream.create(rows)
  for (let i = 1; i <= entries; i++) append(stream, idOf(i * 10), FIELDS)
  return stream
}

t.test('a long read gives slices of the pages, or an entry each backwards', t => {
  const rows = new MemoryRows()
  const stream = streamOf(rows, 2000)
  rows.flushAndEvict()
  const collect = (from: number, to: number, backwards: boolean) => {
    const read = stream.longRead(from, to, backwards)
    const texts: string[] = []
    while (read.next((bytes, at, end) => texts.push(bytes.latin1Slice(at, end)))) continue
    read.close()
    return texts
  }
  const expected = Array.from({ length: 1500 }, (_, i) => entryWire(idOf((i + 101) * 10), FIELDS))
  const slices = collect(100, 1600, false)
  t.ok(slices.length < 100, `${slices.length} slices`)
  t.equal(slices.join(''), expected.join(''))
  t.equal(collect(100, 1600, true).join(''), expected.reverse().join(''))
  t.end()
})

t.test('entries are found by their IDs, in the order asked for; those that are not there are said to be missing', t => {
  const rows = new MemoryRows()
  const stream = streamOf(rows, 5000)
  rows.flushAndEvict()
  const asked = [1, 10, 15, 20, 25_000, 25_005, 25_010, 49_990, 50_000, 50_001, 99_999].map(ms => idOf(ms))
  const read = stream.longReadOf(asked)
  const seen: string[] = []
  let pages = 0
  while (read.next((id, bytes, from, to) => seen.push(bytes?.latin1Slice(from, to) ?? `no ${formatId(id)}`))) pages++
  read.close()
  const there = new Set([10, 20, 25_000, 25_010, 49_990, 50_000])
  t.same(
    seen,
    asked.map(id => (there.has(id.msLo) ? entryWire(id, FIELDS) : `no ${formatId(id)}`)),
  )
  t.ok(pages < 10, `${pages} pages were looked at`)
  t.end()
})

t.test('of an empty stream all are missing', t => {
  const read = Stream.create(new MemoryRows()).longReadOf([idOf(1), idOf(2)])
  const seen: (Buffer | undefined)[] = []
  t.equal(read.fetch(), undefined)
  t.equal(read.pinnedBytes, 0)
  t.ok(read.next((_id, bytes) => seen.push(bytes)))
  t.notOk(read.next(() => t.fail('no more')))
  t.same(seen, [undefined, undefined])
  read.close()
  t.end()
})
