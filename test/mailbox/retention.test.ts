// What format 4 keeps on a server: times to live, bounded metadata, damage that is found, Promote that is all or
// nothing. On redis-server and on Millrace, in day buckets and in streams.

import t from 'tap'
import type { Test } from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_S } from '../../src/mailbox/event-group.js'
import { formatSeq } from '../../src/mailbox/mailbox-seq.js'
import { allBackends } from './contract/harness.js'
import type { Backend, World } from './contract/harness.js'

const user = 'u'

function namesOf(w: World) {
  const { shard, epoch } = w.place(user)
  return {
    meta: w.keys.meta(shard, epoch, user),
    days: w.keys.days(shard, epoch, user),
    index: w.keys.index(shard, epoch, user),
    stream: w.keys.stream(shard, epoch, user),
    bucket: (day: number) => w.keys.bucket(shard, epoch, w.today + day, user),
  }
}

/** Everything of the user as it is stored. */
async function state(w: World): Promise<string> {
  const keys = (await w.client!.keys(`${w.keys.prefix}mb*:${user}`)).sort()
  const dumps = await Promise.all(keys.map(key => w.client!.dumpBuffer(key)))
  return JSON.stringify(keys.map((key, i) => [key, dumps[i]?.toString('hex')]))
}

async function refusedWithoutTrace(t: Test, w: World, what: string, act: () => Promise<unknown>): Promise<void> {
  const before = await state(w)
  await t.rejects(act(), { code: 'CORRUPT_ENTRY' }, what)
  t.equal(await state(w), before, `${what}: nothing was written`)
}

/** Three days: one expired, two active. */
async function expiredAndActive(w: World): Promise<void> {
  await w.append(user, 1, { day: -6 })
  await w.append(user, 2, { day: -3 })
  await w.append(user, 3)
  await w.advanceDays(1)
}

async function times(t: Test, backend: Backend): Promise<void> {
  const w = await backend.world()
  const { meta, days, index, bucket } = namesOf(w)
  const client = w.client!
  const expiryOf = (day: number) => (w.today + day + 7) * DAY_S
  const ttl = async (key: string) => Number(await client.call('EXPIRETIME', key))
  const aheadS = Math.round((w.nowMs() - Date.now()) / 1000)
  const about = async (key: string, at: number, what: string) =>
    t.ok(Math.abs((await ttl(key)) + aheadS - at) <= 2, `${what}: ${(await ttl(key)) + aheadS}, not ${at}`)

  await w.append(user, 1)
  await about(index, expiryOf(0), 'the index lives as long as its only day')
  await w.append(user, 2, { day: 3 })
  await about(index, expiryOf(3), 'a later day extends it')
  await w.append(user, 3, { day: -2 })
  await about(index, expiryOf(3), 'an earlier day does not shorten it')
  await w.append(user, 1)
  await about(index, expiryOf(3), 'a replay states it again')
  await client.persist(index)
  await w.append(user, 4, { day: -1 })
  await about(index, expiryOf(3), 'without a time to live it is mended from its largest score')
  await client.persist(index)
  await w.append(user, 1)
  await about(index, expiryOf(3), 'a replay mends it, too')
  t.same([await ttl(meta), await ttl(days)], [-1, -1], 'mbmeta and mbdays live until Promote')
  if ((await client.exists(bucket(0))) === 1) {
    for (const day of [0, 3, -2, -1]) await about(bucket(day), expiryOf(day), `bucket ${day}`)
    await client.persist(bucket(0))
    await w.append(user, 5)
    await about(bucket(0), expiryOf(0), 'a bucket has its time to live after each append')
  } else {
    await about(namesOf(w).stream, expiryOf(3), 'the stream lives as long as the index')
  }
}

async function bounded(t: Test, backend: Backend): Promise<void> {
  const w = await backend.world()
  const { meta, days, index } = namesOf(w)
  let fieldsMax = 0
  for (let day = 0; day < 100; day++) {
    await w.append(user, day, { day })
    await w.advanceDays(1)
    fieldsMax = Math.max(fieldsMax, await w.client!.hlen(meta))
  }
  t.ok(fieldsMax <= 7 + 2 * 8, `${fieldsMax} fields`)
  await w.mailbox.store.promote(w.place(user))
  t.equal(await w.client!.zcard(days), 6)
  t.equal(await w.client!.zcard(index), 6)
  t.same(await w.client!.hmget(meta, 'active_day_count', 'min_day', 'max_day', 'retention_format_version'), [
    '6',
    String(w.today + 94),
    String(w.today + 99),
    '4',
  ])
  await w.advanceDays(50)
  await w.mailbox.store.promote(w.place(user))
  t.same(await w.client!.hgetall(meta), {
    retention_format_version: '4',
    active_day_count: '0',
    expired_gap_boundary: formatSeq(w.seq(99)),
    highest_seq: formatSeq(w.seq(99)),
  })
  t.equal(await w.client!.exists(days), 0, 'an empty mbdays is gone')
}

