// The worker's contract on redis-server and on Millrace, with both completion records, and options that make no sense.

import t from 'tap'
import { MemoryAuthority, Worker } from '../../src/worker/index.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { workerContract } from './contract.js'

t.test('the contract on Millrace, recorded in memory', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  await workerContract(t, server.port, 'memory')
})

t.test('the contract on redis-server, recorded in a Redis hash', async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  await workerContract(t, server.port, 'redis')
})

t.test('options that make no sense are refused in words', async t => {
  const base = { redis: { lazyConnect: true }, stream: 's', group: 'g', authority: new MemoryAuthority() }
  const handler = async (): Promise<void> => undefined
  const wrong = [
    [{ concurrency: 0 }, /concurrency is a whole number of at least 1/],
    [{ prefetch: -1 }, /prefetch/],
    [{ idleMs: 100, heartbeatMs: 100 }, /slow jobs look dead/],
    [{ retireMs: 10 }, /living consumers are retired/],
    [{ deadLetters: 's' }, /a stream of their own/],
    [{ group: '' }, /names of a stream and of a group/],
  ] as const
  for (const [options, message] of wrong) {
    await t.rejects(Worker.start({ ...base, handler, ...options }), { name: 'UsageError', message })
  }
})
