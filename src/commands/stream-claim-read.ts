// The option CLAIM of XREADGROUP: entries that others left pending are taken over before new ones are delivered.
// Used by: stream-readgroup. Uses: stream-read-budget, types/stream.
// Entries that were deleted from the stream are passed over (once: see types/stream/pel) and stay pending; XAUTOCLAIM
// is there to clear them away, and to tell of them.

import type { Reply } from '../resp/reply.js'
import { oneMore } from '../types/stream/count.js'
import type { Claimable, Consumer, ConsumerGroup, Stream, WireSlice } from '../types/stream/stream-api.js'
import type { CommandContext } from './context.js'
import type { ReadBudget } from './stream-read-budget.js'
import type { StreamReply } from './stream-read.js'

/** '*2', CR, LF: the head of a stored entry, in whose place the head of four elements is written. */
const STORED_HEAD_BYTES = 4
/** ':0' and CR, LF, twice: the least that the two numbers behind an entry take. */
export const DELIVERY_BYTES = 8
/** How soon a wait looks again for entries whose delivery nobody told it of. */
const RETRY_MS_MIN = 10

/** A pending entry as it was before it was claimed, and its entry in the stream. */
type Claimed = Claimable<WireSlice>

/**
 * At most `max` entries that are idle long enough, those that waited longest first. They are still pending where they
 * were: claim() moves them.
 */
export function claimable(
  group: ConsumerGroup,
  query: { nowMs: number; idleMsMin: number; max: number },
  budget?: ReadBudget,
): Claimed[] {
  const found: Claimed[] = []
  const { nowMs, idleMsMin, max } = query
  if (max <= 0) return found
  for (const one of group.claimable(nowMs - idleMsMin)) {
    if (budget !== undefined && !budget.takes(one.entry.bytesOf(1) + DELIVERY_BYTES)) break
    found.push(one)
    if (found.length === max) break
  }
  return found
}

/** Makes `consumer` the owner of what claimable() found. */
export function claim(group: ConsumerGroup, consumer: Consumer, claimed: readonly Claimed[], nowMs: number): void {
  for (const { row } of claimed) group.setPending(row.id, consumer, nowMs, oneMore(row.deliveries))
  group.settlePending()
}

/**
 * Milliseconds until something may be idle long enough that is not so now. What is delivered meanwhile cannot be due
 * before a whole `idleMsMin` has passed, so it need not be heard of.
 */
export function nextClaimMs(stream: Stream | undefined, groupName: string, nowMs: number, idleMsMin: number): number {
  const laterMs = Math.max(idleMsMin, RETRY_MS_MIN)
  const group = stream?.group(groupName)
  if (group === undefined) return laterMs
  const dueMs = group.claimableSinceMs() + idleMsMin
  // Due already, and not taken: the bound was loose, and is tight when it is looked at again.
  return Math.min(laterMs, dueMs <= nowMs ? RETRY_MS_MIN : dueMs - nowMs)
}

/** Entries with how long they were idle and how often they had been delivered; of new ones both are 0. */
export class DeliveriesReply implements StreamReply {
  constructor(
    readonly key: string,
    readonly claimed: readonly Claimed[],
    readonly fresh: readonly WireSlice[],
    readonly nowMs: number,
  ) {}

  get count(): number {
    let entries = this.claimed.length
    for (const { entries: some } of this.fresh) entries += some
    return entries
  }

  write(reply: Reply): void {
    reply.array(this.count)
    for (const { row, entry } of this.claimed) {
      // Redis counts from the time of a released entry, which is 0.
      writeDelivery(reply, entry, row.owner === undefined ? this.nowMs : row.idleMs(this.nowMs), row.deliveries)
    }
    for (const run of this.fresh) for (const slice of run.singly()) writeDelivery(reply, slice, 0, 0)
  }
}

function writeDelivery(reply: Reply, slice: WireSlice, idleMs: number, deliveries: number | bigint): void {
  reply.array(4)
  reply.wire(slice.bytes, slice.from + STORED_HEAD_BYTES, slice.to)
  reply.integer(idleMs)
  reply.integer(deliveries)
}

/** True when a client that waits for so idle entries would get one now. */
export function hasClaimable(ctx: CommandContext, group: ConsumerGroup, idleMsMin: number): boolean {
  return claimable(group, { nowMs: ctx.nowMs, idleMsMin, max: 1 }).length > 0
}
