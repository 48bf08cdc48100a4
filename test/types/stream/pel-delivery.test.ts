import t from 'tap'
import { formatId, ID_MAX, ID_MIN, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { append, reopened } from './stream-fixture.js'

t.test('deliveries of any size fill both trees, whatever was delivered before', async t => {
  const rows = new MemoryRows()
  let stream = Stream.create(rows)
  for (let n = 1; n <= 5_000; n++) append(stream, idOf(n))
  stream.createGroup('g', ID_MIN, 0)
  let delivered = 0
  let sizes = 0
  // A large one keeps a large scratch, which the small one behind it must not take for its own.
  for (const size of [1, 3_000, 2, 500, 0, 226, 1_200]) {
    const group = stream.group('g')!
    const { consumer } = group.ensureConsumer(`c${sizes++ % 2}`, 0)
    if (size > 0) group.deliver(consumer, size, 1000 + sizes, false)
    delivered += size
    if (size === 500) stream = reopened(rows, stream)
  }
  const group = stream.group('g')!
  t.equal(group.pendingCount, delivered)
  const seen = [...group.pendingRange(ID_MIN, ID_MAX)]
  t.ok(seen.every((row, i) => formatId(row.id) === `${i + 1}-0` && row.deliveries === 1))
  t.equal(seen[0].deliveredMs, 1001)
  t.equal(seen[3_001].deliveredMs, 1003)
  t.equal(seen[3_001].ownerName, 'c0')
  const [c0, c1] = ['c0', 'c1'].map(name => [...group.pendingRange(ID_MIN, ID_MAX, group.consumer(name)!)].length)
  t.same([c0, c1], [1 + 2 + 1_200, 3_000 + 500 + 226])
})
