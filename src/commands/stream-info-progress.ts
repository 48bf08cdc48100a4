// How far a group has read, as XINFO GROUPS and XINFO STREAM FULL tell it. Used by: stream-info, stream-info-full.

import type { Reply } from '../resp/reply.js'
import type { ConsumerGroup, Count } from '../types/stream/stream-api.js'
import type { CommandContext } from './context.js'

/** Of a consumer that was never active. */
export const NEVER = -1
const TWO_32 = 4294967296

/** What parts of a reply need to know that are written when other commands run. */
export interface InfoFacts {
  readonly nowMs: number
  readonly exactLag: boolean
}

export function factsOf({ nowMs, server }: CommandContext): InfoFacts {
  return { nowMs, exactLag: server.config.values.streamExactLag }
}

/** The lag of a group that was dropped in the middle of a long reply is null. */
export function writeProgress(reply: Reply, group: ConsumerGroup, { exactLag }: InfoFacts): void {
  reply.latin1('entries-read')
  writeCount(reply, exactLag ? group.position : group.entriesRead)
  reply.latin1('lag')
  if (group.dropped) reply.nullBulk()
  else writeCount(reply, exactLag ? group.lag() : group.estimatedLag())
}

/** In milliseconds, null without such an entry: since a delivery the clock tells, since an addition the entry's ID. */
export function writeAges(reply: Reply, group: ConsumerGroup, { nowMs }: InfoFacts): void {
  const pendingSinceMs = group.dropped ? undefined : group.oldestDeliveryMs()
  const undelivered = group.dropped ? undefined : group.firstUndeliveredId()
  reply.latin1('oldest-pending-age')
  writeCount(reply, pendingSinceMs === undefined ? undefined : Math.max(nowMs - pendingSinceMs, 0))
  reply.latin1('oldest-undelivered-age')
  writeCount(
    reply,
    undelivered === undefined ? undefined : Math.max(nowMs - (undelivered.msHi * TWO_32 + undelivered.msLo), 0),
  )
}

function writeCount(reply: Reply, count: Count | undefined): void {
  if (count === undefined) reply.nullBulk()
  else reply.integer(count)
}
