// What a group holds: given to another group, and dropped piece by piece.

import t from 'tap'
import { ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject, Table } from '../../../src/store/row.js'
import { GroupContents } from '../../../src/types/stream/group-contents.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

const CONSUMERS = 700

/** A group of very many consumers, each with an entry pending but the first, and a small one beside it. */
function filled(rows: MemoryRows): Stream {
  const stream = Stream.create(rows)
  for (let i = 1; i <= CONSUMERS; i++) append(stream, idOf(i))
  const group = stream.createGroup('large', ID_MIN, 0)
  for (let i = 1; i <= CONSUMERS; i++) {
    const { consumer } = group.ensureConsumer(`c${i}`, 0)
    if (i > 1) group.deliver(consumer, 1, i, false)
  }
  stream.createGroup('small', ID_MIN, 0).ensureConsumer('c', 0)
  return stream
}

t.test('a new one holds nothing, and says so to the row', async t => {
  const contents = new GroupContents(new MemoryRows(), new StoreObject(7))
  t.match(contents.stored(), { consumers: 0, nextConsumer: 1, pending: 0, released: 0, nextRelease: 1 })
  t.equal(contents.hasPel, false)
  t.equal(contents.dropSome(9), false)
})

t.test('a large group is not dropped by who destroys it, and goes piece by piece, over restarts', async t => {
  for (const isOpen of [true, false]) {
    const rows = new MemoryRows()
    let stream = filled(rows)
    if (!isOpen) stream = reopened(rows, stream)
    const graves: Stream[] = []
    const group = stream.group('large')!
    t.ok(stream.destroyGroup('small', rest => graves.push(rest)))
    t.equal(graves.length, 0, 'a small one is dropped at once')
    t.ok(stream.destroyGroup('large', rest => graves.push(rest)))
    t.equal(stream.destroyGroup('large'), false)
    t.equal(stream.groupCount, 0)
    t.match(group, { dropped: true, pendingCount: CONSUMERS - 1, consumerCount: CONSUMERS }, 'its figures stay')
    t.equal(reopened(rows, stream).groupCount, 0)
    let [grave] = graves
    t.equal(grave.dropPieces, 2 + CONSUMERS)
    t.ok(grave.dropSome(100))
    t.match(grave.group('large'), { pendingCount: 0, consumerCount: CONSUMERS - 100 })
    grave = reopened(rows, grave)
    t.equal(grave.dropPieces, 2 + CONSUMERS - 100, 'also after a restart')
    for (let slices = 1; grave.dropSome(100); slices++) t.ok(slices <= 7)
    stream.drop()
    rows.flush()
    for (const table of [Table.Pages, Table.Blocks, Table.Parts, Table.Heads]) t.equal(rows.rowCount(table), 0)
  }
})

t.test('a new group of the same name has nothing of the old one', async t => {
  const rows = new MemoryRows()
  const stream = filled(rows)
  stream.destroyGroup('large', () => undefined)
  const group = stream.createGroup('large', ID_MIN, 0)
  t.match(group, { pendingCount: 0, consumerCount: 0 })
  t.equal(reopened(rows, stream).group('large')!.lag(), CONSUMERS)
})
