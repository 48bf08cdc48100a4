import t from 'tap'
import { growthCharts, ratioChart } from '../../bench/charts.js'
import { result } from './samples.js'

t.test('the ratios of all rows in one picture', async t => {
  const svg = ratioChart([result('xadd-p16', { peer: [10], millrace: [5] })], 'Redis')
  t.match(svg, /^<svg /)
  t.match(svg, 'xadd-p16')
  t.match(svg, 'Millrace against Redis')
  t.match(svg, />0\.5</, 'the CPU ratio')
  t.match(svg, />2</, 'the throughput ratio')
})

t.test('a picture per curve, of the points that belong to it', async t => {
  const point = (name: string, x: number) =>
    result(`${name}@${x}`, { peer: [10], millrace: [x] }, { name, x, xName: `how many of ${name}` })
  const charts = growthCharts([point('entries', 10), point('entries', 1), point('clients', 5)], 'Redis')
  t.same([...charts.keys()], ['entries', 'clients'])
  t.match(charts.get('entries'), 'how many of entries')
  t.notMatch(charts.get('entries'), 'clients')
  t.same([...growthCharts([result('xadd', { peer: [1], millrace: [1] })], 'Redis').keys()], [], 'rows are no curves')
})
