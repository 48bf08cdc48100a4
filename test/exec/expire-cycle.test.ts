import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { ExpireCycle } from '../../src/exec/expire-cycle.js'
import { until } from '../store/journal-fixture.js'
import type { Keyspace } from '../../src/types/keyspace.js'

/** Databases with so many expired keys each; a batch of work costs `batchUs`. */
function setUp(t: { teardown(fn: () => void): void }, expired: number[], batchUs = 100) {
  const clock = new FakeClock(1000)
  const slices: number[] = []
  const state = { mayExpire: true, lazy: 0 }
  const spend = () => clock.advance(batchUs / 1000)
  const databases = expired.map((_, index) => ({
    get expiringCount() {
      return expired[index]
    },
    expireSome(max: number) {
      spend()
      const removed = Math.min(max, expired[index])
      expired[index] -= removed
      return { removed, more: expired[index] > 0 }
    },
  }))
  const keyspace = {
    databases,
    get lazyFreePending() {
      return state.lazy
    },
    lazyFreeSome(max: number) {
      spend()
      state.lazy = Math.max(0, state.lazy - max)
      return state.lazy > 0
    },
  }
  const cycle = new ExpireCycle({
    clock,
    keyspace: () => keyspace as unknown as Keyspace,
    background: work => work(),
    mayExpire: () => state.mayExpire,
    took: ms => slices.push(ms),
  })
  t.teardown(() => cycle.stop())
  return { cycle, state, slices, expired }
}

t.test('what has expired goes, in all databases', async t => {
  const { cycle, expired } = setUp(t, [40, 0, 3])
  t.equal(cycle.run(), false)
  t.same(expired, [0, 0, 0])
})

t.test('a slice is bounded by time; while more is waiting the next is longer, to a limit', async t => {
  const { cycle, slices, expired } = setUp(t, [100_000])
  for (let i = 0; i < 6; i++) t.equal(cycle.run(), true)
  t.same(slices.map(Math.round), [1, 2, 4, 8, 10, 10])
  while (cycle.run()) continue
  t.same(expired, [0])
  expired[0] = 100_000
  slices.length = 0
  cycle.run()
  t.equal(Math.round(slices[0]), 1, 'short again')
})

t.test('more effort takes longer slices', async t => {
  const { cycle, slices } = setUp(t, [100_000])
  cycle.effort = 5
  cycle.run()
  t.equal(Math.round(slices[0]), 5)
})

t.test('a busy database does not starve the others', async t => {
  const { cycle, expired } = setUp(t, [1e9, 50, 50])
  for (let i = 0; i < 2; i++) cycle.run()
  t.same(expired.slice(1), [0, 0])
})

t.test('nothing expires when it may not, but what was flushed is worked off', async t => {
  const { cycle, state, expired } = setUp(t, [10])
  state.mayExpire = false
  state.lazy = 1000
  while (cycle.run()) continue
  t.same(expired, [10])
  t.equal(state.lazy, 0)
})

t.test('started, it runs by itself', async t => {
  const { cycle, slices } = setUp(t, [10])
  cycle.roundsPerSecond = 500
  cycle.start()
  await until(() => slices.length >= 3)
  cycle.stop()
  t.equal(slices.length, 3)
})
