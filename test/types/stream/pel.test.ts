import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { StreamIdList } from '../../../src/base/stream-id-list.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import type { ConsumerGroup } from '../../../src/types/stream/group.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened } from './stream-fixture.js'
import { pendingPicture } from './stream-model.js'

const ENTRIES = 3000

/** A stream of ENTRIES entries, all of them delivered, entry i at i ms. */
function delivered(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= ENTRIES; ms++) append(stream, idOf(ms))
  const group = stream.createGroup('g', ID_MIN, 0)
  const { consumer } = group.ensureConsumer('alice', 0)
  for (let ms = 1; ms <= ENTRIES; ms += 100) group.deliver(consumer, 100, ms, false)
  return stream
}

function groupOf(stream: Stream): ConsumerGroup {
  const group = stream.group('g')
  if (group === undefined) throw new Error('no group g')
  return group
}

function countReads(rows: MemoryRows): () => number {
  let reads = 0
  const read = rows.read.bind(rows)
  rows.read = (table, key) => {
    if (table === Table.Pages) reads++
    return read(table, key)
  }
  return () => reads
}

t.test('one delivery fills both trees, whatever its size', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= ENTRIES; ms++) append(stream, idOf(ms))
  const group = stream.createGroup('g', ID_MIN, 0)
  const { consumer } = group.ensureConsumer('alice', 0)
  t.equal(group.deliver(consumer, 1, 5, false).length, 1)
  group.deliver(consumer, Infinity, 6, false)
  t.match(group, { pendingCount: ENTRIES, entriesRead: ENTRIES })
  t.equal(consumer.pendingCount, ENTRIES)
  t.equal(group.lag(), 0)
  const all = [...group.pendingRange(ID_MIN, ID_MAX, consumer)]
  t.equal(all.length, ENTRIES)
  t.equal(pendingPicture(all[0]), '1-0 alice 5 1')
  t.equal(pendingPicture(all[ENTRIES - 1]), `${ENTRIES}-0 alice 6 1`)
})

t.test('an entry delivered once more changes hands and starts anew', async t => {
  const stream = delivered(new MemoryRows())
  const group = groupOf(stream)
  const { consumer: bob } = group.ensureConsumer('bob', 0)
  group.setPending(idOf(2), bob, 1, 7)
  group.setId(idOf(1), undefined)
  group.deliver(bob, 2, 9000, false)
  t.equal(bob.pendingCount, 2)
  t.equal(group.consumer('alice')?.pendingCount, ENTRIES - 2)
  t.same([...group.pendingRange(ID_MIN, idOf(4))].map(pendingPicture), [
    '1-0 alice 1 1',
    '2-0 bob 9000 1',
    '3-0 bob 9000 1',
    '4-0 alice 1 1',
  ])
})

t.test('a search for idle entries leaves pages alone that have none', async t => {
  const rows = new MemoryRows()
  const stream = reopened(rows, delivered(rows))
  const group = groupOf(stream)
  const reads = countReads(rows)
  t.same([...group.pendingIdleRange(ID_MIN, ID_MAX, 0)], [])
  t.equal(reads(), 0)
  t.equal([...group.pendingIdleRange(ID_MIN, ID_MAX, 101)].length, 200)
  t.ok(reads() <= 3, `${reads()} pages read`)
})

t.test('what was acknowledged does not attract later searches', async t => {
  const rows = new MemoryRows()
  const stream = delivered(rows)
  const group = groupOf(stream)
  for (let ms = 1; ms <= 150; ms++) t.equal(group.ack(idOf(ms)), true)
  t.equal(group.ack(idOf(1)), false)
  t.same([...group.pendingIdleRange(ID_MIN, ID_MAX, 1)], [], 'the bound is stale here, and made tight')
  rows.flushAndEvict()
  const reads = countReads(rows)
  t.same([...group.pendingIdleRange(ID_MIN, ID_MAX, 1)], [])
  t.equal(reads(), 0)
  t.equal([...group.pendingIdleRange(ID_MIN, ID_MAX, 101)].length, 50)
})

