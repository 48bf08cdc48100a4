import t from 'tap'
import { MemoryGuard, usedMemoryBytes } from '../../src/exec/memory-guard.js'
import { until } from '../store/journal-fixture.js'

t.test('the limit is judged at once when it is set, and again and again', async t => {
  let used = 100
  const judged: boolean[] = []
  const guard = new MemoryGuard(
    full => judged.push(full),
    () => used,
  )
  t.teardown(() => guard.stop())
  guard.bytesMax = 99
  t.same(judged, [true])
  guard.bytesMax = 100
  t.same(judged, [true, false], 'the limit itself may be reached')
  used = 101
  await until(() => judged.at(-1) === true)
  guard.bytesMax = 0
  t.equal(judged.at(-1), false, 'no limit')
})

t.test('what is used is the heap and what hangs on it', async t => {
  const before = usedMemoryBytes()
  const block = Buffer.alloc(64 << 20)
  t.ok(usedMemoryBytes() - before > 60 << 20, `${block.length} bytes more`)
})
