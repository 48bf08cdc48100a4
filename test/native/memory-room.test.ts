import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { hasRoomFor } from '../../src/native/memory-room.js'

t.test('there is room while the system gives it', async t => {
  for (let i = 0; i < 64; i++) t.ok(hasRoomFor(1 << 20))
})

t.test('a process near its limit is told before it reaches it', async t => {
  if (spawnSync('prlimit', ['--data=600000000', 'true']).status !== 0) {
    return t.comment('prlimit cannot limit memory here: left out')
  }
  const script = `
    const { hasRoomFor } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/native/memory-room.ts'))})
    const held = []
    while (hasRoomFor(65536)) held.push(Buffer.allocUnsafeSlow(65536).fill(1))
    console.log(held.length)`
  const child = spawnSync(
    'prlimit',
    ['--data=600000000', process.execPath, '--import', 'tsx', '--input-type=module', '-e', script],
    { encoding: 'utf8', cwd: join(import.meta.dirname, '../..') },
  )
  t.equal(child.status, 0, child.stderr)
  const pieces = Number(child.stdout)
  t.ok(pieces > 1000 && pieces < (600_000_000 - 64 * 1024 * 1024) / 65536, `${pieces} pieces`)
})
