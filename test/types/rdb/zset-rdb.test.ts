import t from 'tap'
import type { Redis } from 'ioredis'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { ZsetValue } from '../../../src/types/zset/zset-value.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { edgeInteger, edgeValue, startTwin } from '../stream/stream-fixture.js'
import { bodyOf, damages, dumped, PACKING, payloadOf, restored, rowCountOf } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

async function membersOf(redis: Redis, key: string): Promise<string[]> {
  return ((await redis.callBuffer('ZRANGE', key, 0, -1, 'WITHSCORES')) as Buffer[]).map(bytes => bytes.toString('hex'))
}

t.test('sorted sets go to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const score = () =>
    random.pick<string | number>([
      random.below(50),
      random.fraction() * 1e6,
      'inf',
      '-inf',
      String(edgeInteger(random)),
      1e-300,
      -0.1,
    ])
  for (let round = 0; round < 24; round++) {
    const short = round % 2 === 0
    const pairs: (string | number | Buffer)[] = []
    for (let i = random.pick([1, 3, 100, 128, 129, 1000]); i > 0; i--) {
      pairs.push(score(), short ? `m${random.below(2000)}` : edgeValue(random))
    }
    await twin.client.flushall()
    await twin.client.zadd('x', ...pairs)
    const dump = (await twin.client.callBuffer('DUMP', 'x')) as Buffer
    const rows = new MemoryRows()
    const zset = restored(rows, dump) as ZsetValue
    rows.flushAndEvict()
    t.equal(zset.encoding, await twin.client.object('ENCODING', 'x'), `round ${round}`)
    t.ok(dumped(zset).equals(dump), 'the dump is the same')
    await twin.client.callBuffer('RESTORE', 'y', 0, dumped(zset))
    t.same(await membersOf(twin.client, 'y'), await membersOf(twin.client, 'x'))
  }
})

t.test('empty ones, doubles and damage are refused, and leave nothing', async t => {
  const score = '000000000000f03f'
  for (const hex of ['0500', `05020161${score}0161${score}`, '05010161000000000000f87f', '1107070000000000ff']) {
    t.throws(() => restored(new MemoryRows(), payloadOf(Buffer.from(hex, 'hex'))), PayloadError, hex)
  }
  const members = [
    { member: 'a', score: 1 },
    { member: 'b', score: -2.5 },
  ]
  const small = ZsetValue.of(new MemoryRows(), members, PACKING.zset)
  const large = ZsetValue.of(new MemoryRows(), members, { entriesMax: 0, memberBytesMax: 0 })
  let refused = 0
  for (const body of [small, large].flatMap(zset => [...damages(bodyOf(dumped(zset)))])) {
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
