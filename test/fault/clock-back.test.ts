// The wall clock is set back by an hour under a server: IDs of streams go on rising, nothing expires twice or too soon,
// waiting clients get their time-out, the journal is synced and checkpoints are made as before, and what was written
// with the wrong clock is there after a restart, and after a kill.

import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import type { Clock } from '../../src/base/clock.js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

const HOUR_MS = 3_600_000

/** The system's, but for what an operator has set its wall clock by. */
class SteppedClock implements Clock {
  stepMs = 0
  nowMs = () => systemClock.nowMs() + this.stepMs
  nowUs = () => systemClock.nowUs() + this.stepMs * 1000
  monotonicUs = systemClock.monotonicUs
}

const idOf = (reply: string): number[] => reply.split('\r\n')[1].split('-').map(Number)

for (const save of [true, false]) {
  t.test(`a clock that is set back, and a restart ${save ? 'in peace' : 'without a checkpoint'}`, async t => {
    const dir = tempDir(t)
    const clock = new SteppedClock()
    const { server, connect } = await startInProcess(t, dir, {}, undefined, { clock })
    const [client, waiting] = [await connect(), await connect()]
    const before = idOf(await client.text('XADD', 's', '*', 'n', 1))
    await client.text('XGROUP', 'CREATE', 's', 'g', '0')
    await client.text('XREADGROUP', 'GROUP', 'g', 'ann', 'STREAMS', 's', '>')
    await client.text('SET', 'short', 'value', 'PX', 200)
    await client.text('SET', 'long', 'value', 'EX', 100)
    await client.text('SET', 'absolute', 'value', 'PXAT', clock.nowMs() + 2 * HOUR_MS)

    clock.stepMs = -HOUR_MS
    const after = idOf(await client.text('XADD', 's', '*', 'n', 2))
    t.same(after, [before[0], before[1] + 1], 'the next ID follows the last one')
    t.match(await client.text('XADD', 's', '1-1', 'n', 3), /^-ERR The ID specified in XADD is equal or smaller/)
    t.match(await client.text('XPENDING', 's', 'g', '-', '+', 10), /\r\n:(0|-?\d+)\r\n:1\r\n$/)
    t.equal(await client.text('XAUTOCLAIM', 's', 'g', 'bob', 1000, '0').then(reply => reply.includes('n')), false)
    // An expiry is a moment of the wall clock, as in Redis: it comes an hour later now.
    t.equal(await client.text('GET', 'short'), '$5\r\nvalue\r\n')
    t.match(Number((await client.text('TTL', 'long')).slice(1)) > 3600, true)
    await client.text('SET', 'new', 'value', 'PX', 50)
    await new Promise(resolve => setTimeout(resolve, 80))
    t.equal(await client.text('GET', 'new'), '$-1\r\n', 'what begins now ends by the clock of now')
    // Waiting is measured by the clock that is never set.
    t.equal(await waiting.text('BLPOP', 'nothing', '0.05'), '*-1\r\n')
    t.equal(await waiting.text('XREAD', 'BLOCK', 50, 'STREAMS', 's', '$'), '*-1\r\n')
    await t.resolves(server.durability.synced())
    t.equal(await client.text('WAITAOF', 1, 0, 1000), '*2\r\n:1\r\n:0\r\n')
    if (save) t.equal(await client.text('SAVE'), '+OK\r\n')
    const written = await client.text('XRANGE', 's', '-', '+')
    await server.close({ save })

    const again = await startInProcess(t, dir, {}, undefined, { clock })
    const reader = await again.connect()
    t.equal(await reader.text('XRANGE', 's', '-', '+'), written)
    t.equal(await reader.text('GET', 'short'), '$5\r\nvalue\r\n')
    clock.stepMs = 0
    t.equal(await reader.text('GET', 'short'), '$-1\r\n', 'and ends when the clock is right again')
    t.equal(await reader.text('EXISTS', 'long', 'absolute'), ':2\r\n')
    const last = idOf(await reader.text('XADD', 's', '*', 'n', 4))
    t.ok(last[0] > after[0], 'IDs follow the clock again')
  })
}
