// What a client is given: tokens that lead over takeovers, new logs, splits and gaps, and the count that stays 0.

import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { CursorSigner } from '../../src/mailbox/cursor.js'
import { laneOf } from '../../src/mailbox/lane.js'
import { memoryMailbox } from '../../src/mailbox/mailbox-backend.js'
import type { Mailbox } from '../../src/mailbox/mailbox-backend.js'
import { CursorRebased } from '../../src/mailbox/mailbox-error.js'
import { MailboxReader } from '../../src/mailbox/mailbox-reader.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import { Materializer } from '../../src/mailbox/materializer.js'
import { MemoryDispatchLog } from '../../src/mailbox/memory-dispatch-log.js'

const DAY_MS = 86_400_000
const SHARD = 7
const user = 'alice'

async function world() {
  const clock = new FakeClock(20_000 * DAY_MS + DAY_MS / 2)
  const mailbox = memoryMailbox({ clock, retentionS: 7 * 86_400 })
  const log = new MemoryDispatchLog()
  const signer = new CursorSigner([Buffer.alloc(32, 1)])
  const reader = new MailboxReader(mailbox, signer)
  let made = 0
  const append = (daysAgo = 0, partition = SHARD, name = user) =>
    log.append(
      { partition },
      {
        dispatchId: `d${made++}`,
        committedAtMs: clock.nowMs() - daysAgo * DAY_MS,
        recipients: [{ user: name, events: [{ ordinal: 0, messageId: `m${made - 1}`, payload: Buffer.alloc(1) }] }],
      },
    )
  const own = async (shard = SHARD) => {
    const owner = new Materializer(mailbox, log, { shard, owner: 'a', clock })
    await owner.open()
    return owner
  }
  return { clock, mailbox, log, reader, signer, append, own, owner: await own() }
}

/** Pulls until nothing is left, follows rebases, and drops repeats by message id. */
async function readAll(reader: MailboxReader, token: string, limit = 3) {
  const ids: string[] = []
  let [repeats, rebases] = [0, 0]
  for (;;) {
    try {
      const { events, token: next, isCaughtUp } = await reader.pull(user, token, limit)
      for (const { messageId } of events) {
        if (ids.includes(messageId)) repeats++
        else ids.push(messageId)
      }
      token = next
      if (isCaughtUp) return { ids, token, repeats, rebases }
    } catch (error) {
      if (!(error instanceof CursorRebased)) throw error
      token = error.newCursor
      rebases++
    }
  }
}

t.test('a client reads everything once and then only what is new', async t => {
  const w = await world()
  for (let i = 0; i < 7; i++) await w.append()
  await w.owner.step()
  const first = await readAll(w.reader, await w.reader.begin(user, SHARD))
  t.same(first, { ids: ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6'], token: first.token, repeats: 0, rebases: 0 })
  t.same((await readAll(w.reader, first.token)).ids, [])
  await w.append()
  await w.owner.step()
  t.same((await readAll(w.reader, first.token)).ids, ['m7'])
  t.equal(w.reader.mailboxSeqRegressionCount, 0)
})

t.test('nothing above the watermark is given out', async t => {
  const w = await world()
  await w.append()
  await w.owner.step()
  const { epoch } = w.owner.ownership!
  const events = [{ ordinal: 0, createdAtMs: w.clock.nowMs(), messageId: 'early', payload: Buffer.alloc(0) }]
  await w.mailbox.store.append({ shard: SHARD, user, seq: mailboxSeq(epoch, 1), events }, epoch)
  const { ids, token } = await readAll(w.reader, await w.reader.begin(user, SHARD))
  t.same(ids, ['m0'])
  await w.mailbox.watermarks.advanceAll(SHARD, epoch, { expectedPrevious: 0 }, 1)
  t.same((await readAll(w.reader, token)).ids, ['early'])
})

t.test('a takeover in the middle of a record: a repeat at most, no loss, no step back', async t => {
  const w = await world()
  await w.append()
  await w.owner.step()
  const before = await readAll(w.reader, await w.reader.begin(user, SHARD))
  await w.append()
  await w.append()
  const next = await w.own()
  await next.step()
  const { ids, rebases, token } = await readAll(w.reader, before.token)
  t.same([ids, rebases], [['m1', 'm2'], 1])
  t.match(w.signer.verify(user, token), { shardEpoch: 2, lastApplied: mailboxSeq(2, 2) })
  t.equal(w.reader.mailboxSeqRegressionCount, 0)
})

t.test('many takeovers with reading clients: each event is there', async t => {
  const w = await world()
  let token = await w.reader.begin(user, SHARD)
  const seen: string[] = []
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 3; i++) await w.append()
    await (await w.own()).step()
    if (round % 3 !== 2) continue
    const read = await readAll(w.reader, token, 2)
    seen.push(...read.ids)
    token = read.token
  }
  seen.push(...(await readAll(w.reader, token, 2)).ids)
  t.same(
    seen,
    Array.from({ length: 30 }, (_, i) => `m${i}`),
  )
  const fresh = await readAll(w.reader, await w.reader.begin(user, SHARD), 4)
  t.equal(fresh.ids.length, 30, 'a client that begins now reads all epochs')
  t.equal(w.reader.mailboxSeqRegressionCount, 0)
})

