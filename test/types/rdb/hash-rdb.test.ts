import t from 'tap'
import type { Redis } from 'ioredis'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { HashValue } from '../../../src/types/hash/hash-value.js'
import { ListpackWriter } from '../../../src/types/rdb/listpack.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'
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

t.test('expiries travel with their fields, in both forms of Redis 7.4', async t => {
  const hash = HashValue.create(new MemoryRows())
  for (const field of ['a', 'b', 'c']) hash.set(field, `value of ${field}`, PACKING.listpack)
  hash.setExpiry('a', 1_800_000_000_000)
  hash.setExpiry('c', 1_700_000_000_000)
  const dump = dumped(hash)
  t.equal(dump[0], 24)
  t.equal(dump.readBigInt64LE(1), 1_700_000_000_000n, 'the first of them stands in front')
  t.equal(dump.readUInt16LE(dump.length - 10), 12)
  const back = restored(new MemoryRows(), dump) as HashValue
  t.same(
    ['a', 'b', 'c'].map(field => back.expiryOf(field)),
    [1_800_000_000_000, 0, 1_700_000_000_000],
  )
  t.equal(back.encoding, 'listpackex')
  hash.persist('a')
  hash.persist('c')
  t.equal(dumped(hash)[0], 16, 'without any it is the listpack that every Redis 7 reads')

  const listpack = new ListpackWriter()
  for (const [field, atMs] of [
    ['a', 1_700_000_000_000],
    ['b', 0],
  ] as const) {
    listpack.bytes(Buffer.from(field), 0, 1)
    listpack.bytes(Buffer.from('v'), 0, 1)
    listpack.integer(atMs)
  }
  const writer = new RdbWriter(1000)
  writer.u8(25)
  writer.int64(1_700_000_000_000)
  writer.string(listpack.done())
  const packed = restored(new MemoryRows(), payloadOf(writer.done(), 12)) as HashValue
  t.same([packed.expiryOf('a'), packed.expiryOf('b'), packed.count], [1_700_000_000_000, 0, 2])
  for (const body of damages(bodyOf(dump))) {
    const rows = new MemoryRows()
    try {
      restored(rows, payloadOf(body, 12)).drop()
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
    }
    if (rowCountOf(rows) !== 0) t.fail(`rows are left of ${body.toString('hex')}`)
  }
})
