// XINFO STREAM FULL behind the fields: entries, and groups with their consumers and pending entries. Used by:
// stream-info. What is long is written as the client takes it: entries as they are now, a group or a consumer at a
// time, each as it is when its turn comes, with its pending entries of that moment. A group that was dropped meanwhile
// has its figures, and neither consumers nor pending entries.

import { ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import type { Consumer, ConsumerGroup, Pending, Stream } from '../types/stream/stream-api.js'
import type { CommandContext } from './context.js'
import { JoinedReply, ReadReply, ShortReply, SteppedReply } from './long-reply.js'
import type { LongReply, WritePart } from './long-reply.js'
import { writeEntries } from './stream-arguments.js'
import { factsOf, NEVER, writeProgress } from './stream-info-progress.js'
import type { InfoFacts } from './stream-info-progress.js'
import { entriesReply, isLong, mayBeLong } from './stream-read.js'

/** Groups, consumers and pending entries that are told of at once; more of them are told a piece at a time. */
export const LISTED_AT_ONCE = 1000

/**
 * @param count entries, or pending entries, per list
 * @param between writes what stands between the entries and the groups
 */
export function writeInFull(ctx: CommandContext, stream: Stream, count: number, between: (reply: Reply) => void): void {
  const { reply } = ctx
  const groups = stream.groups()
  const rest: LongReply[] = []
  // Very many consumers are read before the reply begins, for which the command comes back.
  for (const group of groups) if (group.consumerCount > LISTED_AT_ONCE) group.consumers()
  reply.latin1('entries')
  const range = { from: 0, to: Math.min(count, stream.length) }
  if (mayBeLong(ctx, stream, count) && isLong(stream, range)) {
    reply.array(range.to)
    rest.push(entriesReply(stream, range))
  } else {
    writeEntries(reply, [...stream.range(ID_MIN, ID_MAX, count)])
  }
  const writeHead = (out: Reply): void => {
    between(out)
    out.latin1('groups')
    out.array(groups.length)
  }
  const inPieces = rest.length > 0 || (ctx.mayStream && isMany(groups, count))
  const parts = partsOf(groups, factsOf(ctx), count, inPieces)
  if (inPieces) {
    rest.push(new ShortReply(writeHead), new SteppedReply(parts))
    return ctx.stream(new JoinedReply(rest))
  }
  writeHead(reply)
  for (const part of parts) part(reply)
}

function isMany(groups: readonly ConsumerGroup[], count: number): boolean {
  let listed = 0
  for (const group of groups) {
    // A pending entry is told of twice: with its group and with its owner.
    listed += 1 + group.consumerCount + 2 * Math.min(group.pendingCount, count)
    if (listed > LISTED_AT_ONCE) return true
  }
  return false
}

function* partsOf(
  groups: readonly ConsumerGroup[],
  facts: InfoFacts,
  count: number,
  inPieces: boolean,
): Generator<WritePart> {
  const many = inPieces ? LISTED_AT_ONCE : Infinity
  for (const group of groups) {
    const consumers = group.dropped ? [] : group.consumers()
    yield reply => writeGroup(reply, group, facts, count, many)
    yield reply => {
      reply.latin1('consumers')
      return void reply.array(consumers.length)
    }
    for (const consumer of consumers) yield reply => writeConsumer(reply, group, consumer, count, many)
  }
}

/** @param many more rows than so many are left to be written a page at a time */
function writeGroup(
  reply: Reply,
  group: ConsumerGroup,
  facts: InfoFacts,
  count: number,
  many: number,
): LongReply | undefined {
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
  const rows = group.dropped ? 0 : Math.min(group.pendingCount, count)
  reply.array(rows)
  if (rows > many) return new ReadReply(group.pendingRead(rows), out => row => writeRow(out, row))
  for (const row of firstRows(group, rows)) writeRow(reply, row)
  return undefined
}

function writeRow(reply: Reply, row: Pending): void {
  reply.array(4)
  reply.streamId(row.id)
  reply.latin1(row.ownerName)
  reply.integer(row.deliveredMs)
  reply.integer(row.deliveries)
}

function writeConsumer(
  reply: Reply,
  group: ConsumerGroup,
  consumer: Consumer,
  count: number,
  many: number,
): LongReply | undefined {
  group.catchUp()
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
  const rows = group.dropped ? 0 : Math.min(consumer.pendingCount, count)
  reply.array(rows)
  if (rows > many) return new ReadReply(group.pendingRead(rows, consumer), out => row => writeOwnRow(out, row))
  for (const row of firstRows(group, rows, consumer)) writeOwnRow(reply, row)
  return undefined
}

function writeOwnRow(reply: Reply, row: Pending): void {
  reply.array(3)
  reply.streamId(row.id)
  reply.integer(row.deliveredMs)
  reply.integer(row.deliveries)
}

/** The first `count`, which are there. */
function firstRows(group: ConsumerGroup, count: number, consumer?: Consumer): Pending[] {
  const rows: Pending[] = []
  if (count === 0) return rows
  for (const row of group.pendingRange(ID_MIN, ID_MAX, consumer)) {
    rows.push(row)
    if (rows.length === count) break
  }
  return rows
}
