import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import { ConsumerGroup } from '../../../src/types/stream/group.js'
import { GROUP } from '../../../src/types/stream/group-row.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

t.test('groups and consumers come back sorted by the bytes of their names', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  for (const name of ['b', '', '\xff', 'a\0', 'a', 'B'.repeat(5000)]) {
    const group = stream.createGroup(name, idOf(7), undefined)
    for (const consumer of ['z', '\x80', name]) group.ensureConsumer(consumer, 5)
  }
  t.throws(() => stream.createGroup('a', ID_MIN, 0), { name: 'InvariantError' })
  const again = reopened(rows, stream)
  t.same(
    [...again.groups()].map(({ name }) => name),
    ['', 'B'.repeat(5000), 'a', 'a\0', 'b', '\xff'],
  )
  const group = again.group('a')
  t.same(
    [...(group?.consumers() ?? [])].map(({ name, seenMs, activeMs }) => [name, seenMs, activeMs]),
    [
      ['a', 5, undefined],
      ['z', 5, undefined],
      ['\x80', 5, undefined],
    ],
  )
})

t.test('counts of a group are told without reading its consumers', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  append(stream, idOf(1))
  const group = stream.createGroup('g', ID_MIN, 2n ** 60n)
  group.deliver(group.ensureConsumer('a', 1).consumer, 10, 2, false)
  group.ensureConsumer('b', 1)
  const again = reopened(rows, stream)
  let scans = 0
  const scan = rows.scan.bind(rows)
  rows.scan = (table, prefix) => {
    scans++
    return scan(table, prefix)
  }
  t.match(again.group('g'), { consumerCount: 2, pendingCount: 1, entriesRead: 2n ** 60n + 1n })
  t.equal(scans, 1, 'the group rows')
  t.equal(again.group('g')?.consumer('b')?.pendingCount, 0)
  t.equal(scans, 2)
})

t.test('a stream without groups reads no rows for them', async t => {
  const rows = new MemoryRows()
  const stream = reopened(rows, Stream.create(rows))
  rows.scan = () => t.fail('scanned') as unknown as []
  t.equal(stream.group('g'), undefined)
  t.same([...stream.groups()], [])
  t.equal(stream.destroyGroup('g'), false)
})

t.test('a destroyed group leaves no row, and its name is free', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= 500; ms++) append(stream, idOf(ms))
  const before = stream.createGroup('g', ID_MIN, 0)
  before.deliver(before.ensureConsumer('a', 1).consumer, 500, 2, false)
  rows.flush()
  t.equal(stream.destroyGroup('g'), true)
  const after = stream.createGroup('g', idOf(3), undefined)
  t.equal(after.ensureConsumer('a', 9).created, true)
  rows.flush()
  t.equal(rows.rowCount(Table.Parts), 2)
  t.match(reopened(rows, stream).group('g'), { pendingCount: 0, consumerCount: 1, lastDeliveredId: idOf(3) })
})

t.test('missing rows are noticed', async t => {
  const rows = new MemoryRows()
  const stream = Stream.create(rows)
  stream.createGroup('g', ID_MIN, 0).ensureConsumer('a', 1)
  rows.flush()
  const scan = rows.scan.bind(rows)
  const consumers = Stream.load(rows, stream.object.id).group('g')
  rows.scan = () => []
  t.throws(() => consumers?.consumer('a'), CorruptionError)
  t.throws(() => Stream.load(rows, stream.object.id).group('g'), CorruptionError)
  rows.scan = scan
  t.ok(Stream.load(rows, stream.object.id).group('g')?.consumer('a'))
})

t.test('a group that is dropped when its last entry has just been acknowledged leaves no page behind', async t => {
  const rows = new MemoryRows()
  const stream = reopened(rows, Stream.create(rows))
  for (let i = 1; i <= 10; i++) append(stream, idOf(i))
  const group = stream.createGroup('g', ID_MIN, 0)
  const { consumer } = group.ensureConsumer('a', 1)
  group.deliver(consumer, 10, 2, false)
  rows.flush()
  for (let i = 1; i <= 10; i++) t.ok(group.ack(idOf(i)))
  stream.destroyGroup('g')
  stream.drop()
  rows.flush()
  for (const table of [Table.Pages, Table.Blocks, Table.Parts]) t.equal(rows.rowCount(table), 0)
})

t.test('a row of version 1 is read: nothing was released, the position is what entries-read says', async t => {
  const stream = Stream.create(new MemoryRows())
  stream.setId(idOf(9), 9, undefined)
  const row = stream.createGroup('a name', idOf(7), 5).encodeRow()
  const old = Buffer.concat([row.subarray(0, 42), row.subarray(GROUP.SECTIONS)])
  old[GROUP.VERSION] = 1
  old[GROUP.KNOWN] = 1
  const key = stream.group('a name')!.rowKey()
  const group = ConsumerGroup.decode(stream, key, old)
  t.match(group, { name: 'a name', lastDeliveredId: idOf(7), entriesRead: 5, position: 5, releasedCount: 0 })
  old[GROUP.KNOWN] = 0
  t.match(ConsumerGroup.decode(stream, key, old), { entriesRead: undefined, position: undefined })
  t.ok(group.encodeRow().equals(row), 'and written as version 2')
  old[GROUP.VERSION] = 3
  t.throws(() => ConsumerGroup.decode(stream, key, old), /group row .* version 3/)
})

t.test('which of many entries were pending is told one by one', async t => {
  const stream = Stream.create(new MemoryRows())
  for (let i = 1; i <= 500; i++) append(stream, idOf(i))
  const group = stream.createGroup('g', ID_MIN, 0)
  t.same(group.ackEach([idOf(1)]), [false])
  group.deliver(group.ensureConsumer('a', 1).consumer, 400, 2, false)
  const ids = [1, 2, 4, 399, 400, 401].map(ms => idOf(ms))
  t.same(group.ackEach(ids), [true, true, true, true, true, false])
  t.same(
    group.ackEach(ids),
    ids.map(() => false),
  )
  t.equal(group.pendingCount, 395)
})
