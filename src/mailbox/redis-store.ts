// Mailboxes in day buckets: sorted sets that expire at fixed times. Used by: backends.
// A member's score is its log offset, so that a group is removed by its score.

import type { ScriptArgument } from '../client/lua-scripts.js'
import { decodeMember, encodeMember } from './event-body.js'
import type { MailboxEvent } from './event-group.js'
import { beforeEpoch, logOffsetOf } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import type { MailboxPlace, RangeRequest, ScannedEvent } from './mailbox-store.js'
import { placeName, ScriptStore } from './script-store.js'
import type { Slice } from './script-store.js'

export class RedisMailboxStore extends ScriptStore {
  protected readonly layout = 'buckets'

  protected eventsKey({ shard, epoch, user }: MailboxPlace, day: number): string {
    return this.keys.bucket(shard, epoch, day, user)
  }

  protected eventWords(seq: MailboxSeq, event: MailboxEvent): ScriptArgument[] {
    return [encodeMember(seq, event)]
  }

  protected streamKeys(): string[] {
    return []
  }

  /** All active days, the first to the last: an early day may hold events although a later one exists. */
  protected async read(
    request: RangeRequest,
    days: readonly { readonly day: number; readonly max: MailboxSeq }[],
    count: number,
  ): Promise<Slice> {
    const { afterSeq, upTo, epoch } = request
    const low = afterSeq === beforeEpoch(epoch) ? '-inf' : `(${logOffsetOf(afterSeq)}`
    const pipeline = this.client.pipeline()
    const asked = days.filter(({ max }) => max > afterSeq)
    for (const { day } of asked) {
      const key = this.eventsKey(request, day)
      pipeline.callBuffer('ZRANGEBYSCORE', key, low, logOffsetOf(upTo), 'LIMIT', 0, count)
    }
    const events: ScannedEvent[] = []
    // Of a day that was cut at `count` only what lies below its last group is known to be whole.
    let horizon: MailboxSeq | undefined
    for (const [error, reply] of asked.length === 0 ? [] : ((await pipeline.exec()) ?? [])) {
      if (error) throw error
      const members = (reply as Buffer[]).map(member => decodeMember(member, placeName(request)))
      for (const { seq, event } of members) events.push({ ...event, seq })
      const last = members.at(-1)
      if (last && members.length === count && (horizon === undefined || last.seq < horizon)) horizon = last.seq
    }
    events.sort((a, b) => (a.seq === b.seq ? a.ordinal - b.ordinal : a.seq < b.seq ? -1 : 1))
    if (horizon === undefined) return { events, complete: true }
    const limit = horizon
    return { events: events.filter(event => event.seq < limit), complete: false }
  }
}
