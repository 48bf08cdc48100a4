import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { ZsetValue } from '../../../src/types/zset/zset-value.js'
import type { ZsetLimits } from '../../../src/types/zset/zset-value.js'
import { seeded } from '../../support/seeded.js'
import type { Seeded } from '../../support/seeded.js'
import { agree, membersOf, ZsetModel } from './zset-model.js'

const LIMITS: ZsetLimits = { entriesMax: 128, memberBytesMax: 64 }
const HEADS = 2
const PAGES = 4

/** A tree. */
function large(rows: MemoryRows, count: number): ZsetValue {
  const zset = ZsetValue.create(rows)
  for (let i = 0; i < count; i++) zset.set(`member-${i}`, i % 100, undefined, LIMITS)
  return zset
}

t.test('encodings are those of Redis, one way only', async t => {
  const zset = ZsetValue.create(new MemoryRows())
  for (let i = 0; i < 128; i++) zset.set(`m${i}`, i, undefined, LIMITS)
  t.equal(zset.encoding, 'listpack')
  zset.set('m0', 5, 0, LIMITS)
  t.equal(zset.encoding, 'listpack', 'a new score needs no room')
  zset.set('m128', 1, undefined, LIMITS)
  t.equal(zset.encoding, 'skiplist')
  for (let i = 0; i < 100; i++) zset.remove(`m${i}`)
  t.equal(zset.encoding, 'skiplist')
  const wide = ZsetValue.create(new MemoryRows())
  wide.set('x'.repeat(64), 1, undefined, LIMITS)
  t.equal(wide.encoding, 'listpack')
  wide.set('x'.repeat(65), 1, undefined, LIMITS)
  t.equal(wide.encoding, 'skiplist')
  const never = ZsetValue.create(new MemoryRows())
  never.set('x', 1, undefined, { entriesMax: 0, memberBytesMax: 64 })
  t.equal(never.encoding, 'skiplist')
})

t.test('of() takes the form that fits all members', async t => {
  const members = (count: number) => Array.from({ length: count }, (_, i) => ({ member: `m${i}`, score: i }))
  t.equal(ZsetValue.of(new MemoryRows(), members(128), LIMITS).encoding, 'listpack')
  const many = ZsetValue.of(new MemoryRows(), members(3000), LIMITS)
  t.equal(many.encoding, 'skiplist')
  t.same(membersOf(many), members(3000))
})

t.test('minus zero lives on where Redis keeps doubles, and becomes zero where it packs integers', async t => {
  for (const [limits, expected] of [
    [LIMITS, 0],
    [{ entriesMax: 0, memberBytesMax: 64 }, -0],
  ] as const) {
    const zset = ZsetValue.of(new MemoryRows(), [{ member: 'z', score: -0 }], limits)
    t.ok(Object.is(zset.scoreOf('z'), expected))
    t.ok(Object.is(membersOf(zset)[0].score, expected))
  }
  const tree = large(new MemoryRows(), 2000)
  tree.set('zero', -0, undefined, LIMITS)
  t.ok(Object.is(tree.scoreOf('zero'), -0))
  t.ok(membersOf(tree).some(({ member, score }) => member === 'zero' && Object.is(score, -0)))
})

/** Scores that collide, and some of every kind. */
function scoreFrom(rng: Seeded): number {
  if (rng.chance(0.05)) return rng.pick([Infinity, -Infinity, 1e300, -1e-300, 0.1])
  return rng.chance(0.5) ? rng.between(-20, 20) : rng.fraction() * 1000 - 500
}

t.test('sorted sets of every size equal a model through flushes, evictions, reloads and copies', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (const [universe, steps, make] of [
    [100, 600, (i: number) => `member-${i}`],
    [2500, 5000, (i: number) => `member-${i}`],
    [40, 800, (i: number) => `${i}-${'x'.repeat(i * 90)}`],
  ] as const) {
    const rows = new MemoryRows(1024)
    let zset = ZsetValue.create(rows)
    const model = new ZsetModel()
    for (let step = 0; step < steps; step++) {
      const member = make(rng.below(universe))
      const old = zset.scoreOf(member)
      if (old !== model.scoreOf(member)) t.fail(`${member} has ${old}`)
      if (rng.chance(0.7)) {
        const score = scoreFrom(rng)
        if (score !== old) zset.set(member, score, old, LIMITS)
        model.set(member, score)
      } else {
        t.equal(zset.remove(member), model.remove(member))
      }
      if (rng.chance(0.003)) {
        const from = rng.below(model.members.length + 1)
        const to = Math.min(model.members.length, from + rng.below(60))
        zset.removeRange(from, to)
        model.members.splice(from, to - from)
      }
      if (rng.chance(0.006)) {
        rows.flushAndEvict()
        if (rng.chance(0.5)) zset = ZsetValue.stored(rows, zset.object.id)
      }
      if (rng.chance(0.002)) {
        const twin = zset.copy()
        zset.drop()
        zset = twin
      }
    }
    agree(t, zset, model)
    rows.flush()
    rows.verifyClean([zset])
  }
})

