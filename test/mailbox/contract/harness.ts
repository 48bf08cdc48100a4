// What the contract runs on: a backend, a clock that can be moved, and what cannot be said through the public face.

import type { Redis } from 'ioredis'
import { Redis as RedisClient } from 'ioredis'
import { FakeClock, systemClock } from '../../../src/base/clock.js'
import type { EventGroup, MailboxEvent } from '../../../src/mailbox/event-group.js'
import { DAY_S, dayOf } from '../../../src/mailbox/event-group.js'
import { memoryMailbox, redisMailbox, streamsMailbox } from '../../../src/mailbox/mailbox-backend.js'
import type { Mailbox } from '../../../src/mailbox/mailbox-backend.js'
import { MailboxKeys } from '../../../src/mailbox/mailbox-keys.js'
import { mailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import type { MailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import type { BetweenReads, MailboxPlace, ScannedEvent } from '../../../src/mailbox/mailbox-store.js'
import type { MemoryMailboxStore } from '../../../src/mailbox/memory-store.js'
import { startRedisServer } from '../../support/redis-server.js'
import { startServer } from '../../support/start-server.js'
import type { Teardown } from '../../support/temp-dir.js'

/** A mailbox of its own for one case; shard 7 is open in `epoch`. */
export interface World {
  readonly mailbox: Mailbox
  readonly shard: number
  readonly epoch: number
  readonly today: number
  /** Set to have something happen between the two Promotes of the next scans. */
  between: BetweenReads | undefined
  nowMs(): number
  /** The clock goes on, and what has expired by then is gone, unless `lazily`. */
  advanceDays(days: number, lazily?: boolean): Promise<void>
  plantFormat(place: MailboxPlace, format: number): Promise<void>
  /** The server behind it; undefined in memory. */
  readonly client: Redis | undefined
  readonly keys: MailboxKeys
  seq(offset: number): MailboxSeq
  place(user: string): MailboxPlace
  group(user: string, offset: number, given?: Given): EventGroup
  append(user: string, offset: number, given?: Given): Promise<string>
  /** `after` -1 is the beginning. */
  scan(user: string, after: number, upTo: number, limit?: number): Promise<string[]>
}

export interface Given {
  /** Relative to today; 0. */
  readonly day?: number
  /** One payload per event; one event `e<offset>`. */
  readonly payloads?: readonly string[]
  readonly ordinals?: readonly number[]
}

export interface Backend {
  readonly name: string
  world(options?: { retentionDays?: number; retentionS?: number }): Promise<World>
}

export const RETENTION_DAYS = 7
const NOON_MS = (DAY_S / 2) * 1000

export function payloadsOf(events: readonly ScannedEvent[]): string[] {
  return events.map(event => event.payload.toString())
}

/** Server backends stand at noon of their day, so that no case runs over midnight. */
function noonAheadMs(): number {
  const nowMs = systemClock.nowMs()
  return dayOf(nowMs) * DAY_S * 1000 + NOON_MS - nowMs
}

export function memoryBackend(): Backend {
  return {
    name: 'memory',
    async world({ retentionDays = RETENTION_DAYS, retentionS = retentionDays * DAY_S } = {}) {
      const clock = new FakeClock(dayOf(systemClock.nowMs()) * DAY_S * 1000 + NOON_MS)
      const hook: { between: BetweenReads | undefined } = { between: undefined }
      const mailbox = memoryMailbox({ clock, retentionS, betweenReads: () => hook.between?.() })
      return finished(hook, {
        mailbox,
        client: undefined,
        keys: new MailboxKeys(),
        nowMs: () => clock.nowMs(),
        advanceDays: async days => clock.advance(days * DAY_S * 1000),
        plantFormat: async (place, format) => (mailbox.store as MemoryMailboxStore).plantFormat(place, format),
      })
    },
  }
}

type Layout = 'scripts' | 'streams'

function serverBackend(name: string, client: Redis, layout: Layout): Backend {
  let worlds = 0
  return {
    name,
    async world({ retentionDays = RETENTION_DAYS, retentionS = retentionDays * DAY_S } = {}) {
      const keyPrefix = `${layout}-${++worlds}:`
      const keys = new MailboxKeys(keyPrefix)
      let aheadS = Math.round(noonAheadMs() / 1000)
      const hook: { between: BetweenReads | undefined } = { between: undefined }
      const make = layout === 'streams' ? streamsMailbox : redisMailbox
      const mailbox = make(client, {
        clock: systemClock,
        retentionS,
        keyPrefix,
        clockAheadS: () => aheadS,
        betweenReads: () => hook.between?.(),
      })
      const nowMs = () => systemClock.nowMs() + aheadS * 1000
      return finished(hook, {
        mailbox,
        client,
        keys,
        nowMs,
        async advanceDays(days, lazily = false) {
          aheadS += days * DAY_S
          if (!lazily) await expire(client, keyPrefix, nowMs() / 1000, retentionS)
        },
        plantFormat: async ({ shard, epoch, user }, format) =>
          void (await client.hset(keys.meta(shard, epoch, user), 'retention_format_version', format)),
      })
    },
  }
}

/** Removes what the server itself would have removed had its clock been moved. */
async function expire(client: Redis, prefix: string, nowS: number, retentionS: number): Promise<void> {
  for (const key of await client.keys(`${prefix}mbday:*`)) {
    const day = Number(/\}:\d+:(-?\d+):/.exec(key)![1])
    if (day * DAY_S + retentionS <= nowS) await client.del(key)
  }
  for (const key of await client.keys(`${prefix}mbseqbucket:*`)) {
    const [, score] = String(await client.call('ZRANGE', key, -1, -1, 'WITHSCORES')).split(',')
    if (Number(score) <= nowS) await client.del(key, key.replace('mbseqbucket:', 'mbstream:'))
  }
}

type Parts = Pick<World, 'mailbox' | 'client' | 'keys' | 'nowMs' | 'advanceDays' | 'plantFormat'>

async function finished(hook: { between: BetweenReads | undefined }, parts: Parts): Promise<World> {
  const shard = 7
  const { epoch } = await parts.mailbox.registry.takeOver(shard, 'owner')
  const today = dayOf(parts.nowMs())
  const seq = (offset: number) => mailboxSeq(epoch, offset)
  const group = (user: string, offset: number, { day = 0, payloads = [`e${offset}`], ordinals }: Given = {}) => ({
    shard,
    user,
    seq: seq(offset),
    events: payloads.map<MailboxEvent>((payload, i) => ({
      ordinal: ordinals ? ordinals[i] : i,
      createdAtMs: (today + day) * DAY_S * 1000 + NOON_MS,
      messageId: `m${offset}-${i}`,
      payload: Buffer.from(payload),
    })),
  })
  const place = (user: string) => ({ shard, user, epoch })
  return Object.assign(hook, parts, {
    shard,
    epoch,
    today,
    seq,
    place,
    group,
    append: (user: string, offset: number, given?: Given) =>
      parts.mailbox.store.append(group(user, offset, given), epoch),
    async scan(user: string, after: number, upTo: number, limit = 1000) {
      const range = { ...place(user), afterSeq: (seq(0) + BigInt(after)) as MailboxSeq, upTo: seq(upTo), limit }
      return payloadsOf((await parts.mailbox.store.rangeScan(range)).events)
    },
  })
}

/** The four of the issue; the servers end with `t`. */
export async function allBackends(t: Teardown): Promise<Backend[]> {
  // The registry counts an epoch only when it is on the disk: so this redis-server syncs each write.
  const redis = await startRedisServer(['--appendonly', 'yes', '--appendfsync', 'always'])
  const millrace = await startServer()
  const clients = [redis, millrace].map(({ port }) => new RedisClient(port, '127.0.0.1'))
  t.teardown(async () => {
    for (const client of clients) client.disconnect()
    await redis.stop()
    await millrace.stop()
  })
  return [
    memoryBackend(),
    serverBackend('redis-server with scripts', clients[0], 'scripts'),
    serverBackend('Millrace with scripts', clients[1], 'scripts'),
    serverBackend('Millrace with streams', clients[1], 'streams'),
    serverBackend('redis-server with streams', clients[0], 'streams'),
  ]
}
