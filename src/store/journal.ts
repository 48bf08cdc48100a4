// The journal: what was executed, in order, on the disk before its replies leave. Takes effects during a tick, writes
// them with one call at its end, and tells when they are as durable as the policy asks. Used by: store.ts.
// Neighbours: journal-record.ts builds the bytes, segment-chain.ts keeps the files, acknowledgements.ts those who wait,
// recovery.ts reads it all back.
//
// Invariants:
// (1) sequence numbers on the disk are gapless from the checkpoint's position on;
// (2) acknowledgements leave in the order of their ticks, and in `always` never before the sync that covers them;
// (3) in `always` every record that is not known to be on the device is in #syncing or #records: after a failed sync
//     the kernel may have dropped the pages, so they are written again, to a new segment, before anything is
//     acknowledged;
// (4) while `writeFault` is set, ticks that recorded something stay unacknowledged; they are retried until it works.

import { assert } from '../base/assert.js'
import type { Log } from '../base/log.js'
import { Acknowledgements } from './acknowledgements.js'
import type { Done } from './acknowledgements.js'
import type { EffectSink } from './effects.js'
import { RecordBuffer, sequenceAt } from './journal-record.js'
import type { JournalFiles } from './journal-segment.js'
import { SegmentChain } from './segment-chain.js'
import type { FoundSegment } from './segment-chain.js'
import { SyncGroup } from './sync-group.js'

export const FSYNC_POLICIES = ['always', 'everysec', 'no'] as const
export type FsyncPolicy = (typeof FSYNC_POLICIES)[number]

export interface JournalOptions {
  readonly folder: string
  readonly policy: FsyncPolicy
  readonly files: JournalFiles
  readonly log: Log
  /** Sequence number of the next record. */
  readonly nextSequence: number
  /** Segments found at the start, lowest first. */
  readonly segments: readonly FoundSegment[]
  /** Acknowledged records may be lost with the power: only a checkpoint can make their effects durable. */
  readonly onRecordsLost: () => void
}

const EVERYSEC_MS = 1000
/** In `always` the file SYNCED may lag behind by so many. */
const SYNCS_PER_MARK = 32
const RETRY_MS_MIN = 100
const RETRY_MS_MAX = 1000

export class Journal implements EffectSink {
  policy: FsyncPolicy
  /** Sequence number of the next record. */
  nextSequence: number
  /** Why writes are refused at present, as an error reply; undefined when all is well. */
  writeFault: string | undefined
  /** Syncs that succeeded. */
  syncs = 0

  readonly #log: Log
  readonly #onRecordsLost: () => void
  readonly #segments: SegmentChain
  readonly #waiting = new Acknowledgements()
  readonly #group = new SyncGroup(() => this.#startSync())
  /** Records of this tick, and in `always` those of earlier ticks that the running sync does not cover. */
  #records = new RecordBuffer()
  /** How much of #records is written. */
  #written = 0
  /** In `always`: the records that the running sync, or one that failed, is to cover. */
  #syncing = new RecordBuffer()
  #sequenceAtCommit: number
  /** Records were written and acknowledged that are neither synced nor kept in memory. */
  #unretained = false
  /** The last sync failed: the segments it concerned must be given up. */
  #relocate = false
  /** Unless 0: a checkpoint with at least this position must be committed before the fault is over. */
  #containNeeded = 0
  #syncRunning = false
  #syncAgain = false
  #everysecTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #retryMs = RETRY_MS_MIN
  #closing = false

  constructor(options: JournalOptions) {
    this.#log = options.log
    this.#onRecordsLost = options.onRecordsLost
    this.#segments = new SegmentChain(options.folder, options.files, options.log, options.segments)
    this.policy = options.policy
    this.nextSequence = options.nextSequence
    this.#sequenceAtCommit = options.nextSequence
  }

  // --- recording

  begin(nowMs: number): void {
    this.#records.begin(this.nextSequence, nowMs)
  }

  add(database: number, bytes: Buffer, from: number, to: number): void {
    this.#records.add(database, bytes, from, to)
  }

  addArguments(database: number, args: readonly (Buffer | string | number | bigint)[]): void {
    this.#records.addArguments(database, args)
  }

  addSpliced(
    database: number,
    bytes: Buffer,
    from: number,
    to: number,
    cutFrom: number,
    cutTo: number,
    piece: Buffer,
    pieceBytes: number,
  ): void {
    this.#records.addSpliced(database, bytes, from, to, cutFrom, cutTo, piece, pieceBytes)
  }

