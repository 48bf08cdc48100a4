// maxmemory over TCP, beside redis-server: refusals to the byte, and counters where chance plays no part.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { RespClient } from '../support/resp-client.js'
import { tempDir } from '../support/temp-dir.js'
import { answersAlike, needsRedis } from './wire-pair.js'

const SCRIPT = "return redis.call('SET',KEYS[1],'v')"
const script = (line: string) => line.replaceAll(' ', '\\s')

t.test('with noeviction what needs memory answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'SET k v',
    'RPUSH l a b',
    'XADD s 1-1 f v',
    'CONFIG SET maxmemory 1',
    'SET a v',
    'SET k v',
    'RPUSH l c',
    'XADD s 2-2 f v',
    'XGROUP CREATE s g 0',
    'HSET h f v',
    'GET k',
    'LRANGE l 0 -1',
    'LPOP l',
    'EXPIRE k 1000',
    'DEL k',
    'MULTI',
    'GET k',
    'SET a v',
    'DISCARD',
    'MULTI',
    'PING',
    'EXEC',
    `EVAL ${script(SCRIPT)} 1 a`,
    `EVAL ${script("return redis.pcall('SET',KEYS[1],'v')")} 1 a`,
    `EVAL ${script("redis.call('DEL',KEYS[1]) return redis.call('SET',KEYS[1],'v')")} 1 a`,
    'GET a',
    'CONFIG SET maxmemory 0',
    'SET a w',
    'MULTI',
    'SET a x',
    'CONFIG SET maxmemory 1',
    'SET a y',
    'EXEC',
    'GET a',
    'MULTI',
    'EXEC',
    'CONFIG SET maxmemory 0',
  ])
})

t.test('OBJECT FREQ and IDLETIME follow the policy as in redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'CONFIG SET maxmemory-policy allkeys-lfu',
    'CONFIG SET lfu-log-factor 0',
    'SET k v',
    'OBJECT FREQ k',
    'GET k',
    'OBJECT FREQ k',
    'GET k',
    'TTL k',
    'EXISTS k',
    'OBJECT FREQ k',
    'SET k w',
    'OBJECT FREQ k',
    'SET k w XX',
    'OBJECT FREQ k',
    'APPEND k x',
    'OBJECT FREQ k',
    'TOUCH k',
    'OBJECT FREQ k',
    'OBJECT IDLETIME k',
    'OBJECT FREQ none',
    'RPUSH l a',
    'RPUSH l b',
    'OBJECT FREQ l',
    'LRANGE l 0 -1',
    'OBJECT FREQ l',
    'RENAME k n',
    'OBJECT FREQ n',
    'COPY n c',
    'OBJECT FREQ c',
    'SET int 7',
    'OBJECT REFCOUNT int',
    'CONFIG SET maxmemory 1gb',
    'SET int 7',
    'OBJECT REFCOUNT int',
    'CONFIG SET maxmemory-policy volatile-random',
    'SET int 7',
    'OBJECT REFCOUNT int',
    'OBJECT FREQ int',
    'CONFIG SET maxmemory 0',
    'CONFIG SET maxmemory-policy noeviction',
  ])
})

t.test('what trackers are told of evictions evicts no more keys', async t => {
  const { port } = await startInProcess(t, tempDir(t), { maxmemoryPolicy: 'allkeys-lru', latencyTracking: false })
  const client = await RespClient.connect(port)
  const trackers = await Promise.all(Array.from({ length: 10 }, () => RespClient.connect(port)))
  t.teardown(() => [client, ...trackers].forEach(one => one.close()))
  for (const tracker of trackers) {
    await tracker.command('HELLO', 3)
    await tracker.command('CLIENT', 'TRACKING', 'ON')
  }
  for (let i = 0; i < 300; i++) {
    const key = i + 'x'.repeat(1000)
    await client.command('SET', key, 'x')
    await Promise.all(trackers.map(tracker => tracker.command('GET', key)))
  }
  const figure = async (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(await client.text('INFO'))![1])
  // Each key takes about 1,100 bytes, and the messages about it ten times as many.
  await client.command('CONFIG', 'SET', 'maxmemory-eviction-tenacity', 100)
  await client.command('CONFIG', 'SET', 'maxmemory', (await figure('used_memory')) - 40_000)
  const evicted = await figure('evicted_keys')
  t.ok(evicted >= 10 && evicted <= 50, `${evicted} keys were evicted`)
  t.equal(await client.text('DBSIZE'), `:${300 - evicted}\r\n`)
})
