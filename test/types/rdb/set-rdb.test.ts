import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { ListpackWriter } from '../../../src/types/rdb/listpack.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'
import { SetValue } from '../../../src/types/set/set-value.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { edgeInteger, edgeValue, startTwin } from '../stream/stream-fixture.js'
import { bodyOf, damages, dumped, payloadOf, restored, rowCountOf } from './rdb-fixture.js'

const needsRedis = { skip: findRedisServer() === undefined ? 'no redis-server on this machine' : false }

function membersOf(set: SetValue): string[] {
  const members: string[] = []
  set.each(member => void members.push(member))
  return members.sort()
}

t.test('sets go to redis-server and back', needsRedis, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 30; round++) {
    const integers = round % 2 === 0
    const width = random.pick([15n, 31n, 63n])
    const members = Array.from({ length: random.pick([1, 3, 40, 512, 513, 3000]) }, () =>
      integers
        ? String(BigInt.asIntN(Number(width), edgeInteger(random) + BigInt(random.below(5000))))
        : edgeValue(random),
    )
    await twin.client.flushall()
    await twin.client.sadd('x', ...members)
    const rows = new MemoryRows()
    const set = restored(rows, (await twin.client.callBuffer('DUMP', 'x')) as Buffer) as SetValue
    rows.flushAndEvict()
    const theirs = (await twin.client.smembersBuffer('x')).map(member => member.latin1Slice()).sort()
    t.same(membersOf(set), theirs, `round ${round}`)
    t.equal(set.encoding, await twin.client.object('ENCODING', 'x'))
    await twin.client.callBuffer('RESTORE', 'y', 0, dumped(set))
    t.equal((await twin.client.sdiff('x', 'y')).length, 0)
    t.equal(await twin.client.scard('y'), theirs.length)
    t.equal(await twin.client.object('ENCODING', 'y'), set.encoding)
  }
})

t.test('listpacks of Redis 7.2 are read', async t => {
  const listpack = new ListpackWriter()
  for (const word of ['a', '12', 'b']) listpack.bytes(Buffer.from(word), 0, word.length)
  const writer = new RdbWriter(1000)
  writer.u8(20)
  writer.string(listpack.done())
  t.same(membersOf(restored(new MemoryRows(), payloadOf(writer.done(), 11)) as SetValue), ['12', 'a', 'b'])
})

t.test('empty sets, doubles and damage are refused, and leave nothing', async t => {
  const integers = SetValue.create(new MemoryRows())
  for (const member of ['1', '-5', '70000']) integers.add(member, 512)
  const words = SetValue.create(new MemoryRows())
  for (const member of ['1', 'two', 'three']) words.add(member, 512)
  const bodies = [Buffer.from([2, 0]), Buffer.from([2, 2, 1, 65, 1, 65]), Buffer.from('0b080200000000000000', 'hex')]
  for (const body of bodies) t.throws(() => restored(new MemoryRows(), payloadOf(body)), PayloadError)
  let refused = 0
  for (const body of [integers, words].flatMap(set => [...damages(bodyOf(dumped(set)))])) {
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
