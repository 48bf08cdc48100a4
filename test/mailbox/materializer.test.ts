// The owner's loop: fast and general path, gaps, duplicates, refusals, restarts. In memory; test/mailbox/model.test.ts
// runs it against servers and crashes it at every step.

import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { laneOf } from '../../src/mailbox/lane.js'
import { memoryMailbox } from '../../src/mailbox/mailbox-backend.js'
import { beforeEpoch, endOfEpoch } from '../../src/mailbox/mailbox-seq.js'
import { Materializer } from '../../src/mailbox/materializer.js'
import type { MaterializerOptions } from '../../src/mailbox/materializer.js'
import { MemoryDispatchLog } from '../../src/mailbox/memory-dispatch-log.js'

const DAY_MS = 86_400_000
const SHARD = 7

function world() {
  const clock = new FakeClock(20_000 * DAY_MS + DAY_MS / 2)
  const mailbox = memoryMailbox({ clock, retentionS: 7 * 86_400 })
  const log = new MemoryDispatchLog()
  let appended = 0
  const append = (users: readonly string[], given: { id?: string; daysAgo?: number } = {}) => {
    const n = appended++
    return log.append(
      { partition: SHARD },
      {
        dispatchId: given.id ?? `d${n}`,
        committedAtMs: clock.nowMs() - (given.daysAgo ?? 0) * DAY_MS,
        recipients: users.map(user => ({
          user,
          events: [{ ordinal: 0, messageId: `m${n}`, payload: Buffer.from(`p${n}`) }],
        })),
      },
    )
  }
  const owner = async (options: Partial<MaterializerOptions> = {}) => {
    const made = new Materializer(mailbox, log, { shard: SHARD, owner: 'a', clock, ...options })
    await made.open()
    return made
  }
  const read = async (user: string, epoch = 1) => {
    const request = { shard: SHARD, user, epoch, afterSeq: beforeEpoch(epoch), upTo: endOfEpoch(epoch), limit: 1000 }
    return (await mailbox.store.rangeScan(request)).events.map(({ payload }) => payload.toString())
  }
  return { clock, mailbox, log, append, owner, read }
}

const drain = async (owner: Materializer) => {
  while ((await owner.step()) > 0);
}

t.test('records with one recipient go the fast path, in one pipeline', async t => {
  const w = world()
  for (let i = 0; i < 10; i++) await w.append([i % 2 ? 'u' : 'v'])
  const steps: string[] = []
  const owner = await w.owner({ onStep: step => void steps.push(step) })
  t.equal(await owner.step(), 10)
  t.same(steps, ['read', 'fast'])
  t.same(await w.read('u'), ['p1', 'p3', 'p5', 'p7', 'p9'])
  t.match(owner.counts, { records: 10, groups: 10 })
  t.equal(owner.position, 9)
})

t.test('a record with many recipients goes the general path in chunks', async t => {
  const w = world()
  const users = Array.from({ length: 300 }, (_, i) => `user:${i}`)
  await w.append(users)
  const steps: string[] = []
  const owner = await w.owner({ chunk: 128, onStep: step => void steps.push(step) })
  t.equal(await owner.step(), 1)
  t.same(steps, ['read', 'claimed', 'chunk', 'chunk', 'chunk', 'appended', 'advanced'])
  for (const user of users) t.same(await w.read(user), ['p0'])
})

t.test('a record for nobody moves the watermark', async t => {
  const w = world()
  await w.append([])
  await w.append(['u'])
  const owner = await w.owner()
  await drain(owner)
  t.equal(owner.position, 1)
  t.same(await w.read('u'), ['p1'])
})

t.test('paths take turns and keep the order of a user', async t => {
  const w = world()
  for (let i = 0; i < 12; i++) await w.append(i % 3 === 2 ? ['u', 'v', 'w'] : ['u'])
  await drain(await w.owner({ batch: 5 }))
  t.same(
    await w.read('u'),
    Array.from({ length: 12 }, (_, i) => `p${i}`),
  )
  t.same(await w.read('w'), ['p2', 'p5', 'p8', 'p11'])
})

