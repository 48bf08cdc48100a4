// Turns one partition of a dispatch log into mailboxes: the owner's loop. Used by: services.
//
// Records are taken in the order of the log. One with a single recipient goes the fast path: one script appends it and
// moves the watermark of all lanes; many are sent in one pipeline, each expecting its predecessor's offset, so that a
// refusal stops those behind it. Any other goes the general path: claim, the groups in chunks over the lanes, and only
// when all of them are durable one step that moves the lanes. A crash anywhere leaves the watermark where it was; the
// next owner begins there, and what was half done is written once more, the same.
//
// Invariants: W never passes a record that is not whole; two records of one user are never under way together unless
// the later one depends on the earlier.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../base/clock.js'
import { checkedDispatch, groupOf } from './dispatch-record.js'
import type { DispatchRecord } from './dispatch-record.js'
import type { DispatchLog } from './dispatch-log.js'
import { checkedEvents } from './event-group.js'
import { LANES, laneOf } from './lane.js'
import type { LaneWatermark } from './lane.js'
import { Fenced, LogLost, MailboxError, ShardNotOpen, WatermarkGap, WrongShard } from './mailbox-error.js'
import type { Mailbox } from './mailbox-backend.js'
import { mailboxSeq } from './mailbox-seq.js'
import { DedupWindow } from './dedup-window.js'
import type { Ownership } from './shard-registry.js'
import { lowestOf } from './watermarks.js'

/** Where a crash can come between two steps; tests throw there. */
export type MaterializerStep = 'read' | 'fast' | 'claimed' | 'chunk' | 'appended' | 'advanced' | 'collected'

export interface MaterializerOptions {
  readonly shard: number
  /** Unique to this process. */
  readonly owner: string
  readonly clock: Clock
  /** Records read at once, and sent at most in one pipeline of the fast path; 256. */
  readonly batch?: number
  /** Groups of one pipeline of the general path; 128. */
  readonly chunk?: number
  /** How long a dispatch is known, so that appending it again has no effect; a day. */
  readonly dedupWindowMs?: number
  /** Records between two collections of what has left that window; 10,000. */
  readonly collectEvery?: number
  /** How often run() tries again after a broken connection; 20, 100 ms apart. */
  readonly retriesMax?: number
  readonly retryMs?: number
  /**
   * A record that no mailbox takes. 'skip' lets the watermark pass it: say so only when it is kept elsewhere. Without
   * this the materializer stops with the error.
   */
  readonly onRefused?: (record: DispatchRecord, error: MailboxError) => 'stop' | 'skip' | Promise<'stop' | 'skip'>
  /** Whether a user belongs to this shard; by default everybody whom no split of this shard took away. */
  readonly isHome?: (user: string) => boolean
  readonly onStep?: (step: MaterializerStep) => void | Promise<void>
}

export interface MaterializerCounts {
  records: number
  groups: number
  duplicates: number
  expired: number
  skipped: number
  /** Groups that were there already: the work of a predecessor that did not finish. */
  replayed: number
}

const DAY_MS = 86_400_000
const IDLE_LOOK_US = 500_000

export class Materializer {
  readonly #mailbox: Mailbox
  readonly #log: DispatchLog
  readonly #options: MaterializerOptions
  readonly #window: DedupWindow
  readonly counts: MaterializerCounts = { records: 0, groups: 0, duplicates: 0, expired: 0, skipped: 0, replayed: 0 }
  #ownership: Ownership | undefined
  #lanes: (LaneWatermark | undefined)[] = []
  /** All records up to this offset are whole. */
  #position: number | undefined
  #isHome: (user: string) => boolean = () => true
  #sinceCollection = 0

  constructor(mailbox: Mailbox, log: DispatchLog, options: MaterializerOptions) {
    this.#mailbox = mailbox
    this.#log = log
    this.#options = options
    this.#window = new DedupWindow(options.dedupWindowMs ?? DAY_MS)
  }

  get ownership(): Ownership | undefined {
    return this.#ownership
  }

  /** The offset up to which everything is whole; undefined when nothing is. */
  get position(): number | undefined {
    return this.#position
  }

