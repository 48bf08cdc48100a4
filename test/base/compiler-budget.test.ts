import { execFileSync } from 'node:child_process'
import t from 'tap'
import { widenInlining } from '../../src/base/compiler-budget.js'

t.test('one flag is set, and V8 knows it', async t => {
  const flags: string[] = []
  widenInlining(flag => flags.push(flag))
  t.equal(flags.length, 1)
  t.doesNotThrow(() => execFileSync(process.execPath, [flags[0], '-e', '']))
  const misspelt = flags[0].replace('-size-', '-sizes-')
  t.throws(() => execFileSync(process.execPath, [misspelt, '-e', ''], { stdio: 'ignore' }))
})