async function damagedProofs(t: Test, backend: Backend): Promise<void> {
  const damages: Record<string, (w: World) => Promise<unknown>> = {
    'the last active day has no bucket_max_seq': w => w.client!.hdel(namesOf(w).meta, `bucket_max_seq:${w.today}`),
    'an active day has no bucket_expires_at': w => w.client!.hdel(namesOf(w).meta, `bucket_expires_at:${w.today - 3}`),
    'the expired day has no proof': w => w.client!.hdel(namesOf(w).meta, `bucket_max_seq:${w.today - 6}`),
    'a proof is of another epoch': w =>
      w.client!.hset(namesOf(w).meta, `bucket_max_seq:${w.today}`, 'ffff000000000003'),
    'a proof is no sequence': w => w.client!.hset(namesOf(w).meta, `bucket_max_seq:${w.today}`, '3'),
    'a proof lies above highest_seq': w =>
      w.client!.hset(namesOf(w).meta, `bucket_max_seq:${w.today}`, formatSeq(w.seq(99))),
    'a proof expires at another time than mbdays says': w =>
      w.client!.hincrby(namesOf(w).meta, `bucket_expires_at:${w.today}`, 1),
    'mbdays expires at another time than the proof says': w => w.client!.zincrby(namesOf(w).days, 1, String(w.today)),
    'mbdays lost a day': w => w.client!.zrem(namesOf(w).days, String(w.today)),
    'mbdays has a day more': w => w.client!.zadd(namesOf(w).days, (w.today + 9) * DAY_S, String(w.today + 2)),
    'mbdays has what is no day': w => w.client!.zadd(namesOf(w).days, (w.today + 9) * DAY_S, 'x'),
    'a proof of a day that is not in mbdays': w =>
      w.client!.hset(namesOf(w).meta, `bucket_max_seq:${w.today + 2}`, formatSeq(w.seq(1))),
    'active_day_count is wrong': w => w.client!.hset(namesOf(w).meta, 'active_day_count', 2),
    'min_day is wrong': w => w.client!.hset(namesOf(w).meta, 'min_day', w.today - 5),
    'max_day is gone': w => w.client!.hdel(namesOf(w).meta, 'max_day'),
    'the gap boundary is no sequence': w => w.client!.hset(namesOf(w).meta, 'expired_gap_boundary', 'zz'),
    'the trim watermark is of another epoch': w =>
      w.client!.hset(namesOf(w).meta, 'trim_watermark', '0000000000000001'),
    'the index is gone while a day is active': w => w.client!.del(namesOf(w).index),
    'the index holds what expired with no day': w => w.client!.zadd(namesOf(w).index, 5, formatSeq(w.seq(1))),
    'the index holds what is no sequence': w => w.client!.zadd(namesOf(w).index, (w.today + 1) * DAY_S, 'x'),
    'the index has an expired member above its proof': w =>
      w.client!.zadd(namesOf(w).index, (w.today + 1) * DAY_S, formatSeq(w.seq(50))),
  }
  for (const [name, damage] of Object.entries(damages)) {
    const w = await backend.world()
    await expiredAndActive(w)
    await damage(w)
    await refusedWithoutTrace(t, w, `promote, ${name}`, () => w.mailbox.store.promote(w.place(user)))
    await refusedWithoutTrace(t, w, `scan, ${name}`, () => w.scan(user, 2, 9))
    await refusedWithoutTrace(t, w, `append, ${name}`, () => w.append(user, 4))
    await refusedWithoutTrace(t, w, `truncate, ${name}`, () => w.mailbox.store.truncateBefore(w.place(user), w.seq(3)))
    await w.mailbox.store.beginRebuild(w.place(user), w.epoch)
    t.equal(await w.append(user, 3), 'appended', `${name}: a rebuild mends it`)
  }
}

