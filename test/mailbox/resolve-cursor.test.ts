// What a cursor means: the four answers in their order, and the errors.

import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { laneOf } from '../../src/mailbox/lane.js'
import { memoryMailbox } from '../../src/mailbox/mailbox-backend.js'
import { beforeEpoch, endOfEpoch, mailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import type { MailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import { historyOf, placeOf, positionEpoch, resolveCursor, segmentsOf } from '../../src/mailbox/resolve-cursor.js'

const DAY_MS = 86_400_000
const user = 'alice'
const SHARD = 7

async function world() {
  const clock = new FakeClock(20_000 * DAY_MS + DAY_MS / 2)
  const mailbox = memoryMailbox({ clock, retentionS: 7 * 86_400 })
  await mailbox.registry.takeOver(SHARD, 'a')
  const epochNow = async () => (await mailbox.registry.state(SHARD)).epoch
  const append = async (offset: number, daysAgo = 0) => {
    const epoch = await epochNow()
    const createdAtMs = clock.nowMs() - daysAgo * DAY_MS
    const events = [{ ordinal: 0, createdAtMs, messageId: `m${offset}`, payload: Buffer.alloc(0) }]
    await mailbox.store.append({ shard: SHARD, user, seq: mailboxSeq(epoch, offset), events }, epoch)
  }
  const advance = async (from: number | undefined, to: number) =>
    mailbox.watermarks.advanceAll(SHARD, await epochNow(), { expectedPrevious: from }, to)
  const resolve = (shardEpoch: number, lastApplied: MailboxSeq, shard = SHARD) =>
    resolveCursor(mailbox.registry, mailbox.store, user, { shard, shardEpoch, lastApplied })
  return { clock, mailbox, append, advance, resolve }
}

t.test('the current epoch goes on', async t => {
  const w = await world()
  const cursor = { shard: SHARD, shardEpoch: 1, lastApplied: mailboxSeq(1, 5) }
  t.same(await w.resolve(1, mailboxSeq(1, 5)), { code: 'CURRENT', cursor })
  t.match(await w.resolve(1, beforeEpoch(1)), { code: 'CURRENT' })
})

t.test('below the trim watermark the cursor is expired', async t => {
  const w = await world()
  for (const offset of [1, 2, 3]) await w.append(offset)
  await w.mailbox.store.truncateBefore({ shard: SHARD, user, epoch: 1 }, mailboxSeq(1, 3))
  t.same(await w.resolve(1, mailboxSeq(1, 1)), {
    code: 'CURSOR_EXPIRED',
    trimWatermark: mailboxSeq(1, 2),
    rebuildRequired: true,
  })
  t.match(await w.resolve(1, mailboxSeq(1, 2)), { code: 'CURRENT' })
})

t.test('inside an expired gap the cursor is expired, behind it it is not', async t => {
  const w = await world()
  await w.append(1)
  await w.append(2, 6)
  await w.append(3)
  w.clock.advance(DAY_MS)
  t.match(await w.resolve(1, mailboxSeq(1, 1)), { code: 'CURSOR_EXPIRED', trimWatermark: mailboxSeq(1, 2) })
  t.match(await w.resolve(1, mailboxSeq(1, 2)), { code: 'CURRENT' })
})

t.test('an older epoch is rebased: nothing is lost, a few repeats', async t => {
  const w = await world()
  await w.advance(undefined, 5)
  await w.mailbox.registry.takeOver(SHARD, 'b')
  t.same(await w.resolve(1, mailboxSeq(1, 3)), {
    code: 'CURSOR_REBASED',
    newCursor: { shard: SHARD, shardEpoch: 2, lastApplied: mailboxSeq(1, 3) },
    replayFromSeq: mailboxSeq(1, 3),
    readFirst: [],
    splitAt: undefined,
  })
  t.match(await w.resolve(2, mailboxSeq(1, 3)), { code: 'CURRENT' }, 'the new cursor goes on')
})

t.test('replay begins no earlier than the epoch of the cursor', async t => {
  const w = await world()
  await w.mailbox.registry.takeOver(SHARD, 'b')
  t.match(await w.resolve(1, beforeEpoch(1)), { replayFromSeq: mailboxSeq(1, 0) })
})

t.test('expiry comes before rebase, whichever epoch has the gap', async t => {
  const w = await world()
  await w.append(1)
  await w.advance(undefined, 1)
  await w.mailbox.registry.takeOver(SHARD, 'b')
  await w.append(2, 6)
  await w.append(3)
  t.match(await w.resolve(1, mailboxSeq(1, 0)), { code: 'CURSOR_REBASED' })
  w.clock.advance(DAY_MS)
  t.match(await w.resolve(1, mailboxSeq(1, 0)), { code: 'CURSOR_EXPIRED', trimWatermark: mailboxSeq(2, 2) })
  t.match(await w.resolve(2, mailboxSeq(2, 2)), { code: 'CURRENT' })
})

t.test('a split moves the user: first the old shard is read, then the token is exchanged', async t => {
  const w = await world()
  await w.advance(undefined, 9)
  const lanes = [laneOf(user)]
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes, splitAtOffset: 10 })
  const newCursor = { shard: 8, shardEpoch: 1, lastApplied: beforeEpoch(1) }
  t.same(await w.resolve(1, mailboxSeq(1, 4)), {
    code: 'CURSOR_REBASED',
    newCursor,
    replayFromSeq: mailboxSeq(1, 4),
    readFirst: [{ epoch: 1, upTo: mailboxSeq(1, 9) }],
    splitAt: mailboxSeq(1, 10),
  })
  t.match(await w.resolve(1, mailboxSeq(1, 9)), { code: 'CURSOR_REBASED', newCursor, readFirst: [] })
  t.match(await w.resolve(1, beforeEpoch(1), 8), { code: 'CURRENT' })
})

