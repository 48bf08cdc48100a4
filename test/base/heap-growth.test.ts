import { execFileSync } from 'node:child_process'
import t from 'tap'
import { growingPercent, HeapGrowth } from '../../src/base/heap-growth.js'

const MIB = 1024 * 1024

t.test('a small heap may gather as much garbage as a larger one', async t => {
  t.equal(growingPercent(1), 400)
  t.equal(growingPercent(8 * MIB), 400)
  t.equal(growingPercent(16 * MIB), 200)
  t.equal(growingPercent(64 * MIB), 50)
  t.equal(growingPercent(64 * MIB + 1), 0, "beyond it V8's own rule")
})

t.test('the flag follows the heap and is set only when it changes', async t => {
  const flags: string[] = []
  let heapBytes = 16 * MIB
  const growth = new HeapGrowth(
    flag => flags.push(flag),
    () => heapBytes,
  )
  growth.look()
  growth.look()
  heapBytes = 100 * MIB
  growth.look()
  t.same(flags, ['--heap-growing-percent=200', '--heap-growing-percent=0'])
  growth.start()
  growth.stop()
  t.equal(flags.length, 2)
})

t.test('V8 knows the flag', async t => {
  t.doesNotThrow(() => execFileSync(process.execPath, ['--heap-growing-percent=200', '-e', '']))
  t.throws(() => execFileSync(process.execPath, ['--heap-growing-percents=200', '-e', ''], { stdio: 'ignore' }))
})