t.test('a dispatch appended twice is materialized once, on either path', async t => {
  const w = world()
  await w.append(['u'], { id: 'one' })
  await w.append(['u'], { id: 'one' })
  await w.append(['u', 'v'], { id: 'two' })
  await w.append(['u', 'v'], { id: 'two' })
  await w.append(['u'], { id: 'two' })
  const owner = await w.owner()
  await drain(owner)
  t.same([await w.read('u'), await w.read('v')], [['p0', 'p2'], ['p2']])
  t.equal(owner.counts.duplicates, 3)
  t.equal(owner.position, 4)
})

t.test('a lane that ran ahead is not written again', async t => {
  const w = world()
  await w.append(['a'])
  const owner = await w.owner()
  await drain(owner)
  await w.append(['a', 'b'])
  await w.mailbox.watermarks.advance(SHARD, 1, { lane: laneOf('a'), expectedPrevious: 0 }, 1)
  const next = await w.owner()
  t.equal(next.position, 0)
  await drain(next)
  t.same([await w.read('a', 2), await w.read('b', 2)], [[], ['p1']])
  t.equal(next.position, 1)
})

t.test('watermarks that moved behind its back make it look again', async t => {
  const w = world()
  for (let i = 0; i < 4; i++) await w.append(['u'])
  const owner = await w.owner({ batch: 2 })
  await owner.step()
  const strange = (laneOf('u') + 1) % 64
  await w.mailbox.watermarks.advance(SHARD, 1, { lane: strange, expectedPrevious: 1 }, 2)
  t.equal(await owner.step(), 0, 'the lanes are not equal any more')
  t.equal(owner.position, 1)
  t.equal(await owner.step(), 2)
  t.same(await w.read('u'), ['p0', 'p1', 'p2', 'p3'])
  await w.append(['u', 'v'])
  await w.mailbox.watermarks.advance(SHARD, 1, { lane: strange, expectedPrevious: 3 }, 4)
  t.equal(await owner.step(), 0)
  t.equal(await owner.step(), 1)
  t.same(await w.read('v'), ['p4'])
  t.equal(owner.position, 4)
})

t.test('what is past already is passed', async t => {
  const w = world()
  for (let i = 0; i < 3; i++) await w.append(['u'])
  const owner = await w.owner({ batch: 1 })
  await owner.step()
  await w.mailbox.watermarks.advanceAll(SHARD, 1, { expectedPrevious: 0 }, 1)
  await drain(owner)
  t.equal(owner.position, 2)
  t.same(await w.read('u'), ['p0', 'p2'])
})

t.test('a successor begins at the watermark, and the old owner is fenced', async t => {
  const w = world()
  await w.append(['u'])
  const old = await w.owner()
  await drain(old)
  await w.append(['u'])
  const next = await w.owner({ owner: 'b' })
  await t.rejects(old.step(), { code: 'FENCED' })
  await drain(next)
  t.same([await w.read('u', 1), await w.read('u', 2)], [['p0'], ['p1']])
})

t.test('the old owner is fenced on the general path, too', async t => {
  const w = world()
  await w.append(['u', 'v'])
  const old = await w.owner()
  await w.owner({ owner: 'b' })
  await t.rejects(old.step(), { code: 'FENCED' })
  t.same(await w.read('u', 1), [])
})

t.test('a refused record stops it where it stands', async t => {
  const w = world()
  await w.append(['u'])
  await w.append(['u'], { daysAgo: -40 })
  await w.append(['u'])
  const owner = await w.owner()
  await t.rejects(owner.step(), { code: 'FUTURE_WINDOW' })
  t.equal(owner.position, 0)
  await t.rejects(owner.step(), { code: 'FUTURE_WINDOW' })
  t.same(await w.read('u'), ['p0'])
})

t.test('a refused record is passed over when the service says so, on either path', async t => {
  const w = world()
  const refused: [number, string][] = []
  await w.append(['u'])
  await w.append(['u'], { daysAgo: -40 })
  await w.append(['u', 'v'], { daysAgo: -40 })
  await w.append(['u'])
  const owner = await w.owner({
    onRefused: ({ logOffset }, { code }) => {
      refused.push([logOffset, code])
      return 'skip'
    },
  })
  await drain(owner)
  t.same(refused, [
    [1, 'FUTURE_WINDOW'],
    [2, 'FUTURE_WINDOW'],
  ])
  t.same(await w.read('u'), ['p0', 'p3'])
  t.match(owner.counts, { skipped: 2, groups: 2 })
})

