// The load of a mailbox service: records with one fresh recipient each, as the commands a materializer sends. Used by:
// mailbox-rows, mailbox-ladder.

import { encodeBody, encodeMember } from '../src/mailbox/event-body.js'
import { DAY_S } from '../src/mailbox/event-group.js'
import { MailboxKeys } from '../src/mailbox/mailbox-keys.js'
import { MailboxScripts } from '../src/mailbox/mailbox-scripts.js'
import { formatSeq, mailboxSeq } from '../src/mailbox/mailbox-seq.js'
import { encode, WireClient } from './wire-client.js'

export const SHARDS = 8
/** Mailboxes, each read by one client. */
export const USERS = 1_000
const PAYLOAD = Buffer.alloc(128, 'x')
const EPOCH = 1
const RETENTION_S = 7 * DAY_S
const SCRIPT = 'materialize_fresh_single_recipient'

export type Layout = 'buckets' | 'stream'

export interface MailboxCall {
  readonly shard: number
  /** The EVALSHA. */
  readonly materialize: Buffer
  /** What the recipient's client sends to get the message. */
  readonly read: Buffer
}

export class MailboxLoad {
  readonly #keys: MailboxKeys
  readonly #offsets = Array.from({ length: SHARDS }, () => 0)
  readonly #sha = MailboxScripts.sha1(SCRIPT)
  readonly #day: number
  #made = 0

  constructor(
    readonly layout: Layout,
    readonly nowMs: number,
    prefix = '',
  ) {
    this.#keys = new MailboxKeys(prefix)
    this.#day = Math.floor(nowMs / 1000 / DAY_S)
  }

  /** Loads the script and opens the shards. */
  async prepare(port: number): Promise<void> {
    const client = await WireClient.connect(port)
    await client.send(encode('SCRIPT', 'LOAD', MailboxScripts.text(SCRIPT)), 1)
    for (let shard = 0; shard < SHARDS; shard++) {
      const fields = ['wm_layout', 'packed-v2', 'wm_epoch', EPOCH, 'wm_blob', '\0'.repeat(19)]
      await client.send(encode('HSET', this.#keys.watermarks(shard), ...fields), 1)
    }
    client.close()
  }

  /** The next record: shards take turns, users come in an order that repeats late. */
  next(): MailboxCall {
    const n = this.#made++
    const shard = n % SHARDS
    const offset = ++this.#offsets[shard]
    // A multiplier without a common factor, so that neighbours are far apart and every user has its share.
    const user = `user:${((n * 7919) % (USERS / SHARDS)) * SHARDS + shard}`
    const seq = mailboxSeq(EPOCH, offset)
    const event = { ordinal: 0, createdAtMs: this.nowMs, messageId: `m${n}`, payload: PAYLOAD }
    const keys = this.#keys
    const isStream = this.layout === 'stream'
    const events = isStream ? keys.stream(shard, EPOCH, user) : keys.bucket(shard, EPOCH, this.#day, user)
    const materialize = words([
      'EVALSHA',
      this.#sha,
      '7',
      keys.watermarks(shard),
      keys.dispatches(shard),
      keys.meta(shard, EPOCH, user),
      keys.days(shard, EPOCH, user),
      keys.index(shard, EPOCH, user),
      events,
      keys.earlierDispatches(shard),
      String(EPOCH),
      offset === 1 ? '' : String(offset - 1),
      String(offset),
      `dispatch-${n}`,
      formatSeq(seq),
      isStream ? seq.toString() : '',
      isStream ? (seq - 1n).toString() : '',
      String(this.#day),
      String(RETENTION_S),
      '0',
      this.layout,
      ...(isStream ? [`${seq}-0`, encodeBody(event)] : [encodeMember(seq, event)]),
    ])
    const read = isStream
      ? words(['XRANGE', events, `${seq}-0`, `${seq}-0`])
      : words(['ZRANGEBYSCORE', events, String(offset), String(offset)])
    return { shard, materialize, read }
  }
}

/** As encode() of wire-client, for words that are bytes. */
function words(parts: readonly (string | Buffer)[]): Buffer {
  const chunks: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)]
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    chunks.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'))
  }
  return Buffer.concat(chunks)
}
