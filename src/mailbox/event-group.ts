// The events of one record for one user, and what every backend demands of them. Used by: the stores, materializer.
//
// One group has one UTC day: created_at of its events is the committed_at of one record. The day decides how long it
// lives, its mailbox_seq where it stands.

import { BadGroup } from './mailbox-error.js'
import type { MailboxSeq } from './mailbox-seq.js'

export const DAY_S = 86_400
/** Active days of a user span at most this. */
export const SPAN_DAYS_MAX = 30
/** How far ahead of the server's day created_at may lie. */
export const FUTURE_DAYS_MAX = 30
/** A day bucket lives 31 days at most: more could not be active together. */
export const RETENTION_S_MAX = (SPAN_DAYS_MAX + 1) * DAY_S
export const EVENTS_MAX = 1_024
export const ORDINAL_MAX = 2 ** 32 - 1
export const MESSAGE_ID_BYTES_MAX = 255
const CREATED_AT_MS_MAX = 2 ** 47

export interface MailboxEvent {
  /** Unique in its group; the order inside it. */
  readonly ordinal: number
  /** Unix time in milliseconds, whole. */
  readonly createdAtMs: number
  /** What clients tell repeats by. */
  readonly messageId: string
  readonly payload: Buffer
}

export interface EventGroup {
  readonly shard: number
  readonly user: string
  readonly seq: MailboxSeq
  readonly events: readonly MailboxEvent[]
}

export function dayOf(createdAtMs: number): number {
  return Math.floor(createdAtMs / (DAY_S * 1000))
}

/** The events by ordinal, and their day. @throws BadGroup */
export function checkedEvents(group: EventGroup): { readonly day: number; readonly events: readonly MailboxEvent[] } {
  const { events, user } = group
  const place = `shard ${group.shard}, ${group.seq.toString(16)} for user ${user}`
  if (user === '') throw new BadGroup(`${place}: a user needs a name`)
  if (events.length === 0) throw new BadGroup(`${place}: the group has no event`)
  if (events.length > EVENTS_MAX) throw new BadGroup(`${place}: ${events.length} events, more than ${EVENTS_MAX}`)
  const day = dayOf(events[0].createdAtMs)
  const ordinals = new Set<number>()
  for (const event of events) {
    if (!isWholeUpTo(event.ordinal, ORDINAL_MAX)) throw new BadGroup(`${place}: ordinal ${event.ordinal} is no u32`)
    if (!isWholeUpTo(event.createdAtMs, CREATED_AT_MS_MAX)) {
      throw new BadGroup(`${place}: created_at ${event.createdAtMs} is no time in milliseconds`)
    }
    if (dayOf(event.createdAtMs) !== day) throw new BadGroup(`${place}: the group lies in two day buckets`)
    if (ordinals.has(event.ordinal)) throw new BadGroup(`${place}: ordinal ${event.ordinal} appears twice`)
    if (Buffer.byteLength(event.messageId) > MESSAGE_ID_BYTES_MAX) {
      throw new BadGroup(`${place}: a message id is longer than ${MESSAGE_ID_BYTES_MAX} bytes`)
    }
    ordinals.add(event.ordinal)
  }
  return { day, events: [...events].sort((a, b) => a.ordinal - b.ordinal) }
}

function isWholeUpTo(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max
}
