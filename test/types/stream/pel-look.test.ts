import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import type { ConsumerGroup } from '../../../src/types/stream/group.js'
import type { LookQuery } from '../../../src/types/stream/pel-look.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened, textOf } from './stream-fixture.js'

const NOW_MS = 1_000_000

/** Entries 1-0 … `size`-0, all pending with one consumer since NOW_MS. */
function pending(rows: MemoryRows, size: number): { stream: Stream; group: ConsumerGroup } {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= size; ms++) append(stream, idOf(ms))
  const group = stream.createGroup('g', ID_MIN, 0)
  group.deliver(group.ensureConsumer('ann', 0).consumer, size, NOW_MS, false)
  return { stream, group }
}

/** What look() is to find, by the words of its contract. */
function expected(stream: Stream, group: ConsumerGroup, query: LookQuery) {
  const claims: string[] = []
  const deleted: string[] = []
  let rowsLeft = query.rowsMax
  for (const row of group.pendingRange(query.start, ID_MAX)) {
    const full = claims.length + deleted.length >= query.foundMax
    if (full || (rowsLeft <= 0 && !query.goesOn)) return { claims, deleted, next: formatId(row.id) }
    const idle = row.owner === undefined || row.deliveredMs <= query.deliveredMaxMs
    if (rowsLeft-- > 0 && !stream.has(row.id)) deleted.push(formatId(row.id))
    else if (idle) (stream.has(row.id) ? claims : deleted).push(formatId(row.id))
  }
  return { claims, deleted, next: undefined }
}

const named = (id: StreamId | undefined) => id && formatId(id)

t.test('it finds what its contract says, wherever it begins and ends', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  const { stream, group } = pending(rows, 3_000)
  const ann = group.ensureConsumer('ann', 0).consumer
  for (let round = 0; round < 400; round++) {
    const id = idOf(random.between(1, 3_000))
    const fate = random.below(5)
    if (fate === 0) stream.delete(id)
    else if (fate === 1) group.ack(id)
    else if (fate === 2) group.release(id, 1)
    else group.setPending(id, ann, NOW_MS - random.below(1_000), 1)
    if (random.chance(0.5)) group.settlePending()
    const query = {
      start: random.pick([ID_MIN, idOf(random.between(1, 3_100))]),
      deliveredMaxMs: random.pick([Infinity, NOW_MS - random.below(1_000), 0]),
      foundMax: random.pick([1, 3, 100, 10_000]),
      rowsMax: random.pick([1, 10, 1_000, 1e18]),
      goesOn: random.chance(0.5),
    }
    const { claims, deletedIds, next } = group.lookForIdle(query)
    const found = {
      claims: claims.map(({ row }) => formatId(row.id)),
      deleted: deletedIds.map(formatId),
      next: named(next),
    }
    t.same(found, expected(stream, group, query), JSON.stringify(query))
    for (const { row, entry } of claims.slice(0, 3)) t.equal(textOf([entry]), textOf([stream.get(row.id)!]))
  }
})

t.test('what it found can be changed in place, one after the other', async t => {
  const { group } = pending(new MemoryRows(), 1_000)
  const bob = group.ensureConsumer('bob', 0).consumer
  const query = { start: idOf(200), deliveredMaxMs: NOW_MS, foundMax: 500, rowsMax: 5_000, goesOn: false }
  const { claims } = group.lookForIdle(query)
  for (const found of claims) group.setLocated(found, bob, NOW_MS + 5, 9)
  group.settlePending()
  t.same(
    [...group.pendingRange(ID_MIN, ID_MAX, bob)].map(({ id }) => id.msLo),
    Array.from({ length: 500 }, (_, i) => 200 + i),
  )
  t.match(group.pending(idOf(699)), { deliveredMs: NOW_MS + 5, deliveries: 9 })
  t.equal(group.lookForIdle(query).claims.length, 301)
})

t.test('behind the rows it looks at one by one it reads only pages that hold something idle', async t => {
  const rows = new MemoryRows()
  const made = pending(rows, 20_000)
  for (const ms of [6_000, 12_000, 19_000])
    made.group.setPending(idOf(ms), made.group.ensureConsumer('ann', 0).consumer, 5, 1)
  const stream = reopened(rows, made.stream)
  const group = stream.group('g')!
  const read = rows.read.bind(rows)
  let pages = 0
  rows.read = (table, key) => {
    if (table === Table.Pages) pages++
    return read(table, key)
  }
  const query = { start: ID_MIN, deliveredMaxMs: 10, foundMax: 100, rowsMax: 100, goesOn: true }
  t.same(
    group.lookForIdle(query).claims.map(({ row }) => row.id.msLo),
    [6_000, 12_000, 19_000],
  )
  t.equal(pages, 8, 'for each of the three, and for the first rows, a page of the PEL and one of the stream')
})
