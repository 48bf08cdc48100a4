import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { MemoryBackend, MemoryHub, MessageStorage } from '../../src/queue/index.js'
import { queueContract } from './contract.js'

t.test('the contract on memory', async t => {
  const hub = new MemoryHub()
  const cases = await queueContract(t, { backend: () => new MemoryBackend(hub) })
  t.ok(cases >= 27, `${cases} cases`)
})

t.test('times are those of the clock that was handed in', async t => {
  const clock = new FakeClock(1_000)
  const storage = await MessageStorage.open('s', new MemoryBackend(new MemoryHub(clock)))
  t.equal((await storage.publish('a')).publishedUs, 1_000_000)
  t.equal((await storage.publish('b')).publishedUs, 1_000_001, 'a clock that stands still gives no time twice')
  clock.step(-500)
  t.equal((await storage.publish('c')).publishedUs, 1_000_002, 'one that steps back neither')
})
