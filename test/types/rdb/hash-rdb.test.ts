import t from 'tap'
import type { Redis } from 'ioredis'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { HashValue } from '../../../src/types/hash/hash-value.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { edgeValue, startTwin } from '../stream/stream-fixture.js'
import { bodyOf, damages, dumped, PACKING, payloadOf, restored, rowCountOf } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

t.test('hashes go to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 24; round++) {
    const fields: (Buffer | string)[] = []
    const short = round % 2 === 0
    for (let i = random.pick([1, 3, 100, 128, 129, 1000]); i > 0; i--) {
      fields.push(
        short ? `f${random.below(2000)}` : edgeValue(random),
        short ? `${random.below(99)}` : edgeValue(random),
      )
    }
    await twin.client.flushall()
    await twin.client.hset('x', ...fields)
    const dump = (await twin.client.callBuffer('DUMP', 'x')) as Buffer
    const rows = new MemoryRows()
    const hash = restored(rows, dump) as HashValue
    rows.flushAndEvict()
    const encoding = await twin.client.object('ENCODING', 'x')
    t.equal(hash.encoding, encoding, `round ${round}`)
    if (encoding === 'listpack') t.ok(dumped(hash).equals(dump), 'in the order of Redis')
    await twin.client.callBuffer('RESTORE', 'y', 0, dumped(hash))
    t.same(await pairsOf(twin.client, 'y'), await pairsOf(twin.client, 'x'))
    t.equal(await twin.client.object('ENCODING', 'y'), encoding)
  }
})

/** Field and value of each pair, sorted. */
async function pairsOf(redis: Redis, key: string): Promise<string[]> {
  const flat = ((await redis.callBuffer('HGETALL', key)) as Buffer[]).map(bytes => bytes.toString('hex'))
  return flat.flatMap((field, i) => (i % 2 === 0 ? [`${field} ${flat[i + 1]}`] : [])).sort()
}

t.test('empty hashes, doubles and damage are refused, and leave nothing', async t => {
  const bodies = [
    Buffer.from([4, 0]),
    Buffer.from([4, 2, 1, 65, 1, 66, 1, 65, 1, 67]),
    Buffer.from('1007070000000000ff', 'hex'),
  ]
  for (const body of bodies) t.throws(() => restored(new MemoryRows(), payloadOf(body)), PayloadError)
  const hash = restored(new MemoryRows(), payloadOf(Buffer.from([4, 2, 1, 65, 1, 66, 2, 67, 68, 1, 69]))) as HashValue
  const packed = dumped(hash)
  hash.set('long', 'x'.repeat(65), PACKING.listpack)
  let refused = 0
  for (const body of [packed, dumped(hash)].flatMap(payload => [...damages(bodyOf(payload))])) {
    const rows = new MemoryRows()
    try {
      dumped(restored(rows, payloadOf(body)))
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
      refused++
      if (rowCountOf(rows) !== 0) t.fail(`rows of ${body.toString('hex')} are left`)
    }
  }
  t.ok(refused > 100, `${refused} were refused`)
})
