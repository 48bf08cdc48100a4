// What one consumer has pending that is idle, beside a look at every row.

import t from 'tap'
import { compareIds, formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { seeded } from '../../support/seeded.js'
import { append } from './stream-fixture.js'

const SIZE = 3000

t.test('it gives what is idle of [start, end], whoever has the rows beside it', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const stream = Stream.create(new MemoryRows())
  for (let ms = 1; ms <= SIZE; ms++) append(stream, idOf(ms))
  const group = stream.createGroup('g', ID_MIN, 0)
  const ann = group.ensureConsumer('ann', 0).consumer
  const bob = group.ensureConsumer('bob', 0).consumer
  group.deliver(bob, SIZE, 1000, false)
  // Old ones of Ann's lie in some pages only.
  const times = new Map<number, number>()
  for (let ms = 1; ms <= SIZE; ms++) {
    if (!random.chance(0.2)) continue
    times.set(ms, ms % 1000 < 100 ? random.between(1, 50) : random.between(500, 2000))
    group.setPending(idOf(ms), ann, times.get(ms)!, 1)
  }
  group.settlePending()
  for (let round = 0; round < 50; round++) {
    const start = random.chance(0.3) ? ID_MIN : idOf(random.between(0, SIZE))
    const end = random.chance(0.3) ? ID_MAX : idOf(random.between(0, SIZE + 9))
    const deliveredMaxMs = random.pick([0, 10, 50, 400, 1000, Infinity])
    const expected = [...times]
      .filter(
        ([ms, time]) => time <= deliveredMaxMs && compareIds(idOf(ms), start) >= 0 && compareIds(idOf(ms), end) <= 0,
      )
      .map(([ms]) => `${ms}-0`)
    const found = [...group.pendingIdleRange(start, end, deliveredMaxMs, ann)].map(({ id }) => formatId(id))
    t.same(found, expected, `round ${round}`)
  }
})

t.test('rows may go while they are taken', async t => {
  const stream = Stream.create(new MemoryRows())
  for (let ms = 1; ms <= 9; ms++) append(stream, idOf(ms))
  const group = stream.createGroup('g', ID_MIN, 0)
  const { consumer } = group.ensureConsumer('ann', 0)
  group.deliver(consumer, 9, 1, false)
  const seen: string[] = []
  for (const { id } of group.pendingRange(ID_MIN, ID_MAX, consumer)) {
    seen.push(formatId(id))
    group.ack(id)
    group.ack(idOf(id.msLo + 1))
  }
  t.same(seen, ['1-0', '3-0', '5-0', '7-0', '9-0'])
  t.equal(group.pendingCount, 0)
})
