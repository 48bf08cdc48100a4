import t from 'tap'
import { hasRoomFor } from '../../src/native/memory-room.js'
import { outputOfLimited } from '../support/limited-process.js'

t.test('there is room while the system gives it', async t => {
  for (let i = 0; i < 64; i++) t.ok(hasRoomFor(1 << 20))
})

t.test('a process near its limit is told before it reaches it', async t => {
  const output = outputOfLimited(
    t,
    `const { hasRoomFor } = await load('src/native/memory-room.ts')
    const large = hasRoomFor(560_000_000)
    const held = []
    while (hasRoomFor(65536)) held.push(Buffer.allocUnsafeSlow(65536).fill(1))
    console.log(large, held.length)`,
  )
  if (output === undefined) return
  const [large, pieces] = output.trim().split(' ')
  t.equal(large, 'false', 'what is asked for in one go counts')
  t.ok(Number(pieces) > 1000 && Number(pieces) < (600_000_000 - 64 * 1024 * 1024) / 65536, `${pieces} pieces`)
})
