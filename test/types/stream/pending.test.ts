import t from 'tap'
import { idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Pending } from '../../../src/types/stream/pending.js'
import { Stream } from '../../../src/types/stream/stream.js'

function ann() {
  const group = Stream.create(new MemoryRows()).createGroup('g', idOf(0), undefined)
  return group.ensureConsumer('ann', 0).consumer
}

t.test('an owned entry is idle from its delivery on', async t => {
  const row = new Pending(idOf(1), ann(), 1_000, 2)
  t.equal(row.ownerName, 'ann')
  t.equal(row.idleMs(1_250), 250)
  t.equal(row.idleMs(900), 0, 'a clock that was set back makes nothing younger than new')
  t.ok(row.isIdle(1_250, 250))
  t.notOk(row.isIdle(1_249, 250))
  t.ok(row.isIdle(900, 0), 'who asks for no idle time gets everything')
})

t.test('a released entry is idle for whoever asks, and shows -1', async t => {
  const row = new Pending(idOf(1), undefined, 0, 1)
  t.equal(row.ownerName, '')
  t.equal(row.idleMs(5_000), -1)
  t.ok(row.isIdle(0, 1_000_000))
})
