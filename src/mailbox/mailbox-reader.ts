// What a service gives its clients: events behind a token, and the next token. Used by: services. Uses: resolve-cursor.
//
// Invariants: nothing above the watermark of the user's lane is given out; a token never steps backwards.

import type { CursorSigner, Cursor } from './cursor.js'
import { laneOf } from './lane.js'
import { CursorExpired, CursorRebased } from './mailbox-error.js'
import type { Mailbox } from './mailbox-backend.js'
import { beforeEpoch, mailboxSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import type { ScannedEvent } from './mailbox-store.js'
import { RegressionCount } from './regression-count.js'
import { historyOf, placeOf, positionEpoch, resolveCursor, segmentsOf } from './resolve-cursor.js'
import type { Resolution, Segment, ShardHistory } from './resolve-cursor.js'

export interface Pull {
  readonly events: readonly ScannedEvent[]
  /** To store once the events are applied. */
  readonly token: string
  /** Nothing more lies behind the token now. */
  readonly isCaughtUp: boolean
}

export class MailboxReader {
  readonly #mailbox: Mailbox
  readonly #signer: CursorSigner
  readonly #histories = new Map<number, ShardHistory>()
  readonly regressions = new RegressionCount()

  constructor(mailbox: Mailbox, signer: CursorSigner) {
    this.#mailbox = mailbox
    this.#signer = signer
  }

  /** Must be 0, always. */
  get mailboxSeqRegressionCount(): number {
    return this.regressions.value
  }

  /** The token of a client that has nothing yet: before the first epoch that is known, in the user's first shard. */
  async begin(user: string, shard: number): Promise<string> {
    const { boundaries, epoch } = await this.#reload(shard)
    const first = boundaries[0]?.epoch ?? epoch
    return this.#signer.sign(user, { shard, shardEpoch: first, lastApplied: beforeEpoch(first) })
  }

  /** The token of a client that was rebuilt: it has lost nothing behind `seq` (CursorExpired.resumeAfter). */
  async resume(user: string, shard: number, seq: MailboxSeq): Promise<string> {
    const { epoch } = await this.#reload(shard)
    return this.#signer.sign(user, { shard, shardEpoch: epoch, lastApplied: seq })
  }

  /** @throws BadToken, UnknownEpoch */
  async resolve(user: string, token: string): Promise<Resolution> {
    const cursor = this.#signer.verify(user, token)
    return resolveCursor(this.#mailbox.registry, this.#mailbox.store, user, cursor)
  }

  /**
   * Events behind the token, about `limit`.
   * @throws CursorExpired: rebuild the client; CursorRebased: store its newCursor and pull again; BadToken,
   * UnknownEpoch
   */
  async pull(user: string, token: string, limit: number): Promise<Pull> {
    const cursor = this.#signer.verify(user, token)
    const watermark = await this.#visible(cursor.shard, user)
    const history = await this.#history(cursor.shard, watermark.epoch)
    const resolution = placeOf(history, user, cursor)
    if (resolution.code === 'CURSOR_REBASED' && resolution.readFirst.length === 0) {
      await this.#checkExpired(user, cursor)
      throw new CursorRebased(this.#signer.sign(user, resolution.newCursor), resolution.replayFromSeq)
    }
    const pull = await this.#read(user, cursor, segmentsOf(history, user, cursor), watermark.upTo, limit)
    // Behind a split the new shard comes: the next pull says so.
    return resolution.code === 'CURRENT' ? pull : { ...pull, isCaughtUp: false }
  }

  async #read(
    user: string,
    cursor: Cursor,
    segments: readonly Segment[],
    visible: MailboxSeq,
    limit: number,
  ): Promise<Pull> {
    const { shard } = cursor
    const events: ScannedEvent[] = []
    let { lastApplied } = cursor
    let isCaughtUp = true
    for (const [i, { epoch, upTo = visible }] of segments.entries()) {
      if (events.length >= limit) {
        isCaughtUp = false
        break
      }
      if (upTo > lastApplied) {
        const request = { shard, user, epoch, afterSeq: lastApplied, upTo, limit: limit - events.length }
        const page = await this.#mailbox.store.rangeScan(request)
        events.push(...page.events)
        lastApplied = page.covered
        if (page.covered < upTo) {
          isCaughtUp = false
          break
        }
      }
      if (i < segments.length - 1) lastApplied = beforeEpoch(segments[i + 1].epoch)
    }
    this.regressions.observePage(
      cursor.lastApplied,
      events.map(({ seq }) => seq),
    )
    // On the way to a split a cursor passes epochs that it was not made for.
    const shardEpoch = Math.max(cursor.shardEpoch, positionEpoch(lastApplied))
    return { events, token: this.#signer.sign(user, { shard, shardEpoch, lastApplied }), isCaughtUp }
  }

  /** Up to where the user's lane is whole, in the epoch of the shard. */
  async #visible(shard: number, user: string): Promise<{ epoch: number; upTo: MailboxSeq }> {
    const { epoch, lanes } = await this.#mailbox.watermarks.read(shard)
    const lane = laneOf(user)
    const w = lanes[lane]?.w
    const upTo = w === undefined ? beforeEpoch(epoch) : mailboxSeq(epoch, w)
    this.regressions.observe(`${shard}:${lane}`, upTo)
    return { epoch, upTo }
  }

  async #checkExpired(user: string, cursor: Cursor): Promise<void> {
    const found = await resolveCursor(this.#mailbox.registry, this.#mailbox.store, user, cursor)
    if (found.code === 'CURSOR_EXPIRED') throw new CursorExpired(found.trimWatermark)
  }

  async #history(shard: number, epoch: number): Promise<ShardHistory> {
    const known = this.#histories.get(shard)
    return known?.epoch === epoch ? known : this.#reload(shard)
  }

  async #reload(shard: number): Promise<ShardHistory> {
    const history = await historyOf(this.#mailbox.registry, shard)
    this.#histories.set(shard, history)
    return history
  }
}
