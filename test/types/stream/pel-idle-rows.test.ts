// Idle entries gathered by one pass, beside those that a plain walk finds.

import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { IdleRows } from '../../../src/types/stream/pel-idle-rows.js'
import type { Pending } from '../../../src/types/stream/pending.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

const ROWS = 3000
const OWNERS = ['ann', 'bob', 'cat']

function filled(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  for (let i = 1; i <= ROWS; i++) append(stream, idOf(i))
  const group = stream.createGroup('g', ID_MIN, 0)
  for (let i = 1; i <= ROWS; i++) {
    group.setPending(idOf(i), group.ensureConsumer(OWNERS[i % 3], 1).consumer, i < 1000 ? 10 + (i % 5) : 1000, i)
    if (i % 70 === 0) group.release(idOf(i), i)
  }
  return stream
}

const told = ({ id, ownerName, deliveredMs, deliveries }: Pending) =>
  `${formatId(id)} ${ownerName} ${deliveredMs} ${deliveries}`

function all(rows: IdleRows): string[] {
  const found: string[] = []
  while (rows.next(row => found.push(told(row))));
  return found
}

t.test('they are those of a walk, by owner, range and number, from memory and from the store', async t => {
  const rows = new MemoryRows()
  for (const stream of [filled(rows), reopened(rows, filled(rows))]) {
    const group = stream.group('g')!
    for (const deliveredMaxMs of [0, 11, 14, 500, 1000]) {
      for (const [start, end] of [
        [ID_MIN, ID_MAX],
        [idOf(70), idOf(1001)],
        [idOf(2999), idOf(5)],
      ]) {
        for (const consumer of [undefined, ...group.consumers()]) {
          const walk = [...group.pendingIdleRange(start, end, deliveredMaxMs, consumer)].map(told)
          const query = { start, end, deliveredMaxMs, consumer }
          const found = group.gatherIdle({ ...query, max: ROWS })
          t.equal(found.count, walk.length)
          t.same(all(found), walk)
          t.same(all(group.gatherIdle({ ...query, max: 7 })), walk.slice(0, 7))
        }
      }
    }
  }
})

t.test('they stay as they were found, and are let go', async t => {
  const stream = filled(new MemoryRows())
  const group = stream.group('g')!
  const query = { start: ID_MIN, end: ID_MAX, deliveredMaxMs: 1000, consumer: undefined, max: ROWS }
  const expected = all(group.gatherIdle(query))
  const rows = group.gatherIdle(query)
  group.deleteConsumer('bob')
  group.dropPending(ID_MIN, idOf(500))
  t.same(all(rows), expected)
  t.ok(rows.pinnedBytes >= ROWS * 36)
  rows.close()
  t.equal(rows.pinnedBytes, 0)
  t.equal(
    rows.next(() => t.fail('nothing is left')),
    false,
  )
})