t.test('an expired record counts as materialized', async t => {
  const w = world()
  await w.append(['u'], { daysAgo: 9 })
  await w.append(['u', 'v'], { daysAgo: 9 })
  const owner = await w.owner()
  await drain(owner)
  t.match(owner.counts, { expired: 3, groups: 0 })
  t.equal(owner.position, 1)
})

t.test('users whom a split moved are refused in the old shard', async t => {
  const w = world()
  await w.append(['u'])
  await drain(await w.owner())
  const lanes = [laneOf('u')]
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes, splitAtOffset: 1 })
  await w.append(['u'])
  const owner = await w.owner()
  await t.rejects(owner.step(), { code: 'WRONG_SHARD', message: /u was moved away/ })
  const home = await w.owner({ isHome: () => true })
  await drain(home)
  t.equal(home.position, 1)
})

t.test('a log that lost what comes next is found at the start', async t => {
  const w = world()
  for (let i = 0; i < 4; i++) await w.append(['u'])
  await (await w.owner({ batch: 2 })).step()
  w.log.trimBefore(SHARD, 3)
  await t.rejects(w.owner(), { code: 'LOG_LOST', message: /begins at 3, 2 is wanted/ })
  w.log.recreate(SHARD)
  await t.rejects(w.owner(), { code: 'LOG_LOST', message: /ends before 0, 2 is wanted/ })
  await w.mailbox.registry.raise(SHARD, 'E3')
  const owner = await w.owner()
  await w.append(['u'])
  t.equal(await owner.step(), 1)
})

t.test('dispatches leave the window of deduplication, not sooner', async t => {
  const w = world()
  const owner = await w.owner({ dedupWindowMs: 1000, batch: 1 })
  await w.append(['u'], { id: 'early' })
  await owner.step()
  w.clock.advance(999)
  t.equal(await owner.collect(), 0)
  w.clock.advance(1)
  await w.append(['u'], { id: 'late' })
  await owner.step()
  t.equal(await owner.collect(), 1)
  await w.append(['u'], { id: 'late' })
  await w.append(['u'], { id: 'early' })
  await drain(owner)
  t.same(await w.read('u'), ['p0', 'p1', 'p3'])
})

t.test('it collects by itself after a number of records', async t => {
  const w = world()
  let collected = 0
  const onStep = (step: string) => void (collected += step === 'collected' ? 1 : 0)
  const owner = await w.owner({ dedupWindowMs: 0, batch: 2, collectEvery: 4, onStep })
  for (let i = 0; i < 9; i++) await w.append(['u'])
  await drain(owner)
  t.equal(collected, 2)
})

t.test('run() goes on until it is told to stop, over broken connections', async t => {
  const w = world()
  let breaks = 3
  const owner = await w.owner({
    retryMs: 1,
    onStep: step => {
      if (step === 'fast' && breaks-- > 0) throw new Error('Connection is closed.')
    },
  })
  const stop = new AbortController()
  const running = owner.run(stop.signal, 1)
  for (let i = 0; i < 5; i++) await w.append(['u'])
  while (owner.position !== 4) await new Promise(resolve => setTimeout(resolve, 1))
  stop.abort()
  await running
  t.same(await w.read('u'), ['p0', 'p1', 'p2', 'p3', 'p4'])
})

t.test('run() ends with the error when retries are used up, and at once when it is fenced', async t => {
  const w = world()
  const broken = await w.owner({
    retryMs: 1,
    retriesMax: 2,
    onStep: () => {
      throw new Error('Connection is closed.')
    },
  })
  await t.rejects(broken.run(new AbortController().signal, 1), { message: 'Connection is closed.' })
  const fenced = await w.owner()
  await w.append(['u'])
  await w.owner({ owner: 'b' })
  await t.rejects(fenced.run(new AbortController().signal, 1), { code: 'FENCED' })
})

t.test('run() notices a fence although there is nothing to write', async t => {
  const w = world()
  const owner = await w.owner()
  await w.owner({ owner: 'b' })
  const running = owner.run(new AbortController().signal, 1)
  w.clock.advance(1000)
  await t.rejects(running, { code: 'FENCED' })
})

t.test('open() comes first', async t => {
  const w = world()
  const owner = new Materializer(w.mailbox, w.log, { shard: SHARD, owner: 'a', clock: w.clock })
  await t.rejects(owner.step(), { code: 'SHARD_NOT_OPEN' })
})
