import t from 'tap'
import { Bell, doubledMs, pause } from '../../src/client/waiting.js'

const LONG_MS = 3_600_000

t.test('a pause ends at its time, or at its signal', async t => {
  await pause(1)
  const stop = new AbortController()
  const waiting = pause(LONG_MS, stop.signal)
  stop.abort()
  await waiting
  await pause(LONG_MS, stop.signal)
  t.pass('both ended')
})

t.test('a bell wakes who waits, and remembers one ring for who comes later', async t => {
  const bell = new Bell()
  const waiting = Promise.all([bell.wait(LONG_MS), bell.wait(LONG_MS)])
  bell.ring()
  t.same(await waiting, [true, true])
  bell.ring()
  bell.ring()
  t.equal(await bell.wait(LONG_MS), true)
  t.equal(await bell.wait(1), false, 'the second ring was not kept')
})

t.test('a wait for a bell ends at its signal', async t => {
  const bell = new Bell()
  const stop = new AbortController()
  const waiting = bell.wait(LONG_MS, stop.signal)
  stop.abort()
  t.equal(await waiting, false)
  t.equal(await bell.wait(LONG_MS, stop.signal), false)
})

t.test('delays double up to their bound', async t => {
  t.same(
    [1, 2, 3, 4, 100].map(attempt => doubledMs(attempt, 10, 75)),
    [10, 20, 40, 75, 75],
  )
})