async function damagedWithoutExpiry(t: Test, backend: Backend): Promise<void> {
  const damages: Record<string, (w: World) => Promise<unknown>> = {
    'mbmeta is gone': w => w.client!.del(namesOf(w).meta),
    'the index is gone': w => w.client!.del(namesOf(w).index),
    'the proof of the day is half': w => w.client!.hdel(namesOf(w).meta, `bucket_expires_at:${w.today}`),
    'the proof of the day is no sequence': w => w.client!.hset(namesOf(w).meta, `bucket_max_seq:${w.today}`, 'x'),
    'highest_seq is gone': w => w.client!.hdel(namesOf(w).meta, 'highest_seq'),
    'highest_seq is no sequence': w => w.client!.hset(namesOf(w).meta, 'highest_seq', 'x'),
    'active_day_count is no number': w => w.client!.hset(namesOf(w).meta, 'active_day_count', 'x'),
    'min_day is gone': w => w.client!.hdel(namesOf(w).meta, 'min_day'),
  }
  for (const [name, damage] of Object.entries(damages)) {
    const w = await backend.world()
    await w.append(user, 1)
    await damage(w)
    await refusedWithoutTrace(t, w, `append, ${name}`, () => w.append(user, 2))
  }
  const w = await backend.world()
  await w.append(user, 1)
  await w.append(user, 2)
  await w.client!.zrem(namesOf(w).index, formatSeq(w.seq(1)))
  await refusedWithoutTrace(t, w, 'a replay whose identity member is lost', () => w.append(user, 1))
  await refusedWithoutTrace(t, w, 'the same on another day', () => w.append(user, 1, { day: -1 }))
}

async function lostEvents(t: Test, backend: Backend): Promise<void> {
  const w = await backend.world()
  await w.append(user, 1, { day: -2 })
  await w.append(user, 2)
  const { bucket, stream } = namesOf(w)
  await w.client!.del(bucket(-2), stream)
  await t.rejects(w.scan(user, -1, 9), { code: 'CORRUPT_ENTRY' }, 'a day proves an event that is gone')
  const other = await backend.world()
  await other.append(user, 1)
  other.between = () => other.client!.del(namesOf(other).bucket(0), namesOf(other).stream).then(() => undefined)
  await t.rejects(other.scan(user, -1, 9), { code: 'CORRUPT_ENTRY' }, 'lost between the check and the read')
}

async function changedRetention(t: Test, backend: Backend): Promise<void> {
  const w = await backend.world({ retentionDays: 7 })
  await w.append(user, 1)
  await w.client!.zadd(namesOf(w).days, (w.today + 8) * DAY_S, String(w.today))
  await w.client!.hset(namesOf(w).meta, `bucket_expires_at:${w.today}`, (w.today + 8) * DAY_S)
  await w.client!.zadd(namesOf(w).index, (w.today + 8) * DAY_S, formatSeq(w.seq(1)))
  t.equal(await w.append(user, 2), 'appended', 'an active day keeps the expiry it was given')
  t.equal(await w.append(user, 3, { day: 1 }), 'appended', 'a day that would expire together with another is moved')
  const scores = await w.client!.zrange(namesOf(w).days, '0', '-1', 'WITHSCORES')
  t.equal(new Set([scores[1], scores[3]]).size, 2)
  await t.rejects(w.append(user, 3), { code: 'CONFLICT' })
  t.same(await w.scan(user, -1, 9), ['e1', 'e2', 'e3'])
}

/** The server's own clock, no help from the harness. */
async function realTime(t: Test, backend: Backend): Promise<void> {
  const w = await backend.world({ retentionS: DAY_S / 2 + 2 })
  await w.append(user, 1)
  t.same(await w.scan(user, -1, 9), ['e1'])
  const { index, bucket, stream } = namesOf(w)
  const client = w.client!
  for (let wait = 0; wait < 100 && (await client.exists(index)) === 1; wait++) await sleep(100)
  t.equal(await client.exists(index, bucket(0), stream), 0, 'index and events went by themselves')
  await t.rejects(w.scan(user, -1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(1) })
  t.equal(await w.append(user, 1), 'expired')
}

const [, ...servers] = await allBackends(t)
for (const backend of servers) {
  t.test(backend.name, async t => {
    await t.test('times to live', async t => times(t, backend))
    await t.test('metadata are bounded', async t => bounded(t, backend))
    await t.test('damage beside expired days', async t => damagedProofs(t, backend))
    await t.test('damage on the short way', async t => damagedWithoutExpiry(t, backend))
    await t.test('events that are gone', async t => lostEvents(t, backend))
    await t.test('a retention that was changed', async t => changedRetention(t, backend))
    await t.test('an expiry by the clock of the server', async t => realTime(t, backend))
  })
}
