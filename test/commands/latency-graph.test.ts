import t from 'tap'
import { latencyGraph } from '../../src/commands/latency-graph.js'

t.test('a column per sample, its age below', async t => {
  t.equal(
    latencyGraph(
      'fork',
      [
        [100, 10],
        [190, 80],
      ],
      90,
      200,
    ),
    `fork - high 80 ms, low 10 ms (all time high 90 ms)\n${'-'.repeat(80)}\n #\n #\n #\n_#\n11\nm0\n s\n`,
  )
})

t.test('no more columns than a terminal has', async t => {
  const samples = Array.from({ length: 160 }, (_, i) => [i, i] as const)
  const lines = latencyGraph('x', samples, 160, 200).split('\n')
  t.equal(Math.max(...lines.map(line => line.length)), 80)
})
