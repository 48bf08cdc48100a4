import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { addon } from '../../src/native/addon.js'

const DOOR = fileURLToPath(new URL('../../src/native/heap-trim.ts', import.meta.url))

t.setTimeout(120_000)
const ADDON = fileURLToPath(new URL('../../native/build/Release/millrace.node', import.meta.url))
const PIECES = `
    let pieces = []
    for (let i = 0; i < 10240; i++) pieces.push(Buffer.allocUnsafeSlow(16000).fill(1))
    // One in thirty stays, so that the others are not at the end of the heap.
    pieces = pieces.filter((_, i) => i % 30 === 0)
    for (let i = 0; i < 5; i++) { gc(); await new Promise(resolve => setTimeout(resolve, 20)) }`

t.test('what lies free between pieces in use goes back to the system', async t => {
  if (addon?.trimHeap === undefined) return t.pass('the addon was not built')
  const program = `
    const { trimHeap } = await import(${JSON.stringify(DOOR)})
${PIECES}
    const before = process.memoryUsage.rss()
    const went = trimHeap()
    console.log(JSON.stringify([went, before, process.memoryUsage.rss(), pieces.length]))`
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program]
  const [went, before, after] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  t.equal(went, true)
  t.ok(after < before - 60 * 1024 * 1024, `${before} bytes resident, then ${after}`)
})

t.test('a pass gives it back in slices, no more than is asked for, and can be made again', async t => {
  if (addon?.trimHeapSome === undefined) return t.pass('the addon was not built')
  const program = `
    const { trimHeapSome } = await import(${JSON.stringify(DOOR)})
    ${PIECES}
    const pass = bytesMax => {
      let slices = 1
      while (trimHeapSome(bytesMax, 0)) slices++
      return [slices, process.memoryUsage.rss()]
    }
    const before = process.memoryUsage.rss()
    const [half, all, again] = [pass(60e6), pass(1e12), pass(1e12)]
    // What was given back can be had again, and what stayed is whole.
    const more = Array.from({ length: 4096 }, () => Buffer.allocUnsafeSlow(16000).fill(2))
    const all1 = pieces.every(piece => piece[0] === 1 && piece[8000] === 1 && piece[15999] === 1)
    const whole = all1 && more.every(piece => piece[15999] === 2)
    console.log(JSON.stringify({ before, half, all, again, whole }))`
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program]
  const { before, half, all, again, whole } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  t.ok(half[0] > 50 && all[0] > 50, 'a slice is a piece at least')
  t.ok(half[1] < before - 30e6 && half[1] > before - 90e6, `${before} bytes resident, then ${half[1]}`)
  t.ok(all[1] < before - 110e6, `and ${all[1]}`)
  t.ok(again[1] < all[1] + 10e6)
  t.ok(whole)
})

t.test('a pass of another thread is its own', async t => {
  if (addon?.trimHeapSome === undefined) return t.pass('the addon was not built')
  const program = `
    const { Worker } = await import('node:worker_threads')
    const { trimHeapSome } = await import(${JSON.stringify(DOOR)})
    ${PIECES}
    trimHeapSome(1e12, 0)
    const code = "import { createRequire } from 'node:module'; import { parentPort } from 'node:worker_threads';" +
      "const { trimHeapSome } = createRequire('/')(" + JSON.stringify(${JSON.stringify(ADDON)}) + ");" +
      "let n = 1; while (trimHeapSome(1e8, 0) === 1) n++; parentPort.postMessage(n)"
    const slices = await new Promise(resolve => new Worker(code, { eval: true }).once('message', resolve))
    while (trimHeapSome(1e12, 1e6));
    console.log(JSON.stringify([slices, pieces.every(piece => piece[0] === 1)]))`
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program]
  const [slices, whole] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  t.ok(slices > 0)
  t.ok(whole)
})
