import t from 'tap'
import { compareIds, formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import {
  dropReferences,
  dropReferencesToTrimmed,
  referencedAmong,
  trimUnreferenced,
} from '../../../src/types/stream/references.js'
import { Stream } from '../../../src/types/stream/stream.js'
import type { Trim } from '../../../src/types/stream/trim.js'
import { seeded } from '../../support/seeded.js'
import { append, reopened } from './stream-fixture.js'

const idsOf = (stream: Stream) => {
  const ids: string[] = []
  for (const run of stream.runsFrom(ID_MIN, Infinity)) {
    for (let i = 0; i < run.entries; i++) ids.push(formatId(run.page.keyAt(run.index + i)))
  }
  return ids
}

t.test('a trim that spares what is referred to does what one look at each entry does', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 60; round++) {
    const rows = new MemoryRows()
    let stream = Stream.create(rows)
    const size = random.pick([1, 30, 700, 1500])
    for (let ms = 1; ms <= size; ms++) append(stream, idOf(ms))
    for (const name of ['g', 'h', 'i'].slice(0, random.between(1, 3))) {
      const group = stream.createGroup(name, ID_MIN, 0)
      const { consumer } = group.ensureConsumer('c', 0)
      group.deliver(consumer, random.pick([0, size, Math.ceil(size / 2)]) || 1, 1, false)
      const acked = random.pick([0, 0.5, 0.95, 1])
      for (let ms = 1; ms <= size; ms++) if (random.chance(acked)) group.ack(idOf(ms))
      if (random.chance(0.2)) group.setId(idOf(random.below(size)), undefined)
    }
    for (let n = 0; n < 20; n++) if (random.chance(0.5)) stream.delete(idOf(random.between(1, size)))
    if (random.chance(0.5)) stream = reopened(rows, stream)
    const limit = random.pick([0, 0, 7])
    const trim: Trim = random.chance(0.5)
      ? { by: 'maxlen', length: random.below(size + 2), approximate: limit > 0, limit }
      : { by: 'minid', id: idOf(random.below(size + 2)), approximate: limit > 0, limit }
    const before = idsOf(stream)
    const expected: string[] = []
    let left = before.length
    let removed = 0
    for (const text of before) {
      const id = idOf(Number(text.split('-')[0]))
      const wanted = trim.by === 'maxlen' ? left > trim.length : compareIds(id, trim.id) < 0
      if (wanted && !referencedAmong(stream, [id]).has(formatId(id)) && (limit === 0 || removed < limit)) {
        removed++
        left--
      } else expected.push(text)
    }
    const maxDeleted = stream.maxDeletedId
    t.equal(trimUnreferenced(stream, trim), removed, `round ${round}`)
    t.same(idsOf(stream), expected)
    t.equal(stream.length, expected.length)
    let nodes = 0
    for (const { live } of stream.macroNodes()) nodes += live
    t.equal(nodes, expected.length, 'the nodes count what is left')
    const holes = before.filter(
      id =>
        !expected.includes(id) &&
        expected.some(kept => compareIds(idOf(Number(kept.split('-')[0])), idOf(Number(id.split('-')[0]))) < 0),
    )
    if (holes.length === 0) t.same(stream.maxDeletedId, maxDeleted, 'cut off at the front')
    else t.ok(compareIds(stream.maxDeletedId, idOf(Number(holes[holes.length - 1].split('-')[0]))) >= 0)
    t.equal(trimUnreferenced(stream, { ...trim, limit: 0 }) + removed >= removed, true)
    t.equal(trimUnreferenced(stream, { ...trim, limit: 0 }), 0, 'what is left is referred to, or wanted')
  }
})

t.test(
  'references of what was trimmed go, tombstones and released entries too; those of what is left stay',
  async t => {
    const stream = Stream.create(new MemoryRows())
    for (let ms = 1; ms <= 6; ms++) append(stream, idOf(ms))
    const group = stream.createGroup('g', ID_MIN, 0)
    group.deliver(group.ensureConsumer('c', 0).consumer, 10, 1, false)
    stream.delete(idOf(2))
    group.release(idOf(3), 1)
    stream.trim({ by: 'maxlen', length: 2, approximate: false, limit: 0 })
    dropReferencesToTrimmed(stream)
    t.same(
      [...group.pendingRange(ID_MIN, ID_MAX)].map(({ id }) => formatId(id)),
      ['5-0', '6-0'],
    )
    t.equal(group.releasedCount, 0)
    stream.trim({ by: 'maxlen', length: 0, approximate: false, limit: 0 })
    dropReferencesToTrimmed(stream)
    t.equal(group.pendingCount, 0)
  },
)

t.test('dropping the references of one entry says how many there were', async t => {
  const stream = Stream.create(new MemoryRows())
  append(stream, idOf(1))
  for (const name of ['g', 'h', 'i']) stream.createGroup(name, ID_MIN, 0)
  for (const name of ['g', 'h']) {
    const group = stream.group(name)!
    group.deliver(group.ensureConsumer('c', 0).consumer, 1, 1, false)
  }
  t.equal(dropReferences(stream, [idOf(1)]), 2)
  t.equal(dropReferences(stream, [idOf(1)]), 0)
  t.ok(referencedAmong(stream, [idOf(1)]).has('1-0'), 'group i has yet to read it')
  stream.destroyGroup('i')
  t.notOk(referencedAmong(stream, [idOf(1)]).has('1-0'))
})

t.test('many IDs are asked about at once, and groups that have none of them cost a search each', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const stream = Stream.create(new MemoryRows())
  for (let ms = 1; ms <= 600; ms++) append(stream, idOf(ms))
  const pending: Set<number>[] = []
  for (let g = 0; g < 20; g++) {
    const group = stream.createGroup(`g${g}`, ID_MIN, 0)
    const { consumer } = group.ensureConsumer('ann', 1)
    group.deliver(consumer, g === 0 ? 550 : 600, 1, false)
    const rows = new Set<number>()
    for (let ms = 1; ms <= (g === 0 ? 550 : 600); ms++) {
      if (random.chance(0.97)) group.ack(idOf(ms))
      else rows.add(ms)
    }
    pending.push(rows)
  }
  const asked = Array.from({ length: 200 }, () => random.between(1, 620))
  const ids = asked.map(ms => idOf(ms))
  const expected = asked.filter(ms => ms > 550 || pending.some(rows => rows.has(ms)))
  t.same([...referencedAmong(stream, ids)].sort(), [...new Set(expected.map(ms => `${ms}-0`))].sort())
  const unique = [...new Set(asked)]
  const references = pending.reduce((sum, rows) => sum + unique.filter(ms => rows.has(ms)).length, 0)
  t.equal(dropReferences(stream, ids), references)
  t.same(
    [...referencedAmong(stream, ids)].sort(),
    [...new Set(asked.filter(ms => ms > 550).map(ms => `${ms}-0`))].sort(),
  )
  for (const [g, rows] of pending.entries()) {
    t.equal(stream.group(`g${g}`)!.pendingCount, [...rows].filter(ms => !unique.includes(ms)).length)
  }
})
