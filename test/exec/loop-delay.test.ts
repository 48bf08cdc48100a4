import type { IntervalHistogram } from 'node:perf_hooks'
import t from 'tap'
import { LoopDelay } from '../../src/exec/loop-delay.js'

t.test('delays are what goes beyond the interval of the looks, in microseconds', t => {
  const did: string[] = []
  const histogram = {
    count: 0,
    max: 0,
    percentile: (percent: number) => (percent > 99 ? 25_000_000 : 4_900_000),
    enable: () => did.push('enable'),
    disable: () => did.push('disable'),
    reset: () => did.push('reset'),
  }
  const delay = new LoopDelay(histogram as unknown as IntervalHistogram)
  delay.start()
  t.equal(delay.maxUs, 0, 'nothing was seen yet')
  histogram.count = 9
  histogram.max = 145_000_000
  t.equal(delay.maxUs, 140_000)
  t.equal(delay.percentileUs(99.99), 20_000)
  t.equal(delay.percentileUs(50), 0, 'never less than none')
  delay.reset()
  delay.stop()
  t.same(did, ['enable', 'reset', 'disable'])
  t.end()
})

t.test('a loop that is held up is noticed', async t => {
  const delay = new LoopDelay()
  delay.start()
  t.teardown(() => delay.stop())
  const turns = async () => {
    for (let i = 0; i < 20; i++) await new Promise(resolve => setTimeout(resolve, 2))
  }
  await turns()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80)
  await turns()
  t.ok(delay.maxUs >= 50_000, `${delay.maxUs} microseconds`)
  t.ok(delay.percentileUs(100) >= 50_000)
})