t.test('names are counted where all scores are equal', async t => {
  for (const count of [50, 3000]) {
    const zset = ZsetValue.create(new MemoryRows())
    for (let i = 0; i < count; i++) zset.set(`m${String(i).padStart(5, '0')}`, -7, undefined, LIMITS)
    t.equal(zset.countBelowMember('m00030', false), 30)
    t.equal(zset.countBelowMember('m00030', true), 31)
    t.equal(zset.countBelowMember('m00030x', true), 31)
    t.equal(zset.countBelowMember('', false), 0)
    t.equal(zset.countBelowMember('n', true), count)
  }
})

t.test('a range far inside costs the pages it gives', async t => {
  const rows = new MemoryRows()
  const zset = large(rows, 5000)
  rows.flushAndEvict()
  const [from, to] = [zset.countBelowScore(50, false), zset.countBelowScore(50, true)]
  t.equal(to - from, 50)
  t.ok(membersOf(zset, from, to).every(({ score }) => score === 50))
  t.ok(rows.cache.bytesUsed < 64 * 1024, `${rows.cache.bytesUsed} bytes resident`)
})

t.test('a scan meets every member that stays, whatever comes and goes meanwhile', async t => {
  const zset = ZsetValue.create(new MemoryRows())
  for (let i = 0; i < 2000; i++) zset.set(`stays-${i}`, i, undefined, LIMITS)
  for (let i = 0; i < 2000; i++) zset.set(`goes-${i}`, i, undefined, LIMITS)
  const seen = new Map<string, number>()
  let cursor = 0
  let calls = 0
  do {
    cursor = zset.scan(cursor, 50, (member, score) => void seen.set(member, score))
    for (let i = 0; i < 40; i++) zset.remove(`goes-${calls * 40 + i}`)
    calls++
  } while (cursor !== 0)
  t.ok(calls > 20)
  for (let i = 0; i < 2000; i++) if (seen.get(`stays-${i}`) !== i) t.fail(`stays-${i} was not met`)
})

t.test('dropping a large sorted set leaves nothing in the store', async t => {
  const rows = new MemoryRows()
  const zset = large(rows, 5000)
  rows.flush()
  t.ok(rows.rowCount(PAGES) > 10)
  zset.drop()
  rows.flush()
  t.equal(rows.rowCount(PAGES), 0)
  t.equal(rows.rowCount(HEADS), 0)
})

t.test('digests follow from the content alone', async t => {
  const digestOf = (zset: ZsetValue) => {
    const pieces: Uint8Array[] = []
    zset.digest(bytes => void pieces.push(Buffer.from(bytes)))
    return Buffer.concat(pieces).toString('hex')
  }
  const rows = new MemoryRows()
  const zset = large(rows, 1000)
  const twin = ZsetValue.of(rows, membersOf(zset).toReversed(), LIMITS)
  t.equal(digestOf(twin), digestOf(zset))
  twin.set('member-5', 5.5, 5, LIMITS)
  t.not(digestOf(twin), digestOf(zset))
})

t.test('damaged heads are refused by name', async t => {
  const rows = new MemoryRows()
  t.throws(() => ZsetValue.stored(rows, 99).count, { message: 'head of zset 99 is missing' })
  const zset = ZsetValue.create(rows)
  zset.set('a', 1, undefined, LIMITS)
  rows.flush()
  const head = zset.encodeRow()
  for (const [bytes, message] of [
    [Buffer.from([2, 2]), /version 2/],
    [Buffer.from([1, 9]), /unknown form 9/],
    [head.subarray(0, head.length - 1), /cut off/],
    [Buffer.concat([head, head]), /behind its end/],
    [Buffer.from('01020201610000000000000000016100000000000000ff', 'hex'), /twice/],
    [Buffer.from('0102020162000000000000000001610000000000000000', 'hex'), /order/],
    [Buffer.from('01020101617ff8000000000000', 'hex'), /no number/],
  ] as const) {
    t.throws(() => damaged(rows, zset, bytes).count, { name: 'CorruptionError', message })
  }
})

/** The sorted set as it comes back when its head row holds `bytes`. */
function damaged(rows: MemoryRows, zset: ZsetValue, bytes: Buffer): ZsetValue {
  const other = Object.create(rows, { read: { value: () => bytes } }) as MemoryRows
  return ZsetValue.stored(other, zset.object.id)
}
