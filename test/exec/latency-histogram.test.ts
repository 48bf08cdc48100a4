import t from 'tap'
import { LatencyHistogram } from '../../src/exec/latency-histogram.js'
import { seeded } from '../support/seeded.js'

t.test('percentiles keep two significant digits', async t => {
  const histogram = new LatencyHistogram()
  t.equal(histogram.percentile(50), undefined, 'before the first call')
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const values: number[] = []
  for (let i = 0; i < 3000; i++) values.push(Math.max(1, Math.floor(10 ** (rng.fraction() * 6))))
  for (const us of values) histogram.record(us)
  values.sort((a, b) => a - b)
  for (const percent of [0, 1, 50, 99, 99.9, 100]) {
    const exact = values[Math.max(0, Math.ceil((percent / 100) * values.length) - 1)]
    const given = histogram.percentile(percent)!
    t.ok(given >= exact * 0.99 && given <= exact * 1.01, `p${percent}: ${given} for ${exact}`)
  }
})

t.test('buckets are bounded by powers of two and count up', async t => {
  const histogram = new LatencyHistogram()
  t.same(histogram.buckets(), [])
  for (const us of [1, 1, 3, 100, 70_000]) histogram.record(us)
  // Bounds as LATENCY HISTOGRAM of Redis 7.0 prints them: powers of two of nanoseconds, in whole microseconds.
  t.same(histogram.buckets(), [
    [1, 2],
    [4, 3],
    [132, 4],
    [135_266, 5],
  ])
})

t.test('what is below the range or above it is counted at its ends', async t => {
  const histogram = new LatencyHistogram()
  histogram.record(0)
  t.equal(histogram.percentile(100), 0.001)
  histogram.record(3_600_000_000)
  t.equal(histogram.calls, 2)
  t.ok(histogram.percentile(100)! >= 1_000_000)
  t.ok(histogram.percentile(100)! <= 1_010_000)
})