t.test('a user who stays is rebased in the old shard', async t => {
  const w = await world()
  await w.advance(undefined, 9)
  const lanes = [(laneOf(user) + 1) % 64]
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes, splitAtOffset: 10 })
  t.match(await w.resolve(1, mailboxSeq(1, 4)), {
    code: 'CURSOR_REBASED',
    newCursor: { shard: SHARD, shardEpoch: 2 },
    splitAt: undefined,
  })
})

t.test('a user who came back is not sent away by the old split', async t => {
  const w = await world()
  await w.advance(undefined, 9)
  const lanes = [laneOf(user)]
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes, splitAtOffset: 10 })
  const back = await w.mailbox.registry.split({ oldShard: 8, newShard: SHARD, lanes, splitAtOffset: 0 })
  t.equal(back.newEpoch, 3)
  t.match(await w.resolve(1, beforeEpoch(1), 8), { code: 'CURSOR_REBASED', newCursor: { shard: SHARD, shardEpoch: 3 } })
  t.match(await w.resolve(3, beforeEpoch(3)), { code: 'CURRENT' })
  t.match(await w.resolve(1, mailboxSeq(1, 2)), { newCursor: { shard: 8 } }, 'the old cursor still goes its way')
})

t.test('expiry comes before a split', async t => {
  const w = await world()
  await w.append(1, 6)
  await w.append(2)
  await w.advance(undefined, 9)
  const lanes = [laneOf(user)]
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes, splitAtOffset: 10 })
  w.clock.advance(DAY_MS)
  t.match(await w.resolve(1, mailboxSeq(1, 0)), { code: 'CURSOR_EXPIRED', trimWatermark: mailboxSeq(1, 1) })
  t.match(await w.resolve(1, mailboxSeq(1, 1)), { code: 'CURSOR_REBASED' })
})

t.test('an unknown epoch is an error, never a guess', async t => {
  const w = await world()
  const code = 'UNKNOWN_EPOCH'
  await t.rejects(w.resolve(2, mailboxSeq(2, 0)), { code })
  await t.rejects(w.resolve(1, mailboxSeq(1, 0), 99), { code }, 'a shard that was never opened')
  await t.rejects(w.resolve(1, mailboxSeq(2, 0)), { code: 'MALFORMED' })
  const registry = w.mailbox.registry
  await registry.fence(9, 40)
  await t.rejects(w.resolve(40, mailboxSeq(40, 1), 9), { code }, 'no boundary tells of epoch 40')
  await t.rejects(w.resolve(3, mailboxSeq(3, 1), 9), { code })
  t.match(await w.resolve(41, mailboxSeq(41, 1), 9), { code: 'CURRENT' })
})

t.test('a hole in the boundaries is an error', async t => {
  const w = await world()
  await w.mailbox.registry.takeOver(SHARD, 'b')
  await w.mailbox.registry.takeOver(SHARD, 'c')
  const whole = await historyOf(w.mailbox.registry, SHARD)
  const cursor = { shard: SHARD, shardEpoch: 1, lastApplied: mailboxSeq(1, 3) }
  t.match(placeOf(whole, user, cursor), { code: 'CURSOR_REBASED' })
  for (const missing of [1, 2, 3]) {
    const boundaries = whole.boundaries.filter(({ epoch }) => epoch !== missing)
    t.throws(() => placeOf({ ...whole, boundaries }, user, cursor), { code: 'UNKNOWN_EPOCH' }, `epoch ${missing}`)
  }
})

t.test('segments lead from the cursor to the present', async t => {
  const w = await world()
  await w.advance(undefined, 5)
  await w.mailbox.registry.takeOver(SHARD, 'b')
  await w.mailbox.registry.raise(SHARD, 'E3')
  await w.mailbox.registry.raise(SHARD, 'E4')
  const history = await historyOf(w.mailbox.registry, SHARD)
  const cursor = { shard: SHARD, shardEpoch: 1, lastApplied: mailboxSeq(1, 2) }
  t.same(segmentsOf(history, user, cursor), [
    { epoch: 1, upTo: mailboxSeq(1, 5) },
    { epoch: 2, upTo: mailboxSeq(2, 5) },
    { epoch: 3, upTo: beforeEpoch(3) },
    { epoch: 4, upTo: undefined },
  ])
  t.same(segmentsOf(history, user, { ...cursor, lastApplied: endOfEpoch(3), shardEpoch: 4 }), [
    { epoch: 4, upTo: undefined },
  ])
})

t.test('behind the last offset of an epoch the next one begins', async t => {
  t.equal(positionEpoch(mailboxSeq(3, 5)), 3)
  t.equal(positionEpoch(beforeEpoch(3)), 3)
  t.equal(positionEpoch(endOfEpoch(3)), 4)
})