t.test('many IDs are acknowledged as one by one, in whatever order, whoever owns them', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const [one, many] = [groupOf(delivered(new MemoryRows())), groupOf(delivered(new MemoryRows()))]
  for (const group of [one, many]) {
    const { consumer: bob } = group.ensureConsumer('bob', 0)
    for (let ms = 1; ms <= ENTRIES; ms++) if (ms % 97 < 30) group.setPending(idOf(ms), bob, 5, 2)
  }
  while (one.pendingCount > 0) {
    const list = new StreamIdList()
    const from = random.between(1, ENTRIES)
    const length = random.between(1, 400)
    for (let i = 0; i < length; i++) {
      // Mostly neighbours, some missing, some twice, some backwards, some that never were.
      if (random.chance(0.9)) list.push(idOf(random.chance(0.05) ? Math.abs(from - i) : from + i))
      if (random.chance(0.02)) list.push(idOf(random.between(1, ENTRIES), 1))
    }
    let expected = 0
    for (let i = 0; i < list.count; i++) if (one.ack(list.at(i))) expected++
    t.equal(many.ackAll(list), expected)
    if (many.pendingCount !== one.pendingCount) return t.fail(`${many.pendingCount} left, not ${one.pendingCount}`)
    if (one.pendingCount < ENTRIES / 50) break
  }
  for (const name of ['alice', 'bob']) {
    const pictures = [one, many].map(group =>
      [...group.pendingRange(ID_MIN, ID_MAX, group.consumer(name))].map(pendingPicture),
    )
    t.same(pictures[1], pictures[0])
  }
})

t.test('a walk goes on although every entry is taken away under it', async t => {
  const stream = delivered(new MemoryRows())
  const group = groupOf(stream)
  const { consumer: bob } = group.ensureConsumer('bob', 0)
  const seen: string[] = []
  for (const { id } of group.pendingIdleRange(ID_MIN, ID_MAX, ENTRIES)) {
    seen.push(formatId(id))
    if (id.msLo % 3 === 0) group.ack(id)
    else if (id.msLo % 3 === 1) group.setPending(id, bob, 99999, 2)
  }
  t.equal(seen.length, ENTRIES)
  t.equal(new Set(seen).size, ENTRIES)
  t.equal(bob.pendingCount, ENTRIES / 3)
  for (const walk of [group.pendingRange(ID_MIN, ID_MAX), group.pendingRange(ID_MIN, ID_MAX, bob)]) {
    for (const { id } of walk) group.ack(id)
  }
  t.equal(group.pendingCount, 0)
  t.equal(group.firstPendingId(), undefined)
  t.equal(group.lastPendingId(), undefined)
})

t.test('a consumer goes with all it owns', async t => {
  const rows = new MemoryRows()
  const group = groupOf(delivered(rows))
  const { consumer: bob } = group.ensureConsumer('bob', 0)
  for (let ms = 2; ms <= ENTRIES; ms += 2) group.setPending(idOf(ms), bob, 5, 1)
  t.equal(group.deleteConsumer('bob'), ENTRIES / 2)
  t.equal(group.pendingCount, ENTRIES / 2)
  t.equal(group.pending(idOf(2)), undefined)
  t.equal(group.deleteConsumer('bob'), undefined)
  t.equal(group.ensureConsumer('bob', 1).consumer.pendingCount, 0, 'a new one of that name owns nothing')
})

t.test('trees that contradict each other are damage, not an answer', async t => {
  const rows = new MemoryRows()
  const stream = delivered(rows)
  const alice = groupOf(stream).consumer('alice')
  const owned = alice?.owned()
  const first = owned?.first()
  if (owned === undefined || first === undefined) throw new Error('nothing is owned')
  owned.willChange(first).removeRange(0, 1)
  owned.changed(first)
  t.throws(() => groupOf(stream).ack(idOf(1)), CorruptionError)
})
