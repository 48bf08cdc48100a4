// The contract of appends: replay identity, day buckets, what is refused before anything is written.

import { beforeEpoch, formatSeq, LOG_OFFSET_MAX, mailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import { proves } from './case.js'
import type { World } from './harness.js'

async function nothing(world: World, user: string): Promise<boolean> {
  const { gapBoundary, trimWatermark, activeDays } = await world.mailbox.store.promote(world.place(user))
  if (gapBoundary !== undefined || trimWatermark !== undefined || activeDays.length > 0) return false
  if (world.client === undefined) return true
  const { shard, epoch, user: name } = world.place(user)
  return (await world.client.exists(world.keys.meta(shard, epoch, name), world.keys.days(shard, epoch, name))) === 0
}

export const appendCases = [
  proves('a fresh group is appended and read', async (t, w) => {
    t.equal(await w.append('u', 1), 'appended')
    t.same(await w.scan('u', -1, 1), ['e1'])
  }),
  proves('a group of several events is read in the order of ordinals', async (t, w) => {
    await w.append('u', 1, { payloads: ['c', 'a', 'b'], ordinals: [9, 0, 4] })
    t.same(await w.scan('u', -1, 1), ['a', 'b', 'c'])
  }),
  proves('an event comes back whole: id, time, bytes', async (t, w) => {
    const [event] = w.group('u', 1).events
    const sent = { ...event, messageId: 'Grüße', payload: Buffer.from([0, 255, 13, 10, 0]), ordinal: 4294967295 }
    await w.mailbox.store.append({ ...w.group('u', 1), events: [sent] }, w.epoch)
    const { events } = await w.mailbox.store.rangeScan({
      ...w.place('u'),
      afterSeq: beforeEpoch(w.epoch),
      upTo: w.seq(1),
      limit: 1,
    })
    t.same(events, [{ ...sent, seq: w.seq(1) }])
  }),
  proves('an empty payload and an empty message id are kept', async (t, w) => {
    const [event] = w.group('u', 1).events
    const sent = { ...event, messageId: '', payload: Buffer.alloc(0) }
    await w.mailbox.store.append({ ...w.group('u', 1), events: [sent] }, w.epoch)
    t.same(await w.scan('u', -1, 1), [''])
  }),
  proves('an event at offset 0 is there', async (t, w) => {
    t.equal(await w.append('u', 0), 'appended')
    t.same(await w.scan('u', -1, 0), ['e0'])
    t.same(await w.scan('u', 0, 5), [])
  }),
  proves('the greatest offset is kept to the last bit', async (t, w) => {
    await w.append('u', LOG_OFFSET_MAX - 1)
    await w.append('u', LOG_OFFSET_MAX)
    t.same(await w.scan('u', LOG_OFFSET_MAX - 1, LOG_OFFSET_MAX), [`e${LOG_OFFSET_MAX}`])
    t.equal(await w.append('u', LOG_OFFSET_MAX, { payloads: ['x'] }), 'replaced')
    t.same(await w.scan('u', -1, LOG_OFFSET_MAX), [`e${LOG_OFFSET_MAX - 1}`, 'x'])
  }),
  proves('the same group again changes nothing', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b'] })
    t.equal(await w.append('u', 1, { payloads: ['a', 'b'] }), 'replayed')
    t.same(await w.scan('u', -1, 9), ['a', 'b'])
  }),
  proves('the same group in another order of events is the same', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b'], ordinals: [0, 1] })
    const group = w.group('u', 1, { payloads: ['a', 'b'], ordinals: [0, 1] })
    const turned = { ...group, events: [...group.events].reverse() }
    t.equal(await w.mailbox.store.append(turned, w.epoch), 'replayed')
  }),
  proves('another group of the same record and day takes its place whole: fewer events', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b', 'c'] })
    t.equal(await w.append('u', 1, { payloads: ['x'] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['x'])
  }),
  proves('another group of the same record and day takes its place whole: more events', async (t, w) => {
    await w.append('u', 1, { payloads: ['a'] })
    t.equal(await w.append('u', 1, { payloads: ['a', 'b', 'c'] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['a', 'b', 'c'])
  }),
  proves('another payload alone is a replacement', async (t, w) => {
    await w.append('u', 1, { payloads: ['a'] })
    t.equal(await w.append('u', 1, { payloads: ['b'] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['b'])
  }),
  proves('other ordinals alone are a replacement', async (t, w) => {
    await w.append('u', 1, { payloads: ['a'], ordinals: [0] })
    t.equal(await w.append('u', 1, { payloads: ['a'], ordinals: [7] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['a'])
  }),
  proves('a replacement in the middle leaves its neighbours alone', async (t, w) => {
    for (const offset of [1, 2, 3, 4]) await w.append('u', offset, { payloads: [`a${offset}`, `b${offset}`] })
    t.equal(await w.append('u', 2, { payloads: ['x', 'y', 'z'] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['a1', 'b1', 'x', 'y', 'z', 'a3', 'b3', 'a4', 'b4'])
    t.equal(await w.append('u', 5), 'appended')
    t.same(await w.scan('u', 3, 9), ['a4', 'b4', 'e5'])
  }),
  proves('a replacement of the first leaves its neighbours alone', async (t, w) => {
    for (const offset of [0, 1, 2]) await w.append('u', offset)
    t.equal(await w.append('u', 0, { payloads: ['x'] }), 'replaced')
    t.same(await w.scan('u', -1, 9), ['x', 'e1', 'e2'])
  }),
  proves('a replay on another day is a conflict and changes nothing', async (t, w) => {
    await w.append('u', 1)
    await t.rejects(w.append('u', 1, { day: -1 }), { code: 'CONFLICT' })
    await t.rejects(w.append('u', 1, { day: 1 }), { code: 'CONFLICT' })
    t.same(await w.scan('u', -1, 9), ['e1'])
    t.same((await w.mailbox.store.promote(w.place('u'))).activeDays, [w.today])
  }),
  proves('a replay on an expired day is a conflict while the sequence lives in an active one', async (t, w) => {
    await w.append('u', 1)
    await t.rejects(w.append('u', 1, { day: -20 }), { code: 'CONFLICT' })
    t.same(await w.scan('u', -1, 9), ['e1'])
    t.equal((await w.mailbox.store.promote(w.place('u'))).gapBoundary, undefined)
  }),
  proves('sequences follow the log although days do not', async (t, w) => {
    await w.append('u', 1, { day: 2 })
    await w.append('u', 2, { day: -3 })
    await w.append('u', 3, { day: 0 })
    t.same(await w.scan('u', -1, 9), ['e1', 'e2', 'e3'])
    t.same((await w.mailbox.store.promote(w.place('u'))).activeDays, [w.today - 3, w.today, w.today + 2])
  }),
  proves('a fresh sequence below what was seen is corruption, not a second copy', async (t, w) => {
    await w.append('u', 5)
    await t.rejects(w.append('u', 4), { code: 'CORRUPT_ENTRY' })
    await t.rejects(w.append('u', 4, { day: -1 }), { code: 'CORRUPT_ENTRY' })
    t.same(await w.scan('u', -1, 9), ['e5'])
  }),
  proves('a sequence below one that expired unseen is corruption as well', async (t, w) => {
    t.equal(await w.append('u', 5, { day: -20 }), 'expired')
    await t.rejects(w.append('u', 4), { code: 'CORRUPT_ENTRY' })
  }),
  proves('an expired replay writes no event, only the gap boundary', async (t, w) => {
    t.equal(await w.append('u', 3, { day: -20 }), 'expired')
    const retention = await w.mailbox.store.promote(w.place('u'))
    t.same(retention, { gapBoundary: w.seq(3), trimWatermark: undefined, activeDays: [] })
    t.equal(await w.append('u', 3, { day: -20 }), 'expired')
    t.same(await w.mailbox.store.promote(w.place('u')), retention)
    t.same(await w.scan('u', 3, 9), [])
  }),
  proves('an expired replay never lowers the gap boundary', async (t, w) => {
    await w.append('u', 5, { day: -20 })
    t.equal(await w.append('u', 3, { day: -21 }), 'expired')
    t.equal((await w.mailbox.store.promote(w.place('u'))).gapBoundary, w.seq(5))
  }),
  proves('what expires on its very day of arrival is expired, the day after is not', async (t, w) => {
    t.equal(await w.append('u', 1, { day: -7 }), 'expired')
    t.equal(await w.append('u', 2, { day: -6 }), 'appended')
  }),
  proves('created_at 30 days ahead is taken, 31 days are refused before anything is written', async (t, w) => {
    await t.rejects(w.append('u', 1, { day: 31 }), { code: 'FUTURE_WINDOW' })
    t.ok(await nothing(w, 'u'))
    t.equal(await w.append('u', 1, { day: 30 }), 'appended')
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('the future window of a user who is known changes nothing either', async (t, w) => {
    await w.append('u', 1)
    await t.rejects(w.append('u', 2, { day: 31 }), { code: 'FUTURE_WINDOW' })
    t.same(await w.scan('u', -1, 9), ['e1'])
    t.equal(await w.append('u', 2), 'appended')
  }),
  proves('active days span 30 days, not 31', async (t, w) => {
    await w.append('u', 1, { day: -1 })
    await t.rejects(w.append('u', 2, { day: 30 }), { code: 'DAY_SPAN' })
    t.equal(await w.append('u', 2, { day: 29 }), 'appended')
    await t.rejects(w.append('u', 3, { day: -2 }), { code: 'DAY_SPAN' })
    t.same(await w.scan('u', -1, 9), ['e1', 'e2'])
  }),
  proves('the span counts what is active, not what has expired', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.advanceDays(1)
    t.equal(await w.append('u', 2, { day: 30 }), 'appended')
    t.equal((await w.mailbox.store.promote(w.place('u'))).gapBoundary, w.seq(1))
  }),
  proves('a group over two days is refused', async (t, w) => {
    const group = w.group('u', 1, { payloads: ['a', 'b'] })
    const events = [group.events[0], { ...group.events[1], createdAtMs: group.events[1].createdAtMs + 86_400_000 }]
    await t.rejects(w.mailbox.store.append({ ...group, events }, w.epoch), { code: 'BAD_GROUP' })
    t.ok(await nothing(w, 'u'))
  }),
  proves('two times of one day are one group', async (t, w) => {
    const group = w.group('u', 1, { payloads: ['a', 'b'] })
    const events = [group.events[0], { ...group.events[1], createdAtMs: group.events[1].createdAtMs + 3_600_000 }]
    t.equal(await w.mailbox.store.append({ ...group, events }, w.epoch), 'appended')
  }),
  proves('a repeated ordinal is refused', async (t, w) => {
    await t.rejects(w.append('u', 1, { payloads: ['a', 'b'], ordinals: [3, 3] }), { code: 'BAD_GROUP' })
    t.ok(await nothing(w, 'u'))
  }),
  proves('odd groups are refused: no event, an ordinal that is no u32, no user, an id too long', async (t, w) => {
    await t.rejects(w.append('u', 1, { payloads: [] }), { code: 'BAD_GROUP' })
    for (const ordinal of [-1, 0.5, 2 ** 32]) {
      await t.rejects(w.append('u', 1, { ordinals: [ordinal] }), { code: 'BAD_GROUP' })
    }
    await t.rejects(w.append('', 1), { code: 'BAD_GROUP' })
    const group = w.group('u', 1)
    const events = [{ ...group.events[0], messageId: 'x'.repeat(256) }]
    await t.rejects(w.mailbox.store.append({ ...group, events }, w.epoch), { code: 'BAD_GROUP' })
    t.ok(await nothing(w, 'u'))
  }),
  proves('too many events are refused, the most that may be is taken', async (t, w) => {
    const payloads = Array.from({ length: 1024 }, (_, i) => `p${i}`)
    await t.rejects(w.append('u', 1, { payloads: [...payloads, 'one more'] }), { code: 'BAD_GROUP' })
    t.equal(await w.append('u', 1, { payloads }), 'appended')
    t.equal(await w.append('u', 1, { payloads }), 'replayed')
    t.same(await w.scan('u', -1, 1), payloads)
  }),
  proves('users are apart, whatever their names', async (t, w) => {
    const names = ['u', 'u:1', '{7}', 'a b', 'ü', '1:20000:u']
    for (const [i, name] of names.entries()) await w.append(name, i + 1)
    for (const [i, name] of names.entries()) t.same(await w.scan(name, -1, 99), [`e${i + 1}`], name)
  }),
  proves('many groups at once answer each for itself', async (t, w) => {
    await w.append('b', 2)
    const groups = [w.group('a', 1), w.group('b', 1), w.group('b', 2), w.group('c', 3, { day: 40 })]
    const outcomes = await w.mailbox.store.appendAll(groups, w.epoch)
    t.match(outcomes, ['appended', { code: 'CORRUPT_ENTRY' }, 'replayed', { code: 'FUTURE_WINDOW' }])
    t.same(await w.mailbox.store.appendAll([], w.epoch), [])
  }),
  proves('a shard that nobody opened takes no event', async (t, w) => {
    const group = { ...w.group('u', 1), shard: 8 }
    await t.rejects(w.mailbox.store.append(group, w.epoch), { code: 'SHARD_NOT_OPEN' })
  }),
  proves('an epoch that is not open takes no event', async (t, w) => {
    const group = { ...w.group('u', 1), seq: mailboxSeq(w.epoch + 1, 1) }
    await t.rejects(w.mailbox.store.append(group, w.epoch + 1), { code: 'SHARD_NOT_OPEN' })
  }),
  proves('an event of a later epoch than the owner has is refused', async (t, w) => {
    const group = { ...w.group('u', 1), seq: mailboxSeq(w.epoch + 1, 1) }
    await t.rejects(w.mailbox.store.append(group, w.epoch), { code: 'FOREIGN_EPOCH' })
  }),
  proves('after a takeover the old owner writes nothing', async (t, w) => {
    await w.append('u', 1)
    const { epoch } = await w.mailbox.registry.takeOver(w.shard, 'another')
    t.equal(epoch, w.epoch + 1)
    await t.rejects(w.append('u', 2), { code: 'FENCED' })
    t.match(await w.mailbox.store.appendAll([w.group('u', 2)], w.epoch), [{ code: 'FENCED' }])
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('the epochs of a user are mailboxes apart', async (t, w) => {
    await w.append('u', 1)
    const { epoch } = await w.mailbox.registry.takeOver(w.shard, 'another')
    const group = { ...w.group('u', 1, { day: -1, payloads: ['n'] }), seq: mailboxSeq(epoch, 1) }
    t.equal(await w.mailbox.store.append(group, epoch), 'appended')
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('format 3 is refused by appends, scans, promotes and truncations', async (t, w) => {
    const place = w.place('u')
    await w.plantFormat(place, 3)
    const code = 'UNKNOWN_FORMAT'
    await t.rejects(w.append('u', 1), { code })
    await t.rejects(w.append('u', 1, { day: -20 }), { code })
    await t.rejects(w.scan('u', -1, 9), { code })
    await t.rejects(w.mailbox.store.promote(place), { code })
    await t.rejects(w.mailbox.store.truncateBefore(place, w.seq(1)), { code })
  }),
  proves('format 2 is refused on a mailbox with events', async (t, w) => {
    await w.append('u', 1)
    await w.plantFormat(w.place('u'), 2)
    await t.rejects(w.append('u', 2), { code: 'UNKNOWN_FORMAT' })
    await t.rejects(w.scan('u', -1, 9), { code: 'UNKNOWN_FORMAT' })
  }),
  proves('a rebuild forgets the events, keeps the boundaries, and the log can be replayed', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.append('u', 3)
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(2))
    await w.mailbox.store.beginRebuild(w.place('u'), w.epoch)
    t.same(await w.scan('u', 1, 9), [])
    t.equal((await w.mailbox.store.promote(w.place('u'))).trimWatermark, w.seq(1))
    t.equal(await w.append('u', 1, { day: -6 }), 'trimmed')
    t.equal(await w.append('u', 2), 'appended')
    t.equal(await w.append('u', 3), 'appended')
    t.same(await w.scan('u', 1, 9), ['e2', 'e3'])
  }),
  proves('a rebuild replays active days that lie below what has expired', async (t, w) => {
    await w.append('u', 1)
    await w.append('u', 2, { day: -6 })
    await w.advanceDays(1)
    t.equal((await w.mailbox.store.promote(w.place('u'))).gapBoundary, w.seq(2))
    await w.mailbox.store.beginRebuild(w.place('u'), w.epoch)
    t.equal(await w.append('u', 1), 'appended')
    t.equal(await w.append('u', 2, { day: -6 }), 'expired')
    t.equal(await w.append('u', 3), 'appended')
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('a rebuild needs the fence', async (t, w) => {
    await w.append('u', 1)
    await w.mailbox.registry.takeOver(w.shard, 'another')
    await t.rejects(w.mailbox.store.beginRebuild(w.place('u'), w.epoch), { code: 'FENCED' })
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('errors say where and what to do next', async (t, w) => {
    await w.append('somebody', 1)
    const error = (await w.append('somebody', 1, { day: -1 }).catch((refused: unknown) => refused)) as Error
    t.match(error.message, 'shard 7')
    t.match(error.message, 'somebody')
    t.match(error.message, formatSeq(w.seq(1)))
    t.match(error, { name: 'Conflict', next: /committed_at/ })
  }),
]
