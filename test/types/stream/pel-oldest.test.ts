import t from 'tap'
import type { Test } from 'tap'
import { compareIds, formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { RecordPage } from '../../../src/pages/record-page.js'
import { Table } from '../../../src/store/row.js'
import type { ConsumerGroup } from '../../../src/types/stream/group.js'
import type { Pending } from '../../../src/types/stream/pending.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened } from './stream-fixture.js'

function groupOf(stream: Stream): ConsumerGroup {
  const group = stream.group('g')
  if (group === undefined) throw new Error('no group g')
  return group
}

function emptyGroup(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  stream.createGroup('g', ID_MIN, 0).ensureConsumer('c', 0)
  return stream
}

const shown = (rows: Iterable<Pending>) =>
  [...rows].map(row => `${formatId(row.id)} ${row.ownerName} ${row.deliveredMs}`)

t.test('released entries in the order of their release, then by time, then by ID; as a plain sort has it', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  let stream = emptyGroup(rows)
  /** What must come out: place of a release, or undefined; delivery time. */
  const model = new Map<number, { place: number | undefined; ms: number }>()
  let places = 0
  for (let step = 0; step < 6000; step++) {
    const group = groupOf(stream)
    const n = random.below(2500)
    if (random.chance(0.1)) {
      group.release(idOf(n), 1)
      model.set(n, { place: places++, ms: 0 })
    } else if (random.chance(0.15)) {
      group.ack(idOf(n))
      model.delete(n)
    } else {
      // Times as small as places are: both kinds must not be mixed up.
      const ms = random.chance(0.1) ? random.below(50) : 1_700_000_000_000 + random.below(2000)
      group.setPending(idOf(n), group.consumer('c')!, ms, 1)
      model.set(n, { place: undefined, ms })
    }
    if (step % 600 !== 599) continue
    if (random.chance(0.5)) stream = reopened(rows, stream)
    const max = random.pick([0, 20, 1_700_000_000_500, 1_700_000_001_999, Number.MAX_SAFE_INTEGER])
    const expected = [...model]
      .filter(([, { place, ms }]) => place !== undefined || ms <= max)
      .sort(([a, x], [b, y]) => {
        if (x.place !== undefined || y.place !== undefined) return (x.place ?? Infinity) - (y.place ?? Infinity)
        return x.ms - y.ms || a - b
      })
      .map(([n, { place, ms }]) => `${n}-0 ${place === undefined ? 'c' : ''} ${ms}`)
    t.same(shown(groupOf(stream).oldestPending(max)), expected, `step ${step}, up to ${max}`)
    const byId = [...groupOf(stream).pendingIdleRange(ID_MIN, ID_MAX, max)]
    t.ok(byId.length === expected.length && byId.every((row, i) => i === 0 || compareIds(byId[i - 1].id, row.id) < 0))
    const released = [...model.values()].filter(({ place }) => place !== undefined).length
    t.equal(groupOf(stream).releasedCount, released)
    t.equal(groupOf(stream).consumer('c')!.pendingCount, model.size - released)
  }
})

t.test('the few that are old cost the pages they lie in, not those of the many that are young', async t => {
  const rows = new MemoryRows()
  const reads = () => {
    let pages = 0
    const read = rows.read.bind(rows)
    rows.read = (table, key) => {
      if (table === Table.Pages) pages++
      return read(table, key)
    }
    return () => pages
  }
  let stream = emptyGroup(rows)
  const group = groupOf(stream)
  for (let n = 1; n <= 100_000; n++) group.setPending(idOf(n), group.consumer('c')!, n % 20_000 === 0 ? 5 : 1000, 1)
  stream = reopened(rows, stream)
  const pages = reads()
  t.same(
    shown(groupOf(stream).oldestPending(500)),
    [1, 2, 3, 4, 5].map(n => `${n * 20_000}-0 c 5`),
  )
  t.ok(pages() <= 5, `${pages()} pages`)
  const old = [...groupOf(stream).oldestPending(500)]
  for (const { id } of old) groupOf(stream).ack(id)
  t.same(shown(groupOf(stream).oldestPending(500)), [], 'the bounds that the gone ones leave behind mislead nobody')
  const before = pages()
  t.same(shown(groupOf(stream).oldestPending(500)), [])
  t.equal(pages(), before, 'and not twice')
})

/** Counts the records that searches look at, each time they do. */
function countingLooks(t: Test): { records: number } {
  const looks = { records: 0 }
  const { firstAtMost, firstVisible, refreshSummary } = RecordPage.prototype
  const counted = (original: typeof firstAtMost) =>
    function (this: RecordPage, from: number, max: number): number {
      const index = original.call(this, from, max)
      looks.records += Math.min(index + 1, this.count) - from
      return index
    }
  RecordPage.prototype.firstAtMost = counted(firstAtMost)
  RecordPage.prototype.firstVisible = counted(firstVisible)
  RecordPage.prototype.refreshSummary = function () {
    looks.records += this.count
    refreshSummary.call(this)
  }
  t.teardown(() => void Object.assign(RecordPage.prototype, { firstAtMost, firstVisible, refreshSummary }))
  return looks
}

function first<T>(some: Iterable<T>, count: number): T[] {
  const found: T[] = []
  for (const one of some) {
    found.push(one)
    if (found.length === count) break
  }
  return found
}

t.test(
  'what is idle in every page costs a look at the pages of what is taken, and no more when it is taken',
  async t => {
    const PAGE = 230
    const stream = Stream.create(new MemoryRows())
    for (let n = 1; n <= 60_000; n++) append(stream, idOf(n))
    const group = stream.createGroup('g', ID_MIN, 0)
    const { consumer } = group.ensureConsumer('c', 0)
    for (let n = 1; n <= 60_000; n++) group.setPending(idOf(n), consumer, n % 500 === 0 ? 5 : 1000, 1)
    const looks = countingLooks(t)
    const searches = {
      'in the order of IDs': () => first(group.pendingIdleRange(ID_MIN, ID_MAX, 500), 10).map(row => row.id),
      'the oldest first': () => first(group.claimable(500), 10).map(({ row }) => row.id),
      'the oldest first, hidden ones too': () => first(group.oldestPending(500), 10).map(row => row.id),
    }
    for (const [name, search] of Object.entries(searches)) {
      for (let n = 500; n <= 60_000; n += 500) group.setPending(idOf(n), consumer, 5, 1)
      for (let round = 0; round < 12; round++) {
        looks.records = 0
        const ids = search()
        t.equal(ids.length, 10, name)
        // The pages found in, and those that the round before left with a loose bound, which one more look tightens.
        t.ok(looks.records <= 3 * 10 * PAGE + 2 * PAGE, `${name}: ${looks.records} records for 10`)
        for (const id of ids) group.setPending(id, consumer, 1000, 2)
      }
      t.same(search(), [])
      looks.records = 0
      t.same(search(), [])
      t.equal(looks.records, 0, `${name}: nothing is left to look at`)
    }
  },
)
