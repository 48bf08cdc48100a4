// Streams at sizes that nobody expects: entries larger than a page, very many groups and consumers, names of any byte,
// IDs up to the last possible one. STREAM_SIZE groups and consumers (300).

import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf, previousId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { referencedAmong } from '../../../src/types/stream/references.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, entryWire, reopened, textOf } from './stream-fixture.js'

const SIZE = Number(process.env.STREAM_SIZE ?? 300)

t.test('entries larger than a page are delivered, pending and deleted like any other', async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  const large = Buffer.alloc(300_000, 'x')
  append(stream, idOf(1), ['f', large])
  append(stream, idOf(2))
  append(stream, idOf(3), [large, large])
  const group = stream.createGroup('g', ID_MIN, 0)
  group.deliver(group.ensureConsumer('c', 0).consumer, 10, 5, false)
  stream = reopened(rows, stream)
  t.equal(textOf(stream.range(idOf(3), ID_MAX, 9)), entryWire(idOf(3), [large, large]))
  t.equal(stream.group('g')!.pendingCount, 3)
  t.ok(stream.delete(idOf(1)))
  t.equal(stream.trim({ by: 'maxlen', length: 1, approximate: false, limit: 0 }), 1)
  t.equal(stream.group('g')!.dropPending(ID_MIN, idOf(2)), 2)
})

t.test(`${SIZE} groups on one stream, each with something pending`, async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  append(stream, idOf(1))
  append(stream, idOf(2))
  const nameOf = (i: number) => `\0\r\n\xff${i}`
  for (let i = 0; i < SIZE; i++) {
    const group = stream.createGroup(nameOf(i), ID_MIN, 0)
    group.deliver(group.ensureConsumer(nameOf(i), 0).consumer, 1, 5, false)
  }
  stream = reopened(rows, stream)
  t.equal(stream.groupCount, SIZE)
  for (let i = 0; i < SIZE; i++) {
    const group = stream.group(nameOf(i))!
    if (group.lag() !== 1 || group.pendingCount !== 1) return t.fail(`group ${i}`)
    if (i > 0) group.ack(idOf(1))
  }
  t.ok(referencedAmong(stream, [idOf(1)]).has('1-0'), 'by the one group that did not acknowledge it')
  stream.group(nameOf(0))!.ack(idOf(1))
  t.notOk(referencedAmong(stream, [idOf(1)]).has('1-0'))
  for (let i = 0; i < SIZE; i++) stream.destroyGroup(nameOf(i))
  t.equal(reopened(rows, stream).groupCount, 0)
})

t.test(`${SIZE} consumers in one group`, async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  for (let i = 1; i <= SIZE; i++) append(stream, idOf(i))
  let group = stream.createGroup('g', ID_MIN, 0)
  for (let i = 1; i <= SIZE; i++) group.deliver(group.ensureConsumer(`c${i}`, 0).consumer, 1, i, false)
  stream = reopened(rows, stream)
  group = stream.group('g')!
  t.equal(group.consumerCount, SIZE)
  t.equal(group.consumers().filter(({ pendingCount }) => pendingCount === 1).length, SIZE)
  for (let i = 1; i < SIZE; i++) if (group.deleteConsumer(`c${i}`) !== 1) return t.fail(`consumer ${i}`)
  t.equal(group.pendingCount, 1)
  t.equal([...group.oldestPending(SIZE)][0].ownerName, `c${SIZE}`)
})

t.test('the last possible IDs', async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  const last = previousId(ID_MAX)!
  append(stream, last)
  append(stream, ID_MAX)
  const group = stream.createGroup('g', ID_MIN, 0)
  group.deliver(group.ensureConsumer('c', 0).consumer, 1, 5, false)
  t.equal(group.lag(), 1)
  group.deliver(group.consumer('c')!, 9, 5, false)
  t.equal(group.lag(), 0)
  t.equal([...group.upcoming(5)].length, 0)
  group.release(ID_MAX, 1)
  stream = reopened(rows, stream)
  const again = stream.group('g')!
  t.same(
    [...again.oldestPending(9)].map(({ id }) => formatId(id)),
    [formatId(ID_MAX), formatId(last)],
  )
  t.equal(again.dropPending(ID_MIN, ID_MAX), 2)
})
