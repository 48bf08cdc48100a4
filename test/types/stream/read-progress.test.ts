import t from 'tap'
import { formatId, idOf, ID_MAX, ID_MIN, parseId } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { entriesAddedUpTo, entriesReadAfter, lagOf, mayHaveHolesFrom } from '../../../src/types/stream/read-progress.js'
import type { StreamCounters } from '../../../src/types/stream/read-progress.js'
import { Stream } from '../../../src/types/stream/stream.js'
import { findRedisServer } from '../../support/redis-server.js'
import { seeded } from '../../support/seeded.js'
import { append, pairsOf, startTwin } from './stream-fixture.js'

const noRedis = findRedisServer() === undefined ? 'no redis-server on this machine' : false

function counters(given: Partial<StreamCounters>): StreamCounters {
  return {
    length: 3,
    entriesAdded: 5,
    firstId: idOf(3),
    lastId: idOf(5),
    maxDeletedId: ID_MIN,
    ...given,
  }
}

t.test('an ID is placed from either end of the stream, or not at all', async t => {
  const whole = counters({})
  t.equal(entriesAddedUpTo(whole, idOf(5)), 5, 'the last one')
  t.equal(entriesAddedUpTo(whole, idOf(3)), 3, 'the first one')
  t.equal(entriesAddedUpTo(whole, idOf(2)), 2, 'before the first one')
  t.equal(entriesAddedUpTo(whole, idOf(4)), undefined, 'in the middle')
  t.equal(entriesAddedUpTo(whole, idOf(6)), undefined, 'in the future')
  const holed = counters({ maxDeletedId: idOf(4) })
  t.equal(entriesAddedUpTo(holed, idOf(3)), undefined)
  t.equal(entriesAddedUpTo(holed, idOf(5)), 5)
  t.equal(entriesAddedUpTo(counters({ entriesAdded: 0 }), idOf(9)), 0)
  t.equal(entriesAddedUpTo(counters({ length: 0, firstId: ID_MIN }), idOf(2)), 5)
  t.equal(mayHaveHolesFrom(holed, idOf(4)), true)
  t.equal(mayHaveHolesFrom(holed, idOf(4, 1)), false)
  t.equal(mayHaveHolesFrom(counters({ maxDeletedId: idOf(2) }), idOf(1)), false, 'nothing is left before it')
  t.equal(mayHaveHolesFrom(counters({ maxDeletedId: idOf(4), length: 0 }), idOf(4)), false)
})

t.test('lag keeps 64 bits', async t => {
  const huge = counters({ entriesAdded: 2n ** 63n - 1n })
  t.equal(lagOf(huge, idOf(4), 7), 2n ** 63n - 8n)
  t.equal(lagOf(huge, idOf(2), undefined), 3)
  t.equal(lagOf(huge, idOf(4), undefined), undefined)
})

t.test('a run of entries counts as one step for each', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 2000; round++) {
    const ids = Array.from({ length: random.between(1, 6) }, (_, i) => idOf(i * 2 + 2))
    const last = ids[ids.length - 1]
    const stream: StreamCounters = {
      length: ids.length,
      entriesAdded: random.between(ids.length, 20),
      firstId: ids[0],
      lastId: random.chance(0.8) ? last : idOf(99),
      maxDeletedId: random.chance(0.3) ? ID_MIN : idOf(random.between(0, 14)),
    }
    const from = random.below(ids.length)
    const run = ids.slice(from, random.between(from + 1, ids.length))
    const before = random.chance(0.5) ? undefined : random.between(0, 9)
    let step: ReturnType<typeof entriesReadAfter> = before
    const holed = (id: StreamId) => id.msLo <= stream.maxDeletedId.msLo
    for (const id of run)
      step = mayHaveHolesFrom(stream, id) || step === undefined ? entriesAddedUpTo(stream, id) : Number(step) + 1
    const all = entriesReadAfter(stream, before, {
      firstId: run[0],
      lastId: run[run.length - 1],
      entries: run.length,
      entriesInHoles: run.filter(holed).length,
    })
    t.equal(all, step, JSON.stringify({ stream, run, before }))
    if (!t.passing()) return
  }
})

t.test('entries-read and lag are those of Redis', { skip: noRedis, timeout: 60_000 }, async t => {
  const twin = await startTwin()
  t.teardown(() => twin.stop())
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 25; round++) {
    const key = `s${round}`
    const stream = Stream.create(new MemoryRows())
    append(stream, idOf(1))
    const group = stream.createGroup('g', ID_MIN, undefined)
    const { consumer } = group.ensureConsumer('c', 0)
    await twin.run(p => p.xadd(key, '1-0', 'f', 'v').xgroup('CREATE', key, 'g', '0'))
    for (let i = 0; i < 40 && t.passing(); i++) {
      const next = stream.lastId.msLo + random.between(1, 2)
      const id = idOf(random.between(0, next))
      const count = random.between(1, 4)
      const length = random.between(0, stream.length)
      let op: string
      switch (random.below(7)) {
        case 0:
        case 1:
          op = `XADD ${next}`
          append(stream, idOf(next))
          await twin.run(p => p.xadd(key, `${next}-0`, 'f', 'v'))
          break
        case 2:
          op = `XDEL ${formatId(id)}`
          stream.delete(id)
          await twin.run(p => p.xdel(key, formatId(id)))
          break
        case 3:
          op = `XTRIM ${length}`
          if (!random.chance(0.3)) continue
          stream.trim({ by: 'maxlen', length, approximate: false, limit: 0 })
          await twin.run(p => p.xtrim(key, 'MAXLEN', length))
          break
        case 4: {
          const read = random.chance(0.3) ? random.between(0, 5) : undefined
          op = `XGROUP SETID ${formatId(id)} ${read}`
          group.setId(id, read)
          await twin.run(p => p.call('XGROUP', 'SETID', key, 'g', formatId(id), 'ENTRIESREAD', String(read ?? -1)))
          break
        }
        default: {
          op = `XREADGROUP ${count}`
          const entries = group.deliver(consumer, count, 0, random.chance(0.5)).reduce((n, run) => n + run.entries, 0)
          const [answer] = await twin.run(p =>
            p.call('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', String(count), 'STREAMS', key, '>'),
          )
          const given = (answer as [string, unknown[]] | null)?.[1].length ?? 0
          t.equal(entries, given, op)
        }
      }
      const info = pairsOf(((await twin.run(p => p.xinfo('GROUPS', key)))[0] as unknown[])[0])
      t.same(
        [formatId(group.lastDeliveredId), group.entriesRead ?? null, group.estimatedLag() ?? null],
        [info['last-delivered-id'], info['entries-read'], info.lag],
        `${op}: ${stream.length} entries from ${formatId(stream.firstId)}, deleted ${formatId(stream.maxDeletedId)}`,
      )
    }
  }
})

t.test('nothing is delivered after the last possible ID', async t => {
  const stream = Stream.create(new MemoryRows())
  append(stream, ID_MAX)
  const group = stream.createGroup('g', parseId(Buffer.from('5'), 0, 1) ?? ID_MIN, 0)
  const { consumer } = group.ensureConsumer('c', 0)
  t.equal(group.hasNew(), true)
  t.equal(group.deliver(consumer, 10, 0, false).length, 1)
  t.equal(group.hasNew(), false)
  t.equal(group.deliver(consumer, 10, 0, false).length, 0)
})