t.test('a new log begins at offset 0 and yet lies above everything', async t => {
  const w = await world()
  for (let i = 0; i < 5; i++) await w.append()
  await w.owner.step()
  const before = await readAll(w.reader, await w.reader.begin(user, SHARD))
  w.log.recreate(SHARD)
  await w.mailbox.registry.raise(SHARD, 'E3')
  const next = await w.own()
  t.equal(await w.append(), 0)
  await next.step()
  t.same((await readAll(w.reader, before.token)).ids, ['m5'])
  t.equal(w.reader.mailboxSeqRegressionCount, 0)
})

t.test('a split: the old shard first, then the new one', async t => {
  const w = await world()
  for (let i = 0; i < 5; i++) await w.append()
  await w.owner.step()
  const token = (await w.reader.pull(user, await w.reader.begin(user, SHARD), 2)).token
  await w.mailbox.registry.split({ oldShard: SHARD, newShard: 8, lanes: [laneOf(user)], splitAtOffset: 5 })
  const target = await w.own(8)
  await w.append(0, 8)
  await w.append(0, 8)
  await target.step()
  const { ids, rebases, token: last } = await readAll(w.reader, token, 2)
  t.same([ids, rebases], [['m2', 'm3', 'm4', 'm5', 'm6'], 1])
  t.match(w.signer.verify(user, last), { shard: 8, shardEpoch: 1 })
  t.same((await readAll(w.reader, await w.reader.begin(user, SHARD))).ids.length, 7)
  t.equal(w.reader.mailboxSeqRegressionCount, 0)
})

t.test('a gap is told, and a client that was rebuilt goes on behind it', async t => {
  const w = await world()
  await w.append(6)
  await w.append()
  await w.owner.step()
  const token = await w.reader.begin(user, SHARD)
  w.clock.advance(DAY_MS)
  await t.rejects(w.reader.pull(user, token, 9), { code: 'CURSOR_EXPIRED', resumeAfter: mailboxSeq(1, 0) })
  const resumed = await w.reader.resume(user, SHARD, mailboxSeq(1, 0))
  t.same((await readAll(w.reader, resumed)).ids, ['m1'])
})

t.test('an old cursor before a gap is expired, not rebased', async t => {
  const w = await world()
  await w.append(6)
  await w.append()
  await w.owner.step()
  const token = await w.reader.begin(user, SHARD)
  await w.own()
  w.clock.advance(DAY_MS)
  await t.rejects(w.reader.pull(user, token, 9), { code: 'CURSOR_EXPIRED' })
  t.match(await w.reader.resolve(user, token), { code: 'CURSOR_EXPIRED', rebuildRequired: true })
})

t.test('forged and foreign tokens are refused', async t => {
  const w = await world()
  const token = await w.reader.begin(user, SHARD)
  await t.rejects(w.reader.pull('bob', token, 9), { code: 'BAD_TOKEN' })
  await t.rejects(w.reader.pull(user, `${token.slice(0, -1)}x`, 9), { code: 'BAD_TOKEN' })
  const ahead = w.signer.sign(user, { shard: SHARD, shardEpoch: 9, lastApplied: mailboxSeq(9, 1) })
  await t.rejects(w.reader.pull(user, ahead, 9), { code: 'UNKNOWN_EPOCH' })
})

t.test('watermarks that come back from an old copy are counted', async t => {
  const w = await world()
  for (let i = 0; i < 3; i++) await w.append()
  await w.owner.step()
  const token = await w.reader.begin(user, SHARD)
  await w.reader.pull(user, token, 9)
  const old = await w.mailbox.watermarks.read(SHARD)
  const watermarks: Mailbox['watermarks'] = {
    ...w.mailbox.watermarks,
    read: async () => ({ ...old, lanes: old.lanes.map(() => ({ w: 1, floor: 0 })) }),
  }
  const restored = new MailboxReader({ ...w.mailbox, watermarks }, w.signer)
  await restored.pull(user, token, 9)
  t.equal(restored.mailboxSeqRegressionCount, 0, 'a reader knows only what it saw')
  Object.assign(w.mailbox.watermarks, { read: watermarks.read })
  await w.reader.pull(user, token, 9)
  t.equal(w.reader.mailboxSeqRegressionCount, 1)
})
