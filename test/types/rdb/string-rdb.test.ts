import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { StringValue } from '../../../src/types/string/string-value.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { edgeValue, startTwin } from '../stream/stream-fixture.js'
import { dumped, restored } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

t.test('strings go to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const values = Array.from({ length: 150 }, () => edgeValue(random))
  values.push(
    'x'.repeat(1024),
    'x'.repeat(1025),
    'abc'.repeat(100_000),
    random.bytes(70_000),
    '2147483648',
    '-2147483648',
  )
  for (const text of values) {
    const value = Buffer.isBuffer(text) ? text : Buffer.from(text, 'latin1')
    const shown = `${value.length} bytes ${value.toString('hex', 0, 20)}`
    await twin.client.set('x', value)
    await twin.client.config('SET', 'rdbcompression', 'yes')
    const compressed = (await twin.client.callBuffer('DUMP', 'x')) as Buffer
    await twin.client.config('SET', 'rdbcompression', 'no')
    const rows = new MemoryRows()
    const string = restored(rows, compressed) as StringValue
    rows.flushAndEvict()
    t.ok(string.bytes().equals(value), `read: ${shown}`)
    t.ok(dumped(string).equals((await twin.client.callBuffer('DUMP', 'x')) as Buffer), `written: ${shown}`)
    t.equal(string.encoding, await twin.client.object('ENCODING', 'x'))
  }
})
