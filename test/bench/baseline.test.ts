import t from 'tap'
import { keep, readBaseline, worsened } from '../../bench/baseline.js'
import { rows } from '../../bench/rows.js'
import { result } from './samples.js'

const steady = (cpuUs: number) => keep([result('xadd', { peer: [10, 10, 10], millrace: [cpuUs, cpuUs, cpuUs] })])

t.test('what costs more than before is named, with what would have been in order', async t => {
  t.same(worsened(steady(10), steady(12)), [{ row: 'xadd', was: 1, is: 1.2, allowed: 1.15 }])
  t.same(worsened(steady(10), steady(11)), [], 'a little is noise')
  t.same(worsened(steady(10), steady(5)), [], 'less is fine')
})

t.test('rows whose rounds differ much are allowed more', async t => {
  const wild = keep([result('xadd', { peer: [10, 10, 10], millrace: [10, 12, 16] })])
  t.same(worsened(steady(10), wild), [], '1.2 with rounds from 1.0 to 1.6')
  const wilder = keep([result('xadd', { peer: [10, 10, 10], millrace: [17, 20, 25] })])
  t.equal(worsened(steady(10), wilder).length, 1, 'but not twice as much')
})

t.test('rows that are new, or of a server that cannot be looked into, are not judged', async t => {
  const fresh = keep([result('new', { peer: [10], millrace: [100] })])
  t.same(worsened(steady(10), fresh), [])
  t.same(keep([result('foreign', { peer: [0], millrace: [5] })]), {})
})

t.test('the baseline in the repository is one of rows that exist', async t => {
  const names = new Set(rows.map(({ name }) => name))
  const kept = Object.entries(readBaseline())
  t.ok(kept.length > 0)
  for (const [name, { cpuRatio, spread }] of kept) {
    t.ok(names.has(name), name)
    t.ok(cpuRatio > 0 && spread >= 0, name)
  }
})
