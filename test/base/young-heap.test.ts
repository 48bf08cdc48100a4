import { execFileSync } from 'node:child_process'
import t from 'tap'
import { growthFactor, YoungHeap } from '../../src/base/young-heap.js'

const MIB = 1024 * 1024

t.test('the space grows to its limit and not beyond', async t => {
  t.equal(growthFactor(MIB / 2), 8)
  t.equal(growthFactor(MIB), 4)
  t.equal(growthFactor(2 * MIB), 2)
  t.equal(growthFactor(3 * MIB), 1)
  t.equal(growthFactor(4 * MIB), 1)
  t.equal(growthFactor(16 * MIB), 1)
})

t.test(
  'the flag follows the space, is set only when it changes, and is looked at more often while it grows',
  async t => {
    const flags: string[] = []
    let halfBytes = MIB
    const young = new YoungHeap(
      flag => flags.push(flag),
      () => ({ halfBytes, oldBytes: 0 }),
    )
    t.equal(young.look(), 100)
    t.equal(young.look(), 100)
    halfBytes = 4 * MIB
    t.equal(young.look(), 250)
    t.same(flags, ['--semi-space-growth-factor=4', '--semi-space-growth-factor=1'])
    young.start()
    young.stop()
    t.equal(flags.length, 2)
  },
)

t.test('while much of what is made stays, the space is collected earlier', async t => {
  const flags: string[] = []
  let oldBytes = 50 * MIB
  const young = new YoungHeap(
    flag => flags.push(flag),
    () => ({ halfBytes: 4 * MIB, oldBytes }),
  )
  young.look()
  t.same(flags.splice(0), ['--semi-space-growth-factor=1'])
  oldBytes += MIB - 1
  young.look()
  t.same(flags, [], 'a little always stays')
  oldBytes += MIB
  young.look()
  oldBytes -= 20 * MIB
  young.look()
  t.same(flags.splice(0), ['--minor-gc-task-trigger=20'], 'a collection of old objects does not end it')
  oldBytes += MIB
  for (let look = 0; look < 8; look++) {
    young.look()
    t.same(flags, [], `look ${look}`)
  }
  young.look()
  t.same(flags, ['--minor-gc-task-trigger=80'], 'it ends some looks after the last growth')
})

t.test('V8 reads when it is to collect the space between turns each time', async t => {
  const program = `
    const v8 = require('node:v8')
    const { PerformanceObserver } = require('node:perf_hooks')
    let collections = 0
    new PerformanceObserver(list => (collections += list.getEntries().length)).observe({ entryTypes: ['gc'] })
    const turn = () => new Promise(resolve => setImmediate(resolve))
    const waste = async () => {
      const before = collections
      for (let i = 0; i < 2000; i++) {
        for (let k = 0; k < 500; k++) globalThis.last = { k, list: [k, i] }
        await turn()
      }
      await turn()
      return collections - before
    }
    void (async () => {
      await waste()
      const seldom = await waste()
      v8.setFlagsFromString('--minor-gc-task-trigger=20')
      const often = await waste()
      console.log(JSON.stringify([seldom, often]))
    })()`
  const [seldom, often] = JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))
  t.ok(often >= seldom * 1.5, `${seldom} collections, then ${often}`)
})

t.test('V8 reads the flag each time the space grows', async t => {
  const program = `
    const v8 = require('node:v8')
    const half = () => v8.getHeapSpaceStatistics().find(space => space.space_name === 'new_space').space_size / 2
    const kept = []
    const keep = count => { for (let i = 0; i < count; i++) kept.push({ i, list: [i] }) }
    v8.setFlagsFromString('--semi-space-growth-factor=1')
    keep(100000)
    const before = half()
    keep(300000)
    const still = half()
    v8.setFlagsFromString('--semi-space-growth-factor=4')
    keep(300000)
    console.log(JSON.stringify([before, still, half()]))`
  const [before, still, after] = JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))
  t.equal(still, before)
  t.ok(after > before, `${before} to ${after} bytes`)
})
