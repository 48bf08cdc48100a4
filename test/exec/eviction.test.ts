import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { Eviction } from '../../src/exec/eviction.js'
import type { EvictionPolicy } from '../../src/exec/eviction.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Frequencies } from '../../src/types/access.js'
import { Keyspace } from '../../src/types/keyspace.js'
import { Stream } from '../../src/types/stream/stream.js'
import { ID_MIN } from '../../src/base/stream-id.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { seeded } from '../support/seeded.js'

const NOW = 1_700_000_000_000

function setUp(policy: EvictionPolicy, samples = 50) {
  const random = seeded()
  const rows = new MemoryRows()
  const clock = new FakeClock(NOW)
  const keyspace = new Keyspace({ rows, databases: 3, clock })
  const eviction = new Eviction(() => random.fraction())
  eviction.policy = policy
  eviction.samples = samples
  const put = (name: string, how: { db?: number; atMs?: number; expireAtMs?: number } = {}) => {
    const db = keyspace.database(how.db ?? 0)
    keyspace.nowMs = how.atMs ?? NOW
    const entry = db.put(name, StringValue.create(rows, 'v'))
    if (how.expireAtMs !== undefined) db.setExpiry(entry, how.expireAtMs)
    keyspace.nowMs = NOW
    return entry
  }
  /** Evicts until nothing more may go. */
  const all = () => {
    const names: string[] = []
    for (;;) {
      const choice = eviction.choose(keyspace)
      if (choice === undefined) return names
      names.push(choice.entry.name)
      choice.db.remove(choice.entry.name)
    }
  }
  return { rows, keyspace, eviction, put, all }
}

t.test('noeviction lets nothing go', async t => {
  const { put, all } = setUp('noeviction')
  put('a')
  t.same(all(), [])
})

t.test('allkeys-lru: what was used longest ago goes first, of all databases', async t => {
  const { put, all } = setUp('allkeys-lru')
  put('new', { atMs: NOW - 1000 })
  put('old', { atMs: NOW - 9000, db: 2 })
  put('mid', { atMs: NOW - 5000, expireAtMs: NOW + 10 })
  t.same(all(), ['old', 'mid', 'new'])
})

t.test('volatile-lru takes only what has an expiry', async t => {
  const { put, all, keyspace } = setUp('volatile-lru')
  put('kept', { atMs: NOW - 9000 })
  put('b', { atMs: NOW - 1000, expireAtMs: NOW + 1e6 })
  put('a', { atMs: NOW - 2000, expireAtMs: NOW + 1e6 })
  t.same(all(), ['a', 'b'])
  t.equal(keyspace.database(0).size, 1)
})

t.test('the LFU policies take what was used least', async t => {
  const { put, all, keyspace } = setUp('allkeys-lfu')
  const frequencies = new Frequencies(() => 0)
  keyspace.frequencies = frequencies
  frequencies.set(put('often'), 200, NOW)
  frequencies.set(put('never'), 1, NOW)
  frequencies.set(put('seldom'), 60, NOW)
  t.same(all(), ['never', 'seldom', 'often'])
})

t.test('volatile-ttl takes what would expire first, exactly', async t => {
  const { put, all } = setUp('volatile-ttl', 1)
  for (let i = 0; i < 30; i++) put(`k${i}`, { db: i % 3, expireAtMs: NOW + ((i * 7) % 30) * 1000 + 1 })
  put('kept')
  const wanted = Array.from({ length: 30 }, (_, i) => i)
    .sort((a, b) => ((a * 7) % 30) - ((b * 7) % 30))
    .map(i => `k${i}`)
  t.same(all(), wanted)
})

t.test('the random policies take any, in all databases', async t => {
  const { put, all } = setUp('allkeys-random')
  for (let i = 0; i < 20; i++) put(`k${i}`, { db: i % 2 })
  t.equal(new Set(all()).size, 20)
  const volatile = setUp('volatile-random')
  volatile.put('kept')
  volatile.put('gone', { expireAtMs: NOW + 1000 })
  t.same(volatile.all(), ['gone'])
})

t.test('few samples come near the order: the oldest tenth goes mostly before the youngest', async t => {
  const { put, all } = setUp('allkeys-lru', 5)
  for (let i = 0; i < 300; i++) put(`${i}`, { atMs: NOW - (300 - i) * 1000 })
  const order = all().map(Number)
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  t.ok(mean(order.slice(0, 30)) < 60, `mean age rank of the first thirty: ${mean(order.slice(0, 30))}`)
})

t.test('a stream with groups stays, unless told otherwise; one without goes', async t => {
  for (const policy of ['allkeys-lru', 'allkeys-random'] as const) {
    const { keyspace, rows, all, eviction } = setUp(policy)
    const queue = Stream.create(rows)
    keyspace.database(0).put('queue', queue)
    queue.createGroup('g', ID_MIN, 0)
    keyspace.database(0).put('log', Stream.create(rows))
    t.same(all(), ['log'])
    eviction.groupedStreams = true
    t.same(all(), ['queue'])
  }
})

t.test('a candidate that was removed, flushed or made lasting meanwhile is passed over', async t => {
  const { put, eviction, keyspace } = setUp('volatile-lru')
  const first = put('first', { atMs: NOW - 3000, expireAtMs: NOW + 1e6 })
  put('second', { atMs: NOW - 2000, expireAtMs: NOW + 1e6 })
  put('third', { atMs: NOW - 1000, expireAtMs: NOW + 1e6 })
  put('fourth', { expireAtMs: NOW + 1e6 })
  t.equal(eviction.choose(keyspace)!.entry, first, 'the others are in the pool now')
  keyspace.database(0).remove('first')
  keyspace.database(0).remove('second')
  keyspace.database(0).setExpiry(keyspace.database(0).peek('third')!, 0)
  t.equal(eviction.choose(keyspace)!.entry.name, 'fourth')
  keyspace.database(0).flush()
  t.equal(eviction.choose(keyspace), undefined)
})
