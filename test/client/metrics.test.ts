import t from 'tap'
import { Metrics, metricsText } from '../../src/client/metrics.js'

const NAMES = {
  jobs_total: { type: 'counter', help: 'Jobs.' },
  depth: { type: 'gauge', help: 'Depth.' },
} as const

t.test('a counter adds up for each set of labels, a gauge is set', async t => {
  const metrics = new Metrics(NAMES, { at: 'here' })
  metrics.add('jobs_total')
  metrics.add('jobs_total', 2, { kind: 'a' })
  metrics.add('jobs_total', 3, { kind: 'a' })
  metrics.set('depth', 7)
  metrics.set('depth', 4)
  t.equal(metrics.total('jobs_total'), 6)
  t.same(metrics.snapshot(), [
    {
      name: 'jobs_total',
      type: 'counter',
      help: 'Jobs.',
      samples: [
        { labels: { at: 'here' }, value: 1 },
        { labels: { at: 'here', kind: 'a' }, value: 5 },
      ],
    },
    { name: 'depth', type: 'gauge', help: 'Depth.', samples: [{ labels: { at: 'here' }, value: 4 }] },
  ])
})

t.test('a snapshot does not move with its counters', async t => {
  const metrics = new Metrics(NAMES)
  t.same(metrics.snapshot()[0].samples, [{ labels: {}, value: 0 }], 'a counter that never counted is 0')
  metrics.add('jobs_total')
  const before = metrics.snapshot()
  metrics.add('jobs_total')
  t.equal(before[0].samples[0].value, 1)
})

t.test('the text is what Prometheus reads', async t => {
  const metrics = new Metrics(NAMES)
  metrics.add('jobs_total', 2, { kind: 'a "b"\n\\' })
  t.equal(
    metricsText(metrics.snapshot()),
    '# HELP jobs_total Jobs.\n# TYPE jobs_total counter\njobs_total{kind="a \\"b\\"\\n\\\\"} 2\n' +
      '# HELP depth Depth.\n# TYPE depth gauge\ndepth 0\n',
  )
})
