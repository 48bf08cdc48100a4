import t from 'tap'
import { MemoryAuthority } from '../../src/worker/index.js'
import { workerSettings } from '../../src/worker/worker-options.js'

const base = { redis: {}, stream: 's', group: 'g', authority: new MemoryAuthority(), handler: async () => undefined }

t.test('what is left out follows from what is given', async t => {
  const settings = workerSettings({ ...base, concurrency: 4, idleMs: 900 })
  const { prefetch, heartbeatMs, claimMs, retireMs, deadLetters, startAt } = settings
  t.same([prefetch, heartbeatMs, claimMs, retireMs, deadLetters, startAt], [4, 300, 450, 9000, 's:dead', '0'])
  t.equal(await settings.recoverAt(), '0')
  t.equal(await workerSettings({ ...base, startAt: '$' }).recoverAt(), '$')
  t.equal(await workerSettings({ ...base, recoverAt: async () => '5-1' }).recoverAt(), '5-1')
})

t.test('each worker has a name of its own', async t => {
  t.not(workerSettings(base).consumer, workerSettings(base).consumer)
  t.equal(workerSettings({ ...base, consumer: 'ann' }).consumer, 'ann')
})

t.test('the backoff doubles up to a minute', async t => {
  const { backoffMs } = workerSettings(base)
  t.same([1, 2, 3, 7, 50].map(backoffMs), [1000, 2000, 4000, 60_000, 60_000])
})
