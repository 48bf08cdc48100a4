import t from 'tap'
import { FakeClock, systemClock } from '../../src/base/clock.js'

t.test('the system’s clock: whole units that agree, and one that never steps back', async t => {
  const before = Date.now()
  const [ms, us] = [systemClock.nowMs(), systemClock.nowUs()]
  t.ok(Number.isInteger(ms) && Number.isInteger(us))
  t.ok(ms >= before && ms <= Date.now())
  t.ok(Math.abs(us / 1000 - ms) < 60_000, 'the same time in microseconds')
  let last = systemClock.monotonicUs()
  for (let i = 0; i < 1000; i++) {
    const next = systemClock.monotonicUs()
    if (next < last) t.fail('it stepped back')
    last = next
  }
})

t.test('a clock for tests stands still until it is moved', async t => {
  const clock = new FakeClock(5000)
  t.same([clock.nowMs(), clock.nowUs(), clock.monotonicUs()], [5000, 5_000_000, 5_000_000])
  clock.advance(1.5)
  t.same([clock.nowMs(), clock.nowUs()], [5001, 5_001_500])
  clock.step(-10)
  t.same([clock.nowMs(), clock.monotonicUs()], [4991, 5_001_500], 'only the wall clock can be set')
})