  /** Takes the shard over and finds the place to go on. @throws LogLost, NotDurable, CorruptWatermark, LegacyLayout */
  async open(): Promise<Ownership> {
    const { shard, owner, isHome } = this.#options
    this.#ownership = await this.#mailbox.registry.takeOver(shard, owner)
    await this.#lookAgain()
    const moved = new Set((await this.#mailbox.registry.splits(shard)).flatMap(({ lanes }) => lanes))
    this.#isHome = isHome ?? (user => !moved.has(laneOf(user)))
    const { origin, oldest, next } = await this.#log.bounds(shard)
    const wanted = this.#position === undefined ? origin : this.#position + 1
    if (oldest > wanted) throw new LogLost(`shard ${shard}: the log begins at ${oldest}, ${wanted} is wanted`)
    if (next < wanted) throw new LogLost(`shard ${shard}: the log ends before ${next}, ${wanted} is wanted`)
    return this.#ownership
  }

  /** Materializes one batch; answers how many records that were. @throws Fenced and the errors of refused records */
  async step(): Promise<number> {
    const { shard, batch = 256 } = this.#options
    if (this.#ownership === undefined) throw new ShardNotOpen(`shard ${shard}: open() comes first`)
    const records = await this.#log.read(shard, this.#position, batch)
    await this.#at('read')
    if (records.length === 0) return 0
    this.#window.note(records[records.length - 1].logOffset, this.#options.clock.nowMs())
    let done = 0
    while (done < records.length) {
      const run = this.#fastRun(records, done)
      const count = run > 0 ? await this.#fast(records.slice(done, done + run)) : await this.#general(records[done])
      if (count === 0) break
      done += count
    }
    this.counts.records += done
    this.#sinceCollection += done
    if (this.#sinceCollection >= (this.#options.collectEvery ?? 10_000)) await this.collect()
    return done
  }

  /**
   * Steps until `signal`; waits `idleMs` when there is nothing. Broken connections are tried again.
   * @throws Fenced, within a second also when there is nothing to write; the errors of refused records
   */
  async run(signal: AbortSignal, idleMs = 5): Promise<void> {
    const { retriesMax = 20, retryMs = 100, clock } = this.#options
    let failures = 0
    let lookedUs = clock.monotonicUs()
    while (!signal.aborted) {
      try {
        if ((await this.step()) === 0) {
          await sleep(idleMs)
          // Whoever writes nothing is refused nothing: it has to look whether it still is the owner.
          if (clock.monotonicUs() - lookedUs > IDLE_LOOK_US) {
            await this.#lookAgain()
            lookedUs = clock.monotonicUs()
          }
        }
        failures = 0
      } catch (error) {
        if (error instanceof MailboxError || ++failures > retriesMax) throw error
        await sleep(retryMs)
        await this.#lookAgain().catch(again => {
          if (again instanceof MailboxError) throw again
        })
      }
    }
  }

  /** Forgets dispatches that have left the window of deduplication. Answers how many. */
  async collect(): Promise<number> {
    this.#sinceCollection = 0
    const upTo = this.#window.olderThan(this.#options.clock.nowMs())
    if (upTo === undefined) return 0
    const gone = await this.#mailbox.watermarks.collect(this.#options.shard, this.#epoch, upTo)
    await this.#at('collected')
    return gone
  }

  get #epoch(): number {
    return this.#ownership!.epoch
  }

  get #isUniform(): boolean {
    const [first] = this.#lanes
    return this.#lanes.every(lane => lane?.w === first?.w && lane?.floor === first?.floor)
  }

  /** How many records from `from` on go the fast path in one pipeline. */
  #fastRun(records: readonly DispatchRecord[], from: number): number {
    if (!this.#isUniform) return 0
    let count = 0
    while (from + count < records.length && this.#isFast(records[from + count])) count++
    return count
  }

  #isFast(record: DispatchRecord): boolean {
    const { recipients } = record
    return recipients.length === 1 && this.#isHome(recipients[0].user) && this.#faultOf(record) === undefined
  }

  #faultOf(record: DispatchRecord): MailboxError | undefined {
    try {
      checkedDispatch(record)
      for (const recipient of record.recipients) checkedEvents(this.#groupOf(record, recipient))
    } catch (error) {
      if (error instanceof MailboxError) return error
      throw error
    }
    return undefined
  }

  #groupOf(record: DispatchRecord, recipient: DispatchRecord['recipients'][number]) {
    return groupOf(record, recipient, this.#options.shard, mailboxSeq(this.#epoch, record.logOffset))
  }

