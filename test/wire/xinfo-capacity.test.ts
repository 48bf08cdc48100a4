// XINFO STREAM FULL with `stream-capacity yes`: the two budgets of a stream grow and shrink apart.

import { Redis } from 'ioredis'
import t from 'tap'
import { startServer } from '../support/start-server.js'

type Capacity = Record<string, number>

t.test('payload and deliveries are told apart, and only when asked for', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const redis = new Redis(server.port, '127.0.0.1')
  t.teardown(() => redis.disconnect())
  const capacity = async (): Promise<Capacity | undefined> => {
    const facts = (await redis.xinfo('STREAM', 's', 'FULL', 'COUNT', 1)) as unknown[]
    const at = facts.indexOf('capacity')
    if (at < 0) return undefined
    const words = facts[at + 1] as (string | number)[]
    return Object.fromEntries(
      Array.from({ length: words.length / 2 }, (_, i) => [String(words[2 * i]), Number(words[2 * i + 1])]),
    )
  }
  const value = 'x'.repeat(1000)
  for (let i = 0; i < 200; i++) await redis.xadd('s', '*', 'field', value)
  t.equal(await capacity(), undefined, 'as Redis without the directive')
  await redis.config('SET', 'stream-capacity', 'yes')
  const empty = (await capacity())!
  t.match(empty, { 'payload-entries': 200, groups: 0, consumers: 0, pending: 0, 'delivery-bytes': 0 })
  t.ok(empty['payload-bytes'] > 200_000, `${empty['payload-bytes']} bytes of payload`)
  t.equal(empty['payload-bytes-cached'], empty['payload-bytes'], 'what was just written is in memory')

  await redis.xgroup('CREATE', 's', 'a', '0')
  await redis.xgroup('CREATE', 's', 'b', '0')
  await redis.xreadgroup('GROUP', 'a', 'ann', 'COUNT', 150, 'STREAMS', 's', '>')
  await redis.xreadgroup('GROUP', 'b', 'bob', 'COUNT', 10, 'STREAMS', 's', '>')
  const pending = (await capacity())!
  t.match(pending, { groups: 2, consumers: 2, pending: 160 })
  t.ok(pending['delivery-bytes'] > 160 * 16)

  await redis.xtrim('s', 'MAXLEN', 0)
  const trimmed = (await capacity())!
  t.match(trimmed, { 'payload-entries': 0, 'payload-bytes': 0, 'payload-bytes-cached': 0, pending: 160 })
  t.equal(trimmed['delivery-bytes'], pending['delivery-bytes'], 'trimming the payload leaves the deliveries')
  await redis.xgroup('DESTROY', 's', 'a')
  t.match((await capacity())!, { groups: 1, pending: 10 })
})
