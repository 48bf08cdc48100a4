import t from 'tap'
import { Frequencies, stampMs, stampOf } from '../../src/types/access.js'

const NOW = 1_700_000_000_000
const MINUTE = 60_000

t.test('a stamp keeps the second of an access', async t => {
  t.equal(stampMs(stampOf(NOW + 999)), NOW)
  t.equal(stampMs(stampOf(0)), 1_600_000_000_000, 'nothing lies before the base')
  t.equal(stampMs(stampOf(1e15)), 1_600_000_000_000 + 0x7fffffff * 1000, 'nor beyond its end')
})

t.test('a counter grows with each use while the chance is one, and with the logarithm beyond', async t => {
  const entry = { stamp: 0 }
  let chance = 0
  const frequencies = new Frequencies(() => chance)
  frequencies.begin(entry, NOW)
  t.equal(frequencies.of(entry, NOW), 5)
  for (let i = 0; i < 3; i++) frequencies.count(entry, NOW)
  t.equal(frequencies.of(entry, NOW), 8)
  chance = 0.033
  frequencies.count(entry, NOW)
  t.equal(frequencies.of(entry, NOW), 8, 'three beyond the first value: a chance of 1 in 31')
  chance = 0.032
  frequencies.count(entry, NOW)
  t.equal(frequencies.of(entry, NOW), 9)
  frequencies.logFactor = 0
  chance = 0.999
  for (let i = 0; i < 300; i++) frequencies.count(entry, NOW)
  t.equal(frequencies.of(entry, NOW), 255, 'and ends at 255')
})

t.test('a counter loses one for each decay time, and may be set', async t => {
  const entry = { stamp: 0 }
  const frequencies = new Frequencies(() => 0)
  frequencies.set(entry, 200, NOW)
  t.equal(frequencies.of(entry, NOW + 10 * MINUTE), 190)
  frequencies.decayMinutes = 3
  t.equal(frequencies.of(entry, NOW + 10 * MINUTE), 197)
  frequencies.decayMinutes = 0
  t.equal(frequencies.of(entry, NOW + 1e6 * MINUTE), 200)
  frequencies.decayMinutes = 1
  t.equal(frequencies.of(entry, NOW + 1000 * MINUTE), 0)
  frequencies.count(entry, NOW + 150 * MINUTE)
  t.equal(frequencies.of(entry, NOW + 150 * MINUTE), 51)
})

t.test('each kind reads the stamps of the other as what they say about the time', async t => {
  const entry = { stamp: stampOf(NOW) }
  const frequencies = new Frequencies(() => 0)
  t.equal(frequencies.of(entry, NOW + 2 * MINUTE), 3, 'as one that was new at its last access')
  frequencies.set(entry, 255, NOW)
  t.ok(Math.abs(stampMs(entry.stamp) - NOW) < MINUTE)
})
