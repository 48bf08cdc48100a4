// The groups of XINFO STREAM FULL, with their consumers and pending entries. Used by: stream-info.
// Very many of them are written as the client takes them, a group or a consumer at a time, each as it is when its turn
// comes: a group that was dropped meanwhile has its figures, and neither consumers nor pending entries.

import { ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { Consumer, ConsumerGroup, Pending, Stream } from '../types/stream/stream-api.js'
import type { CommandContext } from './context.js'
import { SteppedReply } from './long-reply.js'
import type { WritePart } from './long-reply.js'
import { factsOf, NEVER, writeProgress } from './stream-info-progress.js'
import type { InfoFacts } from './stream-info-progress.js'

/** Groups and consumers that are told of at once; more of them are told a piece at a time. */
export const LISTED_AT_ONCE = 1000

/** @param count rows per list */
export function writeGroupsInFull(ctx: CommandContext, stream: Stream, count: number): void {
  const groups = stream.groups()
  ctx.reply.array(groups.length)
  const parts = partsOf(groups, factsOf(ctx), count)
  if (ctx.mayStream && isMany(groups)) return ctx.stream(new SteppedReply(parts))
  for (const part of parts) part(ctx.reply)
}

function isMany(groups: readonly ConsumerGroup[]): boolean {
  let listed = 0
  for (const group of groups) {
    listed += 1 + group.consumerCount
    if (listed > LISTED_AT_ONCE) return true
  }
  return false
}

function* partsOf(groups: readonly ConsumerGroup[], facts: InfoFacts, count: number): Generator<WritePart> {
  for (const group of groups) {
    const consumers = group.dropped ? [] : group.consumers()
    yield reply => writeGroup(reply, group, facts, count, consumers.length)
    for (const consumer of consumers) yield reply => writeConsumer(reply, group, consumer, count)
  }
}

function writeGroup(reply: Reply, group: ConsumerGroup, facts: InfoFacts, count: number, consumers: number): void {
  reply.map(8)
  reply.latin1('name')
  reply.latin1(group.name)
  reply.latin1('last-delivered-id')
  reply.streamId(group.lastDeliveredId)
  writeProgress(reply, group, facts)
  reply.latin1('pel-count')
  reply.integer(group.pendingCount)
  reply.latin1('nacked-count')
  reply.integer(group.releasedCount)
  reply.latin1('pending')
  const rows = firstRows(group, count)
  reply.array(rows.length)
  for (const row of rows) {
    reply.array(4)
    reply.streamId(row.id)
    reply.latin1(row.ownerName)
    reply.integer(row.deliveredMs)
    reply.integer(row.deliveries)
  }
  reply.latin1('consumers')
  reply.array(consumers)
}

function writeConsumer(reply: Reply, group: ConsumerGroup, consumer: Consumer, count: number): void {
  reply.map(5)
  reply.latin1('name')
  reply.latin1(consumer.name)
  reply.latin1('seen-time')
  reply.integer(consumer.seenMs)
  reply.latin1('active-time')
  reply.integer(consumer.activeMs ?? NEVER)
  reply.latin1('pel-count')
  reply.integer(consumer.pendingCount)
  reply.latin1('pending')
  const rows = firstRows(group, count, consumer)
  reply.array(rows.length)
  for (const row of rows) {
    reply.array(3)
    reply.streamId(row.id)
    reply.integer(row.deliveredMs)
    reply.integer(row.deliveries)
  }
}

function firstRows(group: ConsumerGroup, count: number, consumer?: Consumer): Pending[] {
  const rows: Pending[] = []
  if (group.dropped || consumer?.pendingCount === 0) return rows
  for (const row of group.pendingRange(ID_MIN, ID_MAX, consumer)) {
    rows.push(row)
    if (rows.length === count) break
  }
  return rows
}
