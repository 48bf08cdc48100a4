// A damaged mailbox is mended from the log.

import { Redis } from 'ioredis'
import t from 'tap'
import { FakeClock, systemClock } from '../../src/base/clock.js'
import { memoryMailbox, redisMailbox } from '../../src/mailbox/mailbox-backend.js'
import { beforeEpoch, endOfEpoch } from '../../src/mailbox/mailbox-seq.js'
import { Materializer } from '../../src/mailbox/materializer.js'
import { MemoryDispatchLog } from '../../src/mailbox/memory-dispatch-log.js'
import { rebuildUser } from '../../src/mailbox/rebuild-user.js'
import { StreamDispatchLog } from '../../src/mailbox/stream-dispatch-log.js'
import { startServer } from '../support/start-server.js'

const SHARD = 7
const event = (n: number) => ({ ordinal: 0, messageId: `m${n}`, payload: Buffer.from(`p${n}`) })

t.test('on a server: the index is lost, the log brings everything back, once', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const client = new Redis(server.port, '127.0.0.1')
  t.teardown(() => client.disconnect())
  const mailbox = redisMailbox(client, { clock: systemClock, retentionS: 7 * 86_400 })
  const log = new StreamDispatchLog(client)
  const ids = ['a', 'b', 'a', 'c', 'd']
  for (const [n, dispatchId] of ids.entries()) {
    const recipients =
      n === 3 ? [{ user: 'v', events: [event(n)] }] : ['u', 'v'].map(user => ({ user, events: [event(n)] }))
    await log.append({ partition: SHARD }, { dispatchId, committedAtMs: systemClock.nowMs(), recipients })
  }
  const owner = new Materializer(mailbox, log, { shard: SHARD, owner: 'a', clock: systemClock })
  const ownership = await owner.open()
  await owner.step()
  const place = { shard: SHARD, user: 'u', epoch: ownership.epoch }
  const range = { ...place, afterSeq: beforeEpoch(place.epoch), upTo: endOfEpoch(place.epoch), limit: 9 }
  const before = await mailbox.store.rangeScan(range)
  t.equal(before.events.length, 3)
  await client.del(`mbseqbucket:{${SHARD}}:${place.epoch}:u`)
  await t.rejects(mailbox.store.rangeScan(range), { code: 'CORRUPT_ENTRY' })
  t.same(await rebuildUser(mailbox, log, ownership, 'u'), { groups: 3, events: 3 })
  t.same(await mailbox.store.rangeScan(range), before)
})

async function memory() {
  const clock = new FakeClock(1_700_000_000_000)
  const mailbox = memoryMailbox({ clock, retentionS: 7 * 86_400 })
  const log = new MemoryDispatchLog()
  const append = (n: number) =>
    log.append(
      { partition: SHARD },
      { dispatchId: `d${n}`, committedAtMs: clock.nowMs(), recipients: [{ user: 'u', events: [event(n)] }] },
    )
  const own = async () => {
    const owner = new Materializer(mailbox, log, { shard: SHARD, owner: 'a', clock })
    const ownership = await owner.open()
    await owner.step()
    return ownership
  }
  return { mailbox, log, append, own }
}

t.test('an earlier epoch of the same log is mended up to where it ended', async t => {
  const w = await memory()
  await w.append(0)
  await w.append(1)
  await w.own()
  await w.append(2)
  const ownership = await w.own()
  t.same(await rebuildUser(w.mailbox, w.log, ownership, 'u', 1), { groups: 2, events: 2 })
  t.same(await rebuildUser(w.mailbox, w.log, ownership, 'u', 2), { groups: 1, events: 1 })
  t.same(await rebuildUser(w.mailbox, w.log, ownership, 'nobody'), { groups: 0, events: 0 })
})

t.test('an epoch of a log that was recreated cannot be mended', async t => {
  const w = await memory()
  await w.append(0)
  await w.own()
  w.log.recreate(SHARD)
  await w.mailbox.registry.raise(SHARD, 'E3')
  const ownership = await w.own()
  await t.rejects(rebuildUser(w.mailbox, w.log, ownership, 'u', 1), { code: 'LOG_LOST' })
})

t.test('records that the log has dropped cannot be mended, and nothing is forgotten', async t => {
  const w = await memory()
  for (let n = 0; n < 3; n++) await w.append(n)
  const ownership = await w.own()
  w.log.trimBefore(SHARD, 1)
  await t.rejects(rebuildUser(w.mailbox, w.log, ownership, 'u'), { code: 'LOG_LOST' })
  const range = { shard: SHARD, user: 'u', epoch: 1, afterSeq: beforeEpoch(1), upTo: endOfEpoch(1), limit: 9 }
  t.equal((await w.mailbox.store.rangeScan(range)).events.length, 3)
})