  /** Answers how many of the records are whole now; 0 after a gap, when the place has to be found again. */
  async #fast(records: readonly DispatchRecord[]): Promise<number> {
    let expectedPrevious = this.#lanes[0]?.w
    const calls = records.map(record => {
      const group = this.#groupOf(record, record.recipients[0])
      const call = { group, epoch: this.#epoch, expectedPrevious, dispatchId: record.dispatchId }
      expectedPrevious = record.logOffset
      return call
    })
    const outcomes = await this.#mailbox.store.materializeFresh(calls)
    await this.#at('fast')
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof MailboxError) return i + (await this.#refused(records[i], outcome))
      if (outcome === 'gap' || outcome === 'diverged') {
        await this.#lookAgain()
        return i
      }
      this.#count(outcome)
      this.#passedAll(records[i].logOffset)
    }
    return records.length
  }

  /** Answers 1 when the record is whole now, 0 when the place has to be found again. */
  async #general(record: DispatchRecord): Promise<number> {
    const { shard } = this.#options
    const fault = this.#faultOf(record) ?? this.#strangerIn(record)
    if (fault) return this.#refused(record, fault)
    const claim = await this.#mailbox.watermarks.claim(shard, this.#epoch, record.logOffset, record.dispatchId)
    await this.#at('claimed')
    if (claim === 'duplicate') {
      this.counts.duplicates++
      return this.#pass(record)
    }
    // A lane that has passed the record is whole: the work of a predecessor.
    const groups = record.recipients
      .filter(({ user }) => (this.#lanes[laneOf(user)]?.w ?? -1) < record.logOffset)
      .sort((a, b) => laneOf(a.user) - laneOf(b.user))
      .map(recipient => this.#groupOf(record, recipient))
    const { chunk = 128 } = this.#options
    for (let from = 0; from < groups.length; from += chunk) {
      const outcomes = await this.#mailbox.store.appendAll(groups.slice(from, from + chunk), this.#epoch)
      await this.#at('chunk')
      const refusal = outcomes.find(outcome => outcome instanceof MailboxError)
      if (refusal !== undefined) return this.#refused(record, refusal as MailboxError)
      for (const outcome of outcomes) this.#count(outcome as string)
    }
    await this.#at('appended')
    return this.#pass(record)
  }

  #strangerIn(record: DispatchRecord): MailboxError | undefined {
    const stranger = record.recipients.find(({ user }) => !this.#isHome(user))
    if (stranger === undefined) return undefined
    return new WrongShard(`shard ${this.#options.shard}, offset ${record.logOffset}: ${stranger.user} was moved away`)
  }

  /** Moves every lane that is behind the record over it, all in one step. */
  async #pass(record: DispatchRecord): Promise<number> {
    const { shard } = this.#options
    const { logOffset } = record
    const moves = this.#isUniform
      ? { expectedPrevious: this.#lanes[0]?.w }
      : this.#lanes
          .map((state, lane) => ({ lane, expectedPrevious: state?.w }))
          .filter(({ expectedPrevious }) => (expectedPrevious ?? -1) < logOffset)
    try {
      await this.#mailbox.watermarks.advanceAll(shard, this.#epoch, moves, logOffset)
    } catch (error) {
      if (!(error instanceof WatermarkGap)) throw error
      await this.#lookAgain()
      return 0
    }
    await this.#at('advanced')
    this.#passedAll(logOffset)
    return 1
  }

  async #refused(record: DispatchRecord, error: MailboxError): Promise<number> {
    if (error instanceof Fenced || error instanceof ShardNotOpen) throw error
    const answer = (await this.#options.onRefused?.(record, error)) ?? 'stop'
    if (answer === 'stop') throw error
    this.counts.skipped++
    return this.#pass(record)
  }

  #passedAll(logOffset: number): void {
    for (let lane = 0; lane < LANES; lane++) {
      const state = this.#lanes[lane]
      if ((state?.w ?? -1) < logOffset) this.#lanes[lane] = { w: logOffset, floor: state?.floor ?? logOffset }
    }
    this.#position = logOffset
  }

  async #lookAgain(): Promise<void> {
    const { shard } = this.#options
    const state = await this.#mailbox.watermarks.read(shard)
    if (state.epoch !== this.#epoch) throw new Fenced(`shard ${shard}: epoch ${this.#epoch} is over`)
    this.#lanes = [...state.lanes]
    this.#position = lowestOf(state.lanes)
  }

  #count(outcome: string): void {
    if (outcome === 'duplicate') this.counts.duplicates++
    else if (outcome === 'expired') this.counts.expired++
    else if (outcome === 'replayed' || outcome === 'replaced' || outcome === 'past') this.counts.replayed++
    else this.counts.groups++
  }

  async #at(step: MaterializerStep): Promise<void> {
    await this.#options.onStep?.(step)
  }
}
