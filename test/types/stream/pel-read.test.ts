// Long reads of pending entries, beside what a plain walk finds.

import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { LongRead } from '../../../src/types/long-read.js'
import type { VisitPending } from '../../../src/types/stream/pel-read.js'
import type { Pending } from '../../../src/types/stream/pending.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

const ROWS = 2000
const OWNERS = ['ann', 'bob', 'cat']

/** Rows of three owners in turn, every seventh released. */
function filled(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  for (let i = 1; i <= ROWS; i++) append(stream, idOf(i))
  const group = stream.createGroup('g', ID_MIN, 0)
  for (let i = 1; i <= ROWS; i++) {
    group.setPending(idOf(i), group.ensureConsumer(OWNERS[i % 3], 1).consumer, 10 + i, i)
    if (i % 7 === 0) group.release(idOf(i), i)
  }
  return stream
}

const told = ({ id, ownerName, deliveredMs, deliveries }: Pending) =>
  `${formatId(id)} ${ownerName} ${deliveredMs} ${deliveries}`

function all(read: LongRead<VisitPending>, meanwhile: (step: number) => void = () => undefined): string[] {
  const rows: string[] = []
  for (let step = 0, more = true; more; step++) {
    meanwhile(step)
    more = read.next(row => rows.push(told(row)))
  }
  read.close()
  return rows
}

t.test('all of it, of each owner, and the first so many, from memory and from the store', async t => {
  const rows = new MemoryRows()
  for (const stream of [filled(rows), reopened(rows, filled(rows))]) {
    const group = stream.group('g')!
    const expected = [...group.pendingRange(ID_MIN, ID_MAX)].map(told)
    t.same(all(group.pendingRead(ROWS)), expected)
    t.same(all(group.pendingRead(9)), expected.slice(0, 9))
    for (const name of OWNERS) {
      const owned = [...group.pendingRange(ID_MIN, ID_MAX, group.consumer(name))].map(told)
      t.same(all(group.pendingRead(ROWS, group.consumer(name))), owned, name)
      t.same(all(group.pendingRead(5, group.consumer(name))), owned.slice(0, 5), name)
    }
  }
})

t.test('it shows the moment it was begun in, with the owners of that time', async t => {
  const changes: ((stream: Stream) => void)[] = [
    stream => void stream.group('g')!.dropPending(ID_MIN, ID_MAX),
    stream => OWNERS.forEach(name => stream.group('g')!.deleteConsumer(name)),
    stream => void stream.destroyGroup('g'),
    stream => stream.drop(),
  ]
  for (const change of changes) {
    for (const owner of [undefined, 'bob']) {
      const stream = filled(new MemoryRows())
      const group = stream.group('g')!
      const consumer = owner === undefined ? undefined : group.consumer(owner)
      const expected = all(group.pendingRead(ROWS, consumer))
      const read = group.pendingRead(ROWS, consumer)
      t.same(
        all(read, step => step === 1 && change(stream)),
        expected,
      )
      t.equal(read.pinnedBytes, 0, 'everything is let go')
    }
  }
})
