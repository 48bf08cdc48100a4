import t from 'tap'
import { addon } from '../../src/native/addon.js'
import { TurnMeter } from '../../src/native/turn-meter.js'
import { COUNTERS, LatencyHistogram } from '../../src/exec/latency-histogram.js'

const longestUs = (meter: TurnMeter) => LatencyHistogram.of(meter.counts).percentile(100) ?? 0
const turn = () => new Promise(resolve => setTimeout(resolve, 2))

/** Works for so much processor time. */
function work(us: number): void {
  const { user, system } = process.cpuUsage()
  for (;;) {
    const used = process.cpuUsage()
    if (used.user + used.system - user - system >= us) return
  }
}

t.test('the turn that works longest is seen, until the meter is stopped', async t => {
  const meter = new TurnMeter(COUNTERS)
  if (addon?.turnMeterStart === undefined) {
    t.equal(meter.start(), false)
    return
  }
  t.equal(meter.start(), true)
  await turn()
  work(60_000)
  await turn()
  t.ok(longestUs(meter) >= 30_000, `${longestUs(meter)} microseconds`)
  meter.stop()
  meter.counts.fill(0)
  work(20_000)
  await turn()
  t.equal(longestUs(meter), 0)
  t.equal(meter.start(), true, 'it can be started again')
  meter.stop()
  meter.stop()
})
