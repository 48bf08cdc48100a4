// Mailboxes as streams: one per user and epoch, an entry's ID is <mailbox_seq>-<event_ordinal>. Used by: backends.
// A scan is XRANGE, a truncation XTRIM MINID, and each device of the user may be a consumer group.

import type { ScriptArgument } from '../client/lua-scripts.js'
import { decodeBody, encodeBody } from './event-body.js'
import type { MailboxEvent } from './event-group.js'
import { CorruptEntry } from './mailbox-error.js'
import type { MailboxSeq } from './mailbox-seq.js'
import { seqOf } from './mailbox-seq.js'
import type { MailboxPlace, RangeRequest, ScannedEvent } from './mailbox-store.js'
import { placeName, ScriptStore } from './script-store.js'
import type { Slice } from './script-store.js'

type Entry = readonly [id: Buffer, fields: readonly Buffer[]]

const CONSUMER = 'device'
const ORDINAL_END = '18446744073709551615'

export class StreamsMailboxStore extends ScriptStore {
  protected readonly layout = 'stream'

  protected eventsKey({ shard, epoch, user }: MailboxPlace): string {
    return this.keys.stream(shard, epoch, user)
  }

  protected eventWords(seq: MailboxSeq, event: MailboxEvent): ScriptArgument[] {
    return [`${seq}-${event.ordinal}`, encodeBody(event)]
  }

  protected streamKeys(place: MailboxPlace): string[] {
    return [this.eventsKey(place)]
  }

  protected async read(request: RangeRequest, _days: unknown, count: number): Promise<Slice> {
    const [low, high] = [`${request.afterSeq + 1n}-0`, `${request.upTo}-${ORDINAL_END}`]
    const reply = await this.client.callBuffer('XRANGE', this.eventsKey(request), low, high, 'COUNT', count)
    const events = (reply as Entry[]).map(entry => eventOf(entry, request))
    if (events.length < count) return { events, complete: true }
    const last = events[events.length - 1].seq
    return { events: events.filter(event => event.seq < last), complete: false }
  }

  /**
   * Events that a device has not been given yet, at most `count`; those it did not acknowledge first when `again`.
   * They may lie above the watermark and so appear once more under a later epoch: tell repeats by message id.
   */
  async readDevice(place: MailboxPlace, device: string, count: number, again = false): Promise<ScannedEvent[]> {
    await this.promote(place)
    const key = this.eventsKey(place)
    const words = ['GROUP', device, CONSUMER, 'COUNT', count, 'STREAMS', key, again ? '0' : '>'] as const
    for (let attempt = 0; ; attempt++) {
      try {
        const entries = entriesOf(await this.client.callBuffer('XREADGROUP', ...words))
        // What was not acknowledged may have expired since: such an entry has no fields.
        return entries.filter(([, fields]) => fields !== null).map(entry => eventOf(entry, place))
      } catch (error) {
        // The stream went with its last event, its groups with it.
        if (attempt > 0 || !(error instanceof Error) || !error.message.startsWith('NOGROUP')) throw error
        await this.#makeGroup(key, device)
      }
    }
  }

  async ackDevice(place: MailboxPlace, device: string, events: readonly ScannedEvent[]): Promise<number> {
    if (events.length === 0) return 0
    const ids = events.map(({ seq, ordinal }) => `${seq}-${ordinal}`)
    return this.client.xack(this.eventsKey(place), device, ...ids)
  }

  async #makeGroup(key: string, device: string): Promise<void> {
    try {
      await this.client.xgroup('CREATE', key, device, '0', 'MKSTREAM')
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('BUSYGROUP')) throw error
    }
  }
}

/** XREADGROUP of one stream answers null, pairs (RESP2) or a map (RESP3, handed out as one or flat). */
function entriesOf(reply: unknown): readonly Entry[] {
  if (reply === null) return []
  if (!Array.isArray(reply)) return Object.values(reply as Record<string, readonly Entry[]>)[0] ?? []
  const [first] = reply as unknown[]
  return Array.isArray(first) ? (first[1] as Entry[]) : (reply[1] as Entry[])
}

function eventOf([id, fields]: Entry, place: { readonly shard: number; readonly user: string }): ScannedEvent {
  const found = /^(\d+)-(\d+)$/.exec(id.toString('latin1'))
  if (found === null || fields.length !== 2) {
    throw new CorruptEntry(`${placeName(place)}: entry ${id.toString('latin1')} is none of ours`)
  }
  return { ...decodeBody(fields[1], Number(found[2]), placeName(place)), seq: seqOf(BigInt(found[1])) }
}