  end(): void {
    if (this.#records.end()) this.nextSequence++
  }

  abandon(): void {
    this.#records.abandon()
  }

  // --- the end of a tick

  /** True when everything recorded was committed: the state in memory is that before record `nextSequence`. */
  get betweenTicks(): boolean {
    return !this.#records.open && this.#sequenceAtCommit === this.nextSequence
  }

  /**
   * Writes what was recorded since the last call. `done` may be called before this returns.
   * @param clients how many wait for it, about
   */
  commit(done: Done, clients = 1): void {
    const recorded = this.nextSequence !== this.#sequenceAtCommit
    this.#sequenceAtCommit = this.nextSequence
    // A tick that only read may have read what is not durable yet, and its replies may follow others: it queues as
    // well.
    if (!recorded) this.#waiting.behind(done)
    else if (this.writeFault !== undefined || !this.#write()) this.#waiting.hold(done)
    else if (this.policy !== 'always') this.#waiting.behind(done)
    else {
      this.#waiting.needsSync(done)
      this.#group.add(clients)
      if (!this.#syncRunning && this.#group.complete) this.#startSync()
    }
  }

  /** Resolves when all that was committed is on the device. Rejects when the journal is closed before that. */
  synced(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.writeFault === undefined && !this.#syncRunning && !this.#segments.dirty) return resolve()
      this.#waiting.waiter(fault => (fault === undefined ? resolve() : reject(new Error(fault))))
      if (this.writeFault === undefined) this.#startSync()
    })
  }

  /** Brings #records to the current segment. False (and a fault) when that failed; then all is as before. */
  #write(): boolean {
    try {
      this.#segments.write(this.#records, this.#written, this.#firstUnwritten())
    } catch (error) {
      this.#fail('Errors writing to the journal', error)
      return false
    }
    if (this.policy === 'always') {
      this.#segments.writeAhead()
      this.#written = this.#records.used
      return true
    }
    this.#records.clear()
    this.#written = 0
    this.#unretained = true
    this.#segments.reserveAhead()
    if (this.policy === 'everysec') this.#scheduleSync()
    return true
  }

