import t from 'tap'
import { Deadline, ExpiryHeap } from '../../src/types/expiry.js'
import type { KeyEntry } from '../../src/types/key-entry.js'
import { seeded } from '../support/seeded.js'

const entry = {} as KeyEntry

t.test('the soonest deadline is on top whatever is added, moved or removed', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const heap = new ExpiryHeap()
  const model: Deadline[] = []
  for (let step = 0; step < 5000; step++) {
    const action = random.below(4)
    if (action < 2 || model.length === 0) {
      const deadline = new Deadline(entry, random.below(1000) - 100)
      heap.add(deadline)
      model.push(deadline)
    } else if (action === 2) {
      heap.move(random.pick(model), random.below(1000) - 100)
    } else {
      const [gone] = model.splice(random.below(model.length), 1)
      heap.remove(gone)
    }
    const soonest = model.reduce((least, one) => Math.min(least, one.atMs), Infinity)
    if (heap.size !== model.length || (heap.soonest()?.atMs ?? Infinity) !== soonest) t.fail(`step ${step}`)
  }
  t.equal(heap.size, model.length)
})

t.test('the mean time to live counts past deadlines as none left', async t => {
  const heap = new ExpiryHeap()
  t.equal(heap.meanTtlMs(1000), 0)
  heap.add(new Deadline(entry, 500))
  heap.add(new Deadline(entry, 1200))
  t.equal(heap.meanTtlMs(1000), 100)
  for (let i = 0; i < 10_000; i++) heap.add(new Deadline(entry, 2000))
  t.ok(Math.abs(heap.meanTtlMs(1000) - 1000) < 60)
})
