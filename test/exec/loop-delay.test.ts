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

t.test('work of the loop counts as such, waiting does not', async t => {
  const delay = new LoopDelay()
  t.equal(delay.busyUs([100]), undefined, 'not measured yet')
  delay.start()
  t.teardown(() => delay.stop())
  const turn = () => new Promise(resolve => setTimeout(resolve, 2))
  for (let i = 0; i < 5; i++) await turn()
  delay.reset()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  for (let i = 0; i < 5; i++) await turn()
  const [waited] = delay.busyUs([100])!
  t.ok(waited < 250_000, `${waited} microseconds while nothing was done`)
  const { user: before } = process.cpuUsage()
  while (process.cpuUsage().user - before < 100_000) Math.hypot(before, 2)
  for (let i = 0; i < 5; i++) await turn()
  const [median, longest] = delay.busyUs([50, 100])!
  t.ok(longest >= 50_000, `${longest} microseconds of work`)
  t.ok(median < longest)
  delay.reset()
  t.same(delay.busyUs([100]), [0])
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