  #firstUnwritten(): number {
    if (this.#records.used === this.#written) return this.nextSequence
    return sequenceAt(this.#records.bytes, this.#written)
  }

  // --- syncing

  #scheduleSync(): void {
    if (this.#closing) return
    this.#everysecTimer ??= setTimeout(() => {
      this.#everysecTimer = undefined
      if (this.writeFault === undefined) this.#startSync()
    }, EVERYSEC_MS)
  }

  /** Starts a sync of all that is written, or sees to it that one follows the running one. */
  #startSync(): void {
    if (this.#syncRunning) {
      this.#syncAgain = true
      return
    }
    this.#syncRunning = true
    this.#syncAgain = false
    const covered = this.#firstUnwritten()
    this.#waiting.syncStarted()
    this.#group.syncStarted()
    if (this.#written > 0) this.#swapBuffers()
    const unretained = this.#unretained
    this.#unretained = false
    this.#segments.sync(error => {
      this.#syncRunning = false
      if (error === null) {
        // Of what was lost a later sync has brought nothing to the device.
        const known = this.#containNeeded === 0
        const due = this.policy !== 'always' || this.syncs % SYNCS_PER_MARK === 0
        if (known && due) this.#segments.mark(covered)
        return this.#syncSucceeded()
      }
      this.#unretained ||= unretained
      this.#syncFailed(error)
    })
  }

  #swapBuffers(): void {
    const records = this.#records
    // After a failed sync both hold records that the new segment has, those of #syncing first.
    if (this.#syncing.used > 0) return this.#joinBuffers()
    this.#records = this.#syncing
    this.#syncing = records
    // A sync may start in the middle of a tick, whose records are not written yet.
    records.moveTail(this.#written, this.#records)
    this.#written = 0
  }

  #joinBuffers(): void {
    const tail = new RecordBuffer()
    this.#records.moveTail(this.#written, tail)
    this.#records.moveTail(0, this.#syncing)
    this.#records = tail
    this.#written = 0
  }

  #syncSucceeded(): void {
    this.syncs++
    this.#syncing.clear()
    this.#group.syncEnded()
    this.#waiting.syncSucceeded()
    if (this.writeFault !== undefined) this.#endFault()
    if (this.writeFault !== undefined) return
    if (this.#syncAgain || (this.#waiting.pending && this.#group.complete)) this.#startSync()
    else if (this.policy === 'everysec' && this.#segments.dirty) this.#scheduleSync()
  }

  #syncFailed(error: Error): void {
    this.#relocate = true
    if (this.#unretained) {
      this.#containNeeded = this.nextSequence
      this.#unretained = false
    }
    this.#waiting.syncFailed()
    this.#fail('Errors syncing the journal', error)
    if (this.#containNeeded > 0 && !this.#closing) this.#onRecordsLost()
  }

  // --- failure, and what follows it

  #fail(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const fault = `MISCONF ${what}: ${reason}`
    if (this.writeFault !== fault) this.#log.warning(`${what}: ${reason}. Writes are refused until it works again.`)
    this.writeFault = fault
    if (this.#closing) this.#waiting.releaseAll(fault)
    else this.#scheduleRetry()
  }

  #scheduleRetry(): void {
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = undefined
      if (this.writeFault !== undefined && !this.#syncRunning) this.#retry()
    }, this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX)
  }

  #retry(): void {
    try {
      if (this.#relocate) this.#startAfresh()
      else this.#segments.write(this.#records, this.#written, this.#firstUnwritten())
    } catch (error) {
      this.#fail('Errors writing to the journal', error)
      return
    }
    this.#written = this.#records.used
    this.#waiting.heldWritten()
    // Only a sync proves that the device takes writes again, whatever the policy.
    this.#startSync()
  }

  /** After a failed sync: gives up the segments it concerned, and writes what memory has of them to a new one. */
  #startAfresh(): void {
    const older = this.#syncing.used > 0 ? this.#syncing : this.#records
    const first = older.used > 0 ? sequenceAt(older.bytes, 0) : this.nextSequence
    // Segments with older records keep their tails; recovery stops reading them where the new one begins.
    this.#segments.abandon(first)
    this.#segments.write(this.#syncing, 0, first)
    this.#segments.write(this.#records, 0, first)
    this.#relocate = false
  }

  /** After a sync that succeeded, or a checkpoint that contains everything. */
  #endFault(): void {
    if (this.#closing) return this.#waiting.releaseAll(this.writeFault)
    if (this.#relocate || this.#containNeeded > 0) return this.#scheduleRetry()
    this.writeFault = undefined
    this.#retryMs = RETRY_MS_MIN
    this.#log.notice('The journal takes writes again.')
    // Ticks that recorded something while that sync ran.
    if (this.#waiting.anyHeld && this.#write()) this.#waiting.heldWritten()
  }

  // --- checkpoints

  /**
   * Ends the segment, so that it can be deleted once a checkpoint of the present state is committed. Returns the
   * checkpoint's position: the sequence number of the first record that it does not contain. Only between ticks.
   */
  cut(): number {
    assert(this.betweenTicks, 'a cut inside a tick')
    // While writes fail, records may still have to go to this segment.
    if (this.writeFault === undefined) this.#segments.rotate()
    return this.nextSequence
  }

  /** Says that a durable checkpoint contains every record below `position`: segments with nothing else are deleted. */
  contained(position: number): void {
    this.#segments.deleteBelow(position, this.nextSequence)
    if (position >= this.#containNeeded) this.#containNeeded = 0
    if (this.writeFault !== undefined && position === this.nextSequence && !this.#syncRunning) this.#startEmpty()
  }

  /** While writes fail, a checkpoint that contains every record makes all of them durable: the journal begins anew. */
  #startEmpty(): void {
    this.#segments.rotate()
    this.#segments.deleteBelow(this.nextSequence, this.nextSequence)
    this.#records.clear()
    this.#syncing.clear()
    this.#written = 0
    this.#relocate = false
    this.#unretained = false
    this.#waiting.releaseAll()
    this.#endFault()
  }

  // --- figures, end

  get bytes(): number {
    return this.#segments.bytes
  }

  get segmentCount(): number {
    return this.#segments.count
  }

  /**
   * Brings everything committed to the device if that is possible, and closes the files. Ticks held are told the fault.
   */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    clearTimeout(this.#everysecTimer)
    clearTimeout(this.#retryTimer)
    this.#group.close()
    const fault = this.writeFault
    if (fault !== undefined && !this.#syncRunning) this.#waiting.releaseAll(fault)
    else {
      const mark = () => this.#segments.mark(this.#firstUnwritten())
      await this.synced().then(mark, () => undefined) // whoever waits was told, and the log has it
    }
    this.#segments.close()
  }
}
