// A dispatch log on a server: one partition is one stream, an offset is the first half of an entry's ID (`<offset>-0`),
// from 1 on without holes. Used by: services. Uses: append_dispatch.lua.

import type { Redis } from 'ioredis'
import { checkedPartition } from './dispatch-log.js'
import type { Destination, DispatchLog, LogBounds } from './dispatch-log.js'
import { checkedDispatch, decodeRecipients, encodeRecipients } from './dispatch-record.js'
import type { Dispatch, DispatchRecord } from './dispatch-record.js'
import { CorruptEntry } from './mailbox-error.js'
import { MailboxScripts } from './mailbox-scripts.js'

type Entry = readonly [id: Buffer, fields: readonly Buffer[]]

const ORIGIN = 1

export class StreamDispatchLog implements DispatchLog {
  readonly #client: Redis
  readonly #scripts: MailboxScripts
  constructor(
    client: Redis,
    readonly keyPrefix = '',
  ) {
    this.#client = client
    this.#scripts = new MailboxScripts(client)
  }

  async append(destination: Destination, dispatch: Dispatch): Promise<number> {
    const partition = checkedPartition(destination)
    const { dispatchId, committedAtMs, recipients } = checkedDispatch(dispatch)
    const key = this.streamKey(partition)
    const args = [dispatchId, committedAtMs, encodeRecipients(recipients)]
    const call = { script: 'append_dispatch', keys: [key, `${key}:end`], args } as const
    return (await this.#scripts.run(call, `partition ${partition}`)) as number
  }

  async read(partition: number, afterOffset: number | undefined, count: number): Promise<DispatchRecord[]> {
    const from = `${(afterOffset ?? ORIGIN - 1) + 1}-0`
    const reply = await this.#client.callBuffer('XRANGE', this.streamKey(partition), from, '+', 'COUNT', count)
    return (reply as Entry[]).map(entry => recordOf(entry, partition))
  }

  /**
   * As read(), but waits up to `blockMs` for the first record. The client is busy meanwhile: give it one of its own.
   */
  async readWaiting(partition: number, afterOffset: number | undefined, count: number, blockMs: number) {
    const key = this.streamKey(partition)
    const id = `${afterOffset ?? ORIGIN - 1}-0`
    const reply = await this.#client.callBuffer('XREAD', 'COUNT', count, 'BLOCK', blockMs, 'STREAMS', key, id)
    return reply === null ? [] : entriesOf(reply).map(entry => recordOf(entry, partition))
  }

  async bounds(partition: number): Promise<LogBounds> {
    const key = this.streamKey(partition)
    if ((await this.#client.exists(key)) === 0) return { origin: ORIGIN, oldest: ORIGIN, next: ORIGIN }
    const info = fieldsOf(await this.#client.call('XINFO', 'STREAM', key))
    const next = Number(String(info.get('last-generated-id')).split('-')[0]) + 1
    const [first] = (await this.#client.callBuffer('XRANGE', key, '-', '+', 'COUNT', 1)) as Entry[]
    return { origin: ORIGIN, oldest: first === undefined ? next : offsetOf(first, partition), next }
  }

  /** Forgets records below an offset: never above what is materialized. */
  async trimBefore(partition: number, offset: number): Promise<number> {
    return Number(await this.#client.call('XTRIM', this.streamKey(partition), 'MINID', `${offset}-0`))
  }

  streamKey(partition: number): string {
    return `${this.keyPrefix}mblog:{${partition}}`
  }
}

function offsetOf([id]: Entry, partition: number): number {
  const found = /^(\d+)-0$/.exec(id.toString('latin1'))
  if (found === null) throw new CorruptEntry(`partition ${partition}: entry ${id.toString('latin1')} is no record`)
  return Number(found[1])
}

function recordOf(entry: Entry, partition: number): DispatchRecord {
  const logOffset = offsetOf(entry, partition)
  const place = `partition ${partition}, offset ${logOffset}`
  const [, dispatchId, , committedAt, , body] = entry[1]
  if (entry[1].length !== 6) throw new CorruptEntry(`${place}: the entry is no record`)
  return {
    logOffset,
    dispatchId: dispatchId.toString(),
    committedAtMs: Number(committedAt.toString()),
    recipients: decodeRecipients(body, place),
  }
}

/** XREAD of one stream: pairs (RESP2), or a map as an object or flat (RESP3). */
function entriesOf(reply: unknown): readonly Entry[] {
  if (!Array.isArray(reply)) return Object.values(reply as Record<string, readonly Entry[]>)[0] ?? []
  const [first] = reply as unknown[]
  return Array.isArray(first) ? (first[1] as Entry[]) : (reply[1] as Entry[])
}

function fieldsOf(reply: unknown): Map<string, unknown> {
  if (!Array.isArray(reply)) return new Map(Object.entries(reply as Record<string, unknown>))
  return new Map(Array.from({ length: reply.length / 2 }, (_, i) => [String(reply[2 * i]), reply[2 * i + 1]]))
}
