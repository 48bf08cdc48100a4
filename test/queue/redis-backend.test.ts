// The queue on servers: the contract on redis-server and on Millrace, then what only a server can do wrong.

import { Redis } from 'ioredis'
import t from 'tap'
import type { Test } from 'tap'
import { MessageStorage, RedisBackend } from '../../src/queue/index.js'
import type { StorageFailure } from '../../src/queue/index.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { queueContract } from './contract.js'

async function contractOn(t: Test, port: number): Promise<void> {
  const backends: RedisBackend[] = []
  t.teardown(async () => {
    for (const backend of backends) await backend.dispose()
  })
  const cases = await queueContract(t, {
    backend: () => {
      const backend = new RedisBackend({ port, host: '127.0.0.1' })
      backends.push(backend)
      return backend
    },
  })
  t.ok(cases >= 27, `${cases} cases`)
}

async function storageOnRedis(t: Test) {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  const redis = new Redis(server.port, '127.0.0.1')
  const backend = new RedisBackend(redis)
  t.teardown(async () => {
    await backend.dispose()
    redis.disconnect()
  })
  return { redis, backend, storage: await MessageStorage.open('s', backend) }
}

async function onRedis(t: Test) {
  const one = await storageOnRedis(t)
  return { ...one, queue: await one.storage.declareQueue('q') }
}

t.test('the contract on redis-server', async t => {
  const server = await startRedisServer()
  t.teardown(() => server.stop())
  await contractOn(t, server.port)
})

t.test('the contract on Millrace', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  await contractOn(t, server.port)
})

t.test('the keys are those of the layout, all in one slot', async t => {
  const { redis, backend, storage, queue } = await onRedis(t)
  await storage.publishMany(['1', '2', '3', '4'])
  const { messages } = await backend.read('s', 0, 4)
  await backend.enqueue('s', [{ queue: 'q', from: 0, to: 4, accepted: messages }])
  const deliveries = await queue.fetch(3)
  await deliveries[0].confirm()
  await deliveries[1].drop()
  t.same((await redis.keys('*')).sort(), [
    'mq:storages',
    '{mq:s}:meta',
    '{mq:s}:msgs',
    '{mq:s}:msgs:bytime',
    '{mq:s}:msgs:counter',
    '{mq:s}:q:q:confirmed',
    '{mq:s}:q:q:consuming',
    '{mq:s}:q:q:counter',
    '{mq:s}:q:q:dropped',
    '{mq:s}:q:q:idle',
    '{mq:s}:q:q:msgs',
    '{mq:s}:queues',
    '{mq:s}:queues:watermark',
  ])
  t.same(await redis.hkeys('{mq:s}:msgs'), ['1', '2', '3', '4'])
  t.same(await redis.hgetall('{mq:s}:queues:watermark'), { q: '4' })
  t.same(await redis.zrange('{mq:s}:msgs:bytime', '0', '-1'), ['1', '2', '3', '4'])
  t.same(await redis.smembers('mq:storages'), ['s'])
  t.equal(await redis.hget('{mq:s}:meta', 'expirationPolicy'), '{"kind":"never"}')
  await backend.destroyStorage('s')
  t.same(await redis.keys('*'), [], 'destroying leaves nothing')
})

t.test('scripts that the server has forgotten are loaded again', async t => {
  const { redis, backend, storage } = await storageOnRedis(t)
  await redis.call('SCRIPT', 'FLUSH')
  t.equal((await storage.publish('a')).uid, 1)
  const queue = await storage.declareQueue('q')
  await redis.call('SCRIPT', 'FLUSH')
  const { messages } = await backend.read('s', 0, 4)
  await backend.enqueue('s', [{ queue: 'q', from: 0, to: 1, accepted: messages }])
  t.equal((await queue.fetch()).length, 1)
})

t.test('a server that refuses is a typed failure and an event', async t => {
  const { redis, storage } = await storageOnRedis(t)
  const failures: StorageFailure[] = []
  storage.on('failure', failure => failures.push(failure))
  await redis.config('SET', 'maxmemory', '1')
  await t.rejects(storage.publish('big'), { name: 'StorageFailure', code: 'oom', operation: 'store', uncertain: false })
  await redis.config('SET', 'maxmemory', '0')
  await redis.replicaof('127.0.0.1', '1')
  await t.rejects(storage.publish('late'), { code: 'readonly' })
  await redis.replicaof('NO', 'ONE')
  t.same(
    failures.map(({ code }) => code),
    ['oom', 'readonly'],
  )
  t.equal((await storage.publish('fine')).uid, 1, 'nothing was stored by what failed')
  const counted = storage.metrics().find(({ name }) => name === 'millrace_queue_failures_total')
  t.equal(counted?.samples.length, 2)
})

t.test('a server that is killed is told, and work goes on when it is back', async t => {
  const first = await startServer()
  const backend = new RedisBackend({ port: first.port, host: '127.0.0.1' })
  t.teardown(() => backend.dispose())
  const storage = await MessageStorage.open('s', backend, { publishRetryMs: 60_000 })
  const queue = await storage.declareQueue('q')
  await storage.distribute({ pollMs: 50, upkeepMs: 100 })
  await storage.publishMany(['1', '2'])
  const failures: StorageFailure[] = []
  storage.on('failure', failure => failures.push(failure))
  await first.kill9()
  await t.rejects(queue.fetch(), { name: 'StorageFailure', code: 'unreachable' })
  t.ok(failures.length > 0)
  const stop = new AbortController()
  const loop = (async () => {
    for await (const delivery of queue.consume({ signal: stop.signal })) t.fail(`got ${delivery.text()} from nobody`)
  })()
  await t.rejects(loop, { name: 'StorageFailure' }, 'a loop ends with the failure instead of hanging')
  const published = storage.publish('3')
  const second = await startServer({ dir: first.dir, port: first.port })
  t.teardown(async () => void (await second.stop()))
  t.equal((await published).uid, 3, 'publish waited for the server')
  const got: string[] = []
  while (got.length < 3) {
    const deliveries = await queue.fetch(3, { waitMs: 1000 }).catch(() => [])
    got.push(...deliveries.map(delivery => delivery.text()))
    await queue.confirm(deliveries)
  }
  t.same(got, ['1', '2', '3'], 'nothing is lost and nothing comes twice')
})

t.test('long lists ask for their bodies in slices', async t => {
  const { redis, backend, storage, queue } = await onRedis(t)
  await storage.publishMany(Array.from({ length: 2500 }, (_, i) => `body ${i + 1}`))
  const { messages, through } = await backend.read('s', 0, 2500)
  t.equal(messages.length, 2500)
  t.equal(through, 2500)
  await backend.enqueue('s', [{ queue: 'q', from: 0, to: 2500, accepted: messages }])
  await redis.config('RESETSTAT')
  const listed = await queue.list('idle', 2500)
  t.same(
    listed.map(({ uid, body }) => `${uid} ${String(body)}`),
    Array.from({ length: 2500 }, (_, i) => `${i + 1} body ${i + 1}`),
  )
  t.match(await redis.info('commandstats'), /cmdstat_hmget:calls=3,/)
  t.same(await queue.list('dropped', 10), [])
})
