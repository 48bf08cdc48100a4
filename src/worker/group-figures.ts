// What XINFO and XPENDING tell of a consumer group, read in one round trip. Used by: worker (gauges), worker-command.

import type { Redis } from 'ioredis'

export interface ConsumerFigures {
  readonly name: string
  readonly pending: number
  /** Since the server last heard of it. */
  readonly idleMs: number
}

export interface GroupFigures {
  readonly name: string
  readonly consumers: readonly ConsumerFigures[]
  readonly pending: number
  /** Entries not delivered yet; undefined when the server cannot tell. */
  readonly lag: number | undefined
  readonly entriesRead: number | undefined
  readonly lastDeliveredId: string
  /** How long ago the oldest pending entry was added, by its ID; 0 when nothing is pending. */
  readonly oldestPendingAgeMs: number
}

/** What a stream takes, in bytes; only Millrace tells, with `stream-capacity yes`. */
export interface Capacity {
  /** Entries as they lie in pages. */
  readonly payloadBytes: number
  /** Groups, consumers and pending records. */
  readonly deliveryBytes: number
}

export interface StreamFigures {
  readonly stream: string
  readonly length: number
  readonly entriesAdded: number | undefined
  readonly capacity: Capacity | undefined
  readonly groups: readonly GroupFigures[]
}

/** @param redis a client with `protocol: 2` or the default mapping of ioredis. @throws the server's error */
export async function streamFigures(redis: Redis, stream: string): Promise<StreamFigures> {
  const [facts, groups, time] = (await executed(
    redis.pipeline().xinfo('STREAM', stream, 'FULL', 'COUNT', 1).xinfo('GROUPS', stream).time(),
  )) as [unknown, unknown[], [string, string]]
  const nowMs = Number(time[0]) * 1000 + Math.floor(Number(time[1]) / 1000)
  const pipeline = redis.pipeline()
  const rows = groups.map(fieldsOf)
  for (const { name } of rows) {
    pipeline.xinfo('CONSUMERS', stream, String(name))
    pipeline.xpending(stream, String(name), '-', '+', 1)
  }
  const replies = rows.length === 0 ? [] : await executed(pipeline)
  const about = fieldsOf(facts)
  return {
    stream,
    length: Number(about.length),
    entriesAdded: numberOf(about['entries-added']),
    capacity: capacityOf(about),
    groups: rows.map((row, i) => {
      const [oldest] = replies[2 * i + 1] as [string][]
      return {
        name: String(row.name),
        consumers: (replies[2 * i] as unknown[]).map(consumerOf),
        pending: Number(row.pending),
        lag: numberOf(row.lag),
        entriesRead: numberOf(row['entries-read']),
        lastDeliveredId: String(row['last-delivered-id']),
        oldestPendingAgeMs: oldest === undefined ? 0 : Math.max(nowMs - Number(oldest[0].split('-')[0]), 0),
      }
    }),
  }
}

/** The field `capacity` of XINFO STREAM FULL; there on Millrace with `stream-capacity yes`. */
function capacityOf(facts: Record<string, unknown>): Capacity | undefined {
  if (facts.capacity === undefined) return undefined
  const capacity = fieldsOf(facts.capacity)
  return { payloadBytes: Number(capacity['payload-bytes']), deliveryBytes: Number(capacity['delivery-bytes']) }
}

function consumerOf(reply: unknown): ConsumerFigures {
  const { name, pending, idle } = fieldsOf(reply)
  return { name: String(name), pending: Number(pending), idleMs: Number(idle) }
}

async function executed(pipeline: { exec(): Promise<[Error | null, unknown][] | null> }): Promise<unknown[]> {
  return ((await pipeline.exec()) ?? []).map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}

/** A map of RESP3 or the flat array of RESP2. */
function fieldsOf(reply: unknown): Record<string, unknown> {
  if (!Array.isArray(reply)) return reply as Record<string, unknown>
  return Object.fromEntries(Array.from({ length: reply.length / 2 }, (_, i) => [reply[2 * i], reply[2 * i + 1]]))
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
