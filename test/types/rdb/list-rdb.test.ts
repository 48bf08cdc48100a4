import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { ListValue } from '../../../src/types/list/list-value.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { edgeValue, startTwin } from '../stream/stream-fixture.js'
import { bodyOf, damages, dumped, payloadOf, restored, rowCountOf } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

function elementsOf(list: ListValue): string[] {
  return Array.from({ length: list.count }, (_, i) => list.at(i).toString('hex'))
}

t.test('lists go to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const of = async (key: string) => (await twin.client.lrangeBuffer(key, 0, -1)).map(bytes => bytes.toString('hex'))
  for (let round = 0; round < 24; round++) {
    const elements = Array.from({ length: random.pick([1, 3, 100, 1000]) }, () => edgeValue(random))
    if (round % 4 === 0) elements.push(random.bytes(9000), random.bytes(70_000), 'end')
    await twin.client.flushall()
    await twin.client.rpush('x', ...elements)
    const rows = new MemoryRows()
    const list = restored(rows, (await twin.client.callBuffer('DUMP', 'x')) as Buffer) as ListValue
    rows.flushAndEvict()
    t.same(elementsOf(list), await of('x'), `round ${round}`)
    await twin.client.callBuffer('RESTORE', 'y', 0, dumped(list))
    t.same(await of('y'), await of('x'))
  }
})

t.test('empty lists and damage are refused, and leave nothing', async t => {
  for (const hex of ['1200', '12010207070000000000ff', '120103026162']) {
    t.throws(() => restored(new MemoryRows(), payloadOf(Buffer.from(hex, 'hex'))), PayloadError, hex)
  }
  const plain = restored(new MemoryRows(), payloadOf(Buffer.from('1202' + '01026162' + '010163', 'hex'))) as ListValue
  t.same(elementsOf(plain), ['6162', '63'], 'elements by themselves')
  plain.pushLast(Buffer.from('12'))
  let refused = 0
  for (const body of damages(bodyOf(dumped(plain)))) {
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
