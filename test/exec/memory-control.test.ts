// The server's memory from outside: that the figure is near the truth, follows what is done, and is bounded by
// configuration.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes that are really in use. */
function liveBytes(): number {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function usedMemory(ask: (...args: (string | number)[]) => Promise<string>): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await ask('INFO', 'memory'))![1])
}

t.test('used memory is near what keys and values really take', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  const ask = (...args: (string | number)[]) => client.text(...args)
  const kinds: Record<string, (i: number) => Promise<string>> = {
    'short strings': i => ask('SET', `string:${i}`, `value ${i}`),
    'strings that expire': i => ask('SET', `volatile:${i}`, `value ${i}`, 'EX', 10_000),
    'strings of 2,000 bytes': i => ask('SET', `long:${i}`, 'x'.repeat(2000)),
    'small hashes': i => ask('HSET', `hash:${i}`, 'name', `n${i}`, 'city', 'Ghent', 'age', i),
    'small lists': i => ask('RPUSH', `list:${i}`, 'a', 'b', `c${i}`),
    'small sorted sets': i => ask('ZADD', `zset:${i}`, i, 'a', i + 1, 'b'),
    streams: i => ask('XADD', `stream:${i}`, '*', 'field', `value ${i}`),
  }
  for (const [what, make] of Object.entries(kinds)) {
    // What is compiled and cached at first belongs to no key.
    for (let i = -500; i < 0; i++) await make(i)
    const live = liveBytes()
    const used = await usedMemory(ask)
    for (let i = 0; i < 6000; i++) await make(i)
    const really = liveBytes() - live
    const counted = (await usedMemory(ask)) - used
    t.ok(counted > really * 0.6 && counted < really * 1.5, `${what}: ${counted} bytes counted, ${really} in use`)
  }
})

t.test('what is removed counts no more, whichever way it goes', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t))
  const client = await connect()
  const ask = (...args: (string | number)[]) => client.text(...args)
  const held = () => server.keyspace.rows.cache.heldBytes + server.keyspace.rows.cache.bytesUsed
  const before = held()
  const fill = async () => {
    await ask('SET', 's', 'x'.repeat(5000), 'EX', 1000)
    await ask('HSET', 'h', ...Array.from({ length: 400 }, (_, i) => `f${i}`))
    await ask('RPUSH', 'l', ...Array.from({ length: 4000 }, (_, i) => `element ${i}`))
    await ask('ZADD', 'z', ...Array.from({ length: 800 }, (_, i) => i))
    await ask('SADD', 'set', 1, 2, 'three')
    await ask('XADD', 'x', '1-1', 'f', 'v')
    await ask('XGROUP', 'CREATE', 'x', 'g', '0')
    await ask('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'x', '>')
  }
  const keys = ['s', 'h', 'l', 'z', 'set', 'x']
  await fill()
  t.ok(held() > before + 50_000)
  await ask('DEL', ...keys)
  t.equal(held(), before, 'DEL of what was never written to the store')
  await fill()
  await ask('SAVE')
  await ask('DEL', ...keys)
  t.equal(held(), before, 'DEL of what is clean')
  await fill()
  await ask('SAVE')
  server.keyspace.rows.cache.shed(Infinity)
  await ask('DEL', ...keys)
  t.equal(held(), before, 'DEL of what has left memory')
  await fill()
  for (const key of keys) await ask('RENAME', key, `${key}2`)
  for (const key of keys) await ask('COPY', `${key}2`, key)
  for (const key of keys) await ask('SET', key, 'over')
  await ask('FLUSHALL')
  while (server.keyspace.lazyFreePending > 0) server.keyspace.lazyFreeSome(100)
  t.equal(held(), before, 'FLUSHALL after RENAME, COPY and SET over each')
})

t.test('a cache under allkeys-lru keeps to its limit, and what is gone is gone after a restart too', async t => {
  const dir = tempDir(t)
  const { connect, server } = await startInProcess(t, dir, { maxmemoryPolicy: 'allkeys-lru' })
  const client = await connect()
  const ask = (...args: (string | number)[]) => client.text(...args)
  const limit = (await usedMemory(ask)) + 300_000
  await ask('CONFIG', 'SET', 'maxmemory', limit)
  for (let i = 0; i < 3000; i++) {
    await ask('SET', `k${i}`, 'v'.repeat(100))
    if (i % 500 === 0) t.ok((await usedMemory(ask)) < limit + 4096)
  }
  const evicted = Number(/evicted_keys:(\d+)/.exec(await ask('INFO', 'stats'))![1])
  const size = server.keyspace.database(0).size
  t.equal(evicted + size, 3000)
  t.ok(size > 300 && size < 1500, `${size} keys are left`)
  const names = [...server.keyspace.database(0).keys()].map(entry => entry.name).sort()
  client.close()
  await server.close({ save: false })
  const again = await startInProcess(t, dir)
  t.same([...again.server.keyspace.database(0).keys()].map(entry => entry.name).sort(), names)
})

t.test('maxmemory starts checkpoints early: changes take half of it at most', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t), { maxmemory: 4_000_000 })
  const client = await connect()
  for (let i = 0; i < 4000; i++) t.equal(await client.text('SET', `k${i % 500}`, 'v'.repeat(5000)), '+OK\r\n')
  t.ok(server.durability.figures()['checkpoints'] > 0)
})
