import t from 'tap'
import { compare, median, spreadOf } from '../../bench/figures.js'
import { result } from './samples.js'

t.test('medians and spreads', async t => {
  t.equal(median([3, 1, 2]), 2)
  t.equal(median([4, 1, 2, 3]), 2.5)
  t.throws(() => median([]), RangeError)
  t.equal(spreadOf([90, 100, 120]), 0.3)
  t.equal(spreadOf([0, 0]), 0)
})

t.test('ratios are Millrace over the other, from medians', async t => {
  const { peer, millrace, throughputRatio, cpuRatio, cpuRatioSpread } = compare(
    result('xadd', { peer: [10, 20, 12], millrace: [5, 9, 6] }),
  )
  t.equal(peer.cpuUs, 12)
  t.equal(millrace.cpuUs, 6)
  t.equal(cpuRatio, 0.5)
  t.equal(throughputRatio, 2)
  // The rounds on their own say 0.5, 0.45 and 0.5.
  t.ok(Math.abs(cpuRatioSpread - 0.1) < 1e-9)
})

t.test('of a server that cannot be looked into, the CPU is not known', async t => {
  const { cpuRatio, throughputRatio } = compare(result('xadd', { peer: [0], millrace: [5] }))
  t.equal(cpuRatio, undefined)
  t.ok(throughputRatio > 0)
})
