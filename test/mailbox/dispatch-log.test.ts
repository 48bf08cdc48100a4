// Dispatch logs: one contract, in memory and as a stream on redis-server and on Millrace.

import { Redis } from 'ioredis'
import t from 'tap'
import type { Test } from 'tap'
import type { DispatchLog } from '../../src/mailbox/dispatch-log.js'
import { MemoryDispatchLog } from '../../src/mailbox/memory-dispatch-log.js'
import { StreamDispatchLog } from '../../src/mailbox/stream-dispatch-log.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'

const event = { ordinal: 1, messageId: 'm', payload: Buffer.from([0, 255, 13]) }
const dispatch = (n: number) => ({
  dispatchId: `d${n}`,
  committedAtMs: 1_700_000_000_000 + n,
  recipients: [{ user: `u${n}`, events: [event] }],
})

async function contract(t: Test, log: DispatchLog): Promise<void> {
  const { origin } = await log.bounds(3)
  await t.test('an empty partition', async t => {
    t.same(await log.bounds(3), { origin, oldest: origin, next: origin })
    t.same(await log.read(3, undefined, 10), [])
  })
  await t.test('records come back in order, whole', async t => {
    for (let n = 0; n < 5; n++) t.equal(await log.append({ partition: 3 }, dispatch(n)), origin + n)
    const records = await log.read(3, undefined, 10)
    t.same(
      records,
      [0, 1, 2, 3, 4].map(n => ({ ...dispatch(n), logOffset: origin + n })),
    )
    t.same(await log.read(3, origin + 2, 1), [records[3]])
    t.same(await log.read(3, origin + 4, 10), [])
    t.same(await log.bounds(3), { origin, oldest: origin, next: origin + 5 })
  })
  await t.test('partitions are apart', async t => {
    t.same(await log.read(4, undefined, 10), [])
    t.equal(await log.append({ partition: 4 }, dispatch(9)), origin)
  })
  await t.test('a partition is named by the producer, never hashed from a key', async t => {
    const code = 'KEY_HASH_REFUSED'
    await t.rejects(log.append({ key: 'user:1' } as never, dispatch(1)), { code })
    await t.rejects(log.append({ partition: 3, key: 'user:1' } as never, dispatch(1)), { code })
    for (const partition of [-1, 0.5, Number.NaN, '3' as never]) {
      await t.rejects(log.append({ partition }, dispatch(1)), { code })
    }
  })
  await t.test('a dispatch that no mailbox could take is not appended', async t => {
    await t.rejects(log.append({ partition: 3 }, { ...dispatch(1), dispatchId: '' }), { code: 'BAD_GROUP' })
    t.equal((await log.bounds(3)).next, origin + 5)
  })
}

t.test('in memory', async t => {
  const log = new MemoryDispatchLog()
  await contract(t, log)
  log.trimBefore(3, 2)
  t.match(await log.bounds(3), { oldest: 2, next: 5 })
  log.recreate(3)
  t.same(await log.bounds(3), { origin: 0, oldest: 0, next: 0 })
})

for (const { name, start } of [
  { name: 'redis-server', start: () => startRedisServer() },
  { name: 'Millrace', start: () => startServer() },
]) {
  t.test(name, async t => {
    const server = await start()
    t.teardown(async () => void (await server.stop()))
    const client = new Redis(server.port, '127.0.0.1')
    t.teardown(() => client.disconnect())
    const log = new StreamDispatchLog(client, 'x:')
    await contract(t, log)
    await t.test('an offset is an ID', async t => {
      const ids = (await client.xrange('x:mblog:{3}', '-', '+')).map(([id]) => id)
      t.same(ids, ['1-0', '2-0', '3-0', '4-0', '5-0'])
    })
    await t.test('a trimmed log says what is left, also when nothing is', async t => {
      t.equal(await log.trimBefore(3, 4), 3)
      t.match(await log.bounds(3), { origin: 1, oldest: 4, next: 6 })
      await log.trimBefore(3, 100)
      t.match(await log.bounds(3), { oldest: 6, next: 6 })
      t.equal(await log.append({ partition: 3 }, dispatch(5)), 6)
    })
    await t.test('a counter that was lost is found again in the stream', async t => {
      await client.del('x:mblog:{3}:end')
      t.equal(await log.append({ partition: 3 }, dispatch(6)), 7)
      t.equal(await log.append({ partition: 3 }, dispatch(7)), 8)
      await client.set('x:mblog:{3}:end', 2)
      t.equal(await log.append({ partition: 3 }, dispatch(8)), 9)
      t.equal(await log.append({ partition: 3 }, dispatch(9)), 10)
    })
    await t.test('many producers leave no hole', async t => {
      const offsets = await Promise.all(Array.from({ length: 50 }, (_, n) => log.append({ partition: 5 }, dispatch(n))))
      t.same(
        offsets.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, n) => n + 1),
      )
    })
    await t.test('a reader waits for the next record', async t => {
      const waiting = client.duplicate()
      t.teardown(() => waiting.disconnect())
      const found = new StreamDispatchLog(waiting, 'x:').readWaiting(6, undefined, 10, 10_000)
      await log.append({ partition: 6 }, dispatch(1))
      t.same(await found, [{ ...dispatch(1), logOffset: 1 }])
      t.same(await new StreamDispatchLog(waiting, 'x:').readWaiting(6, 1, 10, 1), [])
    })
    await t.test('a partition ends at 2^48 - 1', async t => {
      await client.xadd('x:mblog:{8}', '281474976710655-0', 'd', 'x')
      await client.set('x:mblog:{8}:end', '281474976710655')
      await t.rejects(log.append({ partition: 8 }, dispatch(1)), { code: 'SEQ_OVERFLOW' })
      t.equal(await client.xlen('x:mblog:{8}'), 1)
    })
    await t.test('a foreign entry is corruption', async t => {
      await client.xadd('x:mblog:{9}', '1-0', 'a', 'b')
      await t.rejects(log.read(9, undefined, 9), { code: 'CORRUPT_ENTRY' })
      await client.xadd('x:mblog:{9}', '2-7', 'd', 'x', 't', '1', 'b', '')
      await t.rejects(log.read(9, 1, 9), { code: 'CORRUPT_ENTRY' })
    })
  })
}
