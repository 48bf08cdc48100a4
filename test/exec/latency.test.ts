import t from 'tap'
import { Latency } from '../../src/exec/latency.js'
import { ServerStats } from '../../src/exec/stats.js'

t.test('what took longer than the threshold is kept, the worst of each second', async t => {
  const latency = new Latency(new ServerStats())
  latency.sample('command', 500, 1000)
  t.equal(latency.events.size, 0, 'switched off at first')
  latency.thresholdMs = 100
  latency.sample('command', 99.9, 1000)
  t.equal(latency.events.size, 0)
  latency.sample('command', 150.7, 1200)
  latency.sample('command', 400, 1300)
  latency.sample('command', 200, 1900)
  latency.sample('command', 120, 2000)
  t.same(latency.events.get('command'), {
    samples: [
      [1, 400],
      [2, 120],
    ],
    maxMs: 400,
  })
})

t.test('the last 160 samples of an event are kept, its maximum for good', async t => {
  const latency = new Latency(new ServerStats())
  latency.thresholdMs = 1
  for (let second = 0; second < 200; second++) latency.sample('fork', second === 0 ? 999 : 5, second * 1000)
  const { samples, maxMs } = latency.events.get('fork')!
  t.equal(samples.length, 160)
  t.same(samples[0], [40, 5])
  t.equal(maxMs, 999)
})

t.test('reset forgets all events, or those named, and says how many', async t => {
  const latency = new Latency(new ServerStats())
  latency.thresholdMs = 1
  for (const event of ['a', 'b', 'c']) latency.sample(event, 5, 0)
  t.equal(latency.reset(['b', 'none']), 1)
  t.same([...latency.events.keys()], ['a', 'c'])
  t.equal(latency.reset([]), 2)
  t.equal(latency.events.size, 0)
})

t.test('histograms are those of commands that were called', async t => {
  const stats = new ServerStats()
  const latency = new Latency(stats)
  t.equal(latency.histogram('get'), undefined)
  t.equal(latency.percentile('get', 50), undefined)
  stats.of(0, 'get')
  t.equal(latency.histogram('get'), undefined, 'only rejected so far')
  stats.of(0, 'get').histogram.record(3)
  t.same(latency.histogram('get'), { calls: 1, buckets: [[4, 1]] })
  t.ok(Math.abs(latency.percentile('get', 50)! - 3) < 0.03)
})
