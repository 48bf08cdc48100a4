import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { Deadlines } from '../../src/exec/deadlines.js'
import { Pause } from '../../src/exec/pause.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const clock = new FakeClock(0)
  const deadlines = new Deadlines(() => clock.monotonicUs() / 1000)
  t.teardown(() => deadlines.close())
  let ends = 0
  const pause = new Pause(deadlines, () => ends++)
  const advance = (ms: number) => {
    clock.advance(ms)
    deadlines.run()
  }
  return { pause, advance, ends: () => ends }
}

t.test('a pause ends by itself', async t => {
  const { pause, advance, ends } = setUp(t)
  t.match(pause, { mode: undefined, untilMs: 0 })
  pause.begin(100, 'write', 0)
  advance(99)
  t.match(pause, { mode: 'write', untilMs: 100 })
  advance(1)
  t.match(pause, { mode: undefined, untilMs: 0 })
  t.equal(ends(), 1)
})

t.test('a second pause makes it longer or stricter, never shorter or milder', async t => {
  const { pause, advance, ends } = setUp(t)
  pause.begin(100, 'all', 0)
  pause.begin(50, 'write', 0)
  t.match(pause, { mode: 'all', untilMs: 100 })
  pause.begin(200, 'write', 0)
  t.match(pause, { mode: 'all', untilMs: 200 })
  advance(150)
  t.equal(pause.mode, 'all')
  advance(50)
  t.equal(ends(), 1, 'once')
})

t.test('an end before its time is the only one', async t => {
  const { pause, advance, ends } = setUp(t)
  pause.end()
  t.equal(ends(), 0, 'nothing was paused')
  pause.begin(100, 'write', 0)
  pause.end()
  advance(1000)
  t.equal(ends(), 1)
})
