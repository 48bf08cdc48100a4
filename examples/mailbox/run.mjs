// A mailbox service in one program: node examples/mailbox/run.mjs PORT [MESSAGES] [CLIENTS]
// Producers append MESSAGES dispatches (20,000) for CLIENTS users (1,000), a materializer turns them into mailboxes,
// and every client keeps a cursor and pulls. On the way the owner is replaced and half of the users move to another
// shard. Ends with a summary, and exit status 0 only when nothing was lost and no sequence stepped back.

import { Redis } from 'ioredis'
import {
  CursorRebased,
  CursorSigner,
  DAY_S,
  Fenced,
  LANES,
  laneOf,
  MailboxReader,
  Materializer,
  streamsMailbox,
  StreamDispatchLog,
  systemClock,
} from 'millrace/mailbox'

const [port, messages, clientCount] = [2, 3, 4].map((at, i) => Number(process.argv[at] ?? [6379, 20_000, 1_000][i]))
const PRODUCERS = 8
const READERS = 32
const [OLD, NEW] = [0, 1]
const MOVING = Array.from({ length: LANES / 2 }, (_, i) => 2 * i)
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

const connect = () => new Redis(port, '127.0.0.1')
const connections = Array.from({ length: 4 }, connect)
const [producing, owning, reading, deciding] = connections
const options = { clock: systemClock, retentionS: 7 * DAY_S, keyPrefix: `example-${process.pid}:` }
// redis-server 7.0 cannot confirm that an epoch is on the disk; Millrace does.
const onMillrace = (await deciding.info('server')).includes('millrace_version')
if (!onMillrace) options.durability = 'trusted'
const service = streamsMailbox(owning, options)
const { registry } = streamsMailbox(deciding, options)
const log = new StreamDispatchLog(producing, options.keyPrefix)
const reader = new MailboxReader(
  streamsMailbox(reading, options),
  new CursorSigner([Buffer.from('a key of the service, kept secret')]),
)

// The map from users to partitions is the producers' own: a key is never hashed to one.
let hasSplit = false
const shardOf = user => (hasSplit && MOVING.includes(laneOf(user)) ? NEW : OLD)

const counts = { appended: 0, delivered: 0, repeated: 0, rebased: 0 }
const sentMs = new Map()
const latenciesMs = []
const owed = new Map()

// One owner per shard: its loop ends when it is fenced.
const stop = new AbortController()
let owners = 0
async function own(shard) {
  const source = new StreamDispatchLog(owning, options.keyPrefix)
  const owner = new Materializer(service, source, { shard, owner: `owner-${++owners}`, clock: systemClock })
  await owner.open()
  const done = owner.run(stop.signal).catch(error => {
    if (!(error instanceof Fenced)) throw error
  })
  return { owner, done }
}

// Producers wait while the map changes.
let gate = Promise.resolve()
const inFlight = new Set()
async function produce(n) {
  await gate
  const user = `user:${(n * 7919) % clientCount}`
  const dispatchId = `dispatch-${n}`
  sentMs.set(dispatchId, performance.now())
  owed.set(user, (owed.get(user) ?? 0) + 1)
  const event = { ordinal: 0, messageId: dispatchId, payload: Buffer.from(`hello ${user}`) }
  const dispatch = { dispatchId, committedAtMs: systemClock.nowMs(), recipients: [{ user, events: [event] }] }
  // Every fiftieth hears no answer and is sent once more: deduplicated by dispatch_id.
  const sends = Array.from({ length: n % 50 === 0 ? 2 : 1 }, () => log.append({ partition: shardOf(user) }, dispatch))
  const sending = Promise.all(sends)
  inFlight.add(sending)
  await sending
  inFlight.delete(sending)
  counts.appended++
}

async function readOnce(client) {
  try {
    const { events, token, isCaughtUp } = await reader.pull(client.user, client.token, 100)
    for (const { messageId } of events) {
      if (client.seen.has(messageId)) {
        counts.repeated++
        continue
      }
      client.seen.add(messageId)
      counts.delivered++
      latenciesMs.push(performance.now() - sentMs.get(messageId))
    }
    client.token = token
    return !isCaughtUp
  } catch (error) {
    if (!(error instanceof CursorRebased)) throw error
    counts.rebased++
    client.token = error.newCursor
    return true
  }
}

const first = await own(OLD)
let current = first
const clients = []
for (let i = 0; i < clientCount; i++) {
  clients.push({ user: `user:${i}`, token: await reader.begin(`user:${i}`, OLD), seen: new Set() })
}

let isProducing = true
const readers = Array.from({ length: READERS }, async (_, r) => {
  while (isProducing) {
    for (let i = r; i < clients.length && isProducing; i += READERS) await readOnce(clients[i])
    await sleep(1)
  }
})

let next = 0
const producers = Array.from({ length: PRODUCERS }, async () => {
  for (let n = next++; n < messages; n = next++) await produce(n)
})

while (counts.appended < messages / 3) await sleep(5)
current = await own(OLD)
console.log(
  `after ${counts.appended} messages another owner took shard ${OLD} over, in epoch 2; the first one is fenced`,
)
await first.done

while (counts.appended < (2 * messages) / 3) await sleep(5)
let open
gate = new Promise(resolve => (open = resolve))
await Promise.all(inFlight)
const end = (await log.bounds(OLD)).next
while ((current.owner.position ?? 0) < end - 1) await sleep(5)
await registry.split({ oldShard: OLD, newShard: NEW, lanes: MOVING, splitAtOffset: end })
hasSplit = true
await current.done
const ownersNow = [await own(OLD), await own(NEW)]
open()
console.log(`after ${counts.appended} messages half of the lanes moved to shard ${NEW}`)

await Promise.all(producers)
for (const [i, { owner }] of ownersNow.entries()) {
  const { next: last } = await log.bounds([OLD, NEW][i])
  while ((owner.position ?? 0) < last - 1) await sleep(5)
}
isProducing = false
await Promise.all(readers)
for (const client of clients) while (await readOnce(client));
stop.abort()
await Promise.all(ownersNow.map(({ done }) => done))

let lost = 0
for (const { user, seen } of clients) lost += (owed.get(user) ?? 0) - seen.size
const sorted = latenciesMs.toSorted((a, b) => a - b)
const at = share => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
const regressions = reader.mailboxSeqRegressionCount
console.log(`delivered ${counts.delivered} of ${messages} to ${clients.length} clients, repeated ${counts.repeated}`)
console.log(`cursors rebased ${counts.rebased}, lost = ${lost}, regressions = ${regressions}`)
console.log(`from producer to client: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`)
for (const connection of connections) connection.disconnect()
process.exitCode = lost === 0 && regressions === 0 && counts.delivered === messages ? 0 : 1
