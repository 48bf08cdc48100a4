import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { addon } from '../../src/native/addon.js'

const DOOR = fileURLToPath(new URL('../../src/native/heap-trim.ts', import.meta.url))

t.test('what lies free between pieces in use goes back to the system', async t => {
  if (addon?.trimHeap === undefined) return t.pass('the addon was not built')
  const program = `
    const { trimHeap } = await import(${JSON.stringify(DOOR)})
    let pieces = []
    for (let i = 0; i < 16384; i++) pieces.push(Buffer.allocUnsafeSlow(16000).fill(1))
    // One in thirty stays, so that the others are not at the end of the heap.
    pieces = pieces.filter((_, i) => i % 30 === 0)
    for (let i = 0; i < 5; i++) { gc(); await new Promise(resolve => setTimeout(resolve, 20)) }
    const before = process.memoryUsage.rss()
    const went = trimHeap()
    console.log(JSON.stringify([went, before, process.memoryUsage.rss(), pieces.length]))`
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program]
  const [went, before, after] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  t.equal(went, true)
  t.ok(after < before - 100 * 1024 * 1024, `${before} bytes resident, then ${after}`)
})
