// Epochs are durable: they survive kill -9, and a server that cannot say so is refused. The rest is in the contract.

import { Redis } from 'ioredis'
import t from 'tap'
import { systemClock } from '../../src/base/clock.js'
import { RedisRegistry } from '../../src/mailbox/redis-registry.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

t.test('an epoch that Millrace gave out survives kill -9 at once', async t => {
  const dir = tempDir(t)
  const first = await startServer({ dir })
  const client = new Redis(first.port, '127.0.0.1', { retryStrategy: () => null })
  client.on('error', () => undefined)
  const registry = new RedisRegistry(client, { clock: systemClock })
  for (let i = 1; i <= 3; i++) t.equal((await registry.takeOver(7, `owner ${i}`)).epoch, i)
  await first.kill9()
  client.disconnect()
  const second = await startServer({ dir })
  t.teardown(async () => void (await second.stop()))
  const again = new Redis(second.port, '127.0.0.1')
  t.teardown(() => again.disconnect())
  const restored = new RedisRegistry(again, { clock: systemClock })
  t.match(await restored.state(7), { epoch: 3, owner: 'owner 3' })
  t.equal((await restored.boundaries(7)).length, 3)
  t.equal((await restored.takeOver(7, 'owner 4')).epoch, 4)
})

t.test('redis-server 7.0 must sync each write, or the operator must say that he knows', async t => {
  const server = await startRedisServer()
  t.teardown(async () => void (await server.stop()))
  const client = new Redis(server.port, '127.0.0.1')
  t.teardown(() => client.disconnect())
  const registry = new RedisRegistry(client, { clock: systemClock })
  await t.rejects(registry.takeOver(7, 'a'), { code: 'NOT_DURABLE', message: /appendfsync always/ })
  await client.config('SET', 'appendonly', 'yes')
  await t.rejects(registry.takeOver(7, 'a'), { code: 'NOT_DURABLE' })
  await client.config('SET', 'appendfsync', 'always')
  t.equal((await registry.takeOver(7, 'a')).epoch, 3, 'an epoch that was not confirmed is not given out again')
  await client.config('SET', 'appendonly', 'no')
  const trusting = new RedisRegistry(client, { clock: systemClock, durability: 'trusted' })
  t.equal((await trusting.takeOver(7, 'a')).epoch, 4)
})
