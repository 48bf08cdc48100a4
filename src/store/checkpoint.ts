// Checkpoints: a consistent cut of all dirty rows goes to LMDB in one transaction with the journal position it
// represents, while commands go on. Used by: store.ts. Neighbours: dirty-rows.ts makes the cut, checkpoint-thread.ts
// writes.
//
// One run at a time:  idle -> #start (cut, O(1)) -> #encodeSlice … (between ticks) -> committed by the thread
//                     -> #committed (segments deleted) -> #cleanSlice … (rows may be evicted) -> idle
//                     or, when the thread fails: rows given back, the journal kept, another try later.

import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { CheckpointThread } from './checkpoint-thread.js'
import type { WriterReply } from './checkpoint-writer.js'
import type { Cut, DirtyRows } from './dirty-rows.js'
import type { Reclaimed } from './retirement.js'
import { PackBuilder } from './row-pack.js'
import { Table } from './row.js'
import type { Row, RowImage } from './row.js'

/** What one slice between two ticks may take, */
const SLICE_US = 2000
const SLICE_BYTES = 500_000
/**
 * or, where ticks are long, this share of the last one, up to so many times as much: rows that wait to be encoded are
 * kept twice once they change again, so a checkpoint must keep up with those who write.
 */
const TICK_SHARE = 1 / 4
const SLICES_AT_ONCE_MAX = 10
/** Rows between two looks at the clock. */
const ROWS_PER_LOOK = 16
const CLEAN_ROWS_PER_LOOK = 250
/** Rows of dropped objects that one checkpoint deletes. */
const RECLAIM_ROWS_PER_RUN = 2000
const RECLAIM_PAUSE_MS = 100
const RETRY_MS = 5000

/** One row outside the dirty list: the position, and ids to be retired. */
export interface ExtraRow {
  readonly table: Table
  readonly key: Buffer
  readonly value: Buffer
}

/** As LATENCY calls it. */
export type CheckpointWork = 'checkpoint-cut' | 'checkpoint-slice'

export interface CheckpointHost {
  /** True when a cut may be made now. */
  canCut(): boolean
  /** False when a checkpoint would change nothing. */
  hasNews(): boolean
  /** How many ids have rows that are still to be deleted. */
  retiredIds(): number
  /** Makes the cut of everything else: rows to write with it. Called once per run. */
  onCut(): readonly ExtraRow[]
  /** The cut is durable. */
  onCommitted(): void
  /** Rows of the cut have become clean. */
  onCleaned(): void
  /** Rows of dropped objects were deleted. */
  onReclaimed(reclaimed: Reclaimed): void
  /** Nothing was written; what onCut() gave must be in the next one. */
  onFailed(): void
  /** What a piece of work between two ticks took. */
  took(what: CheckpointWork, us: number): void
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class Checkpoints {
  /** Runs that were committed since the start. */
  completed = 0
  /** Unix ms of the last one committed; of the start before that. */
  lastMs: number
  /** The same moment on the clock that is never set. */
  #lastUs: number
  /** Why the last one failed; undefined when it did not. */
  failure: string | undefined
  lastSeconds = 0
  running = false

  readonly #host: CheckpointHost
  readonly #dirty: DirtyRows
  readonly #thread: CheckpointThread
  readonly #clock: Clock
  readonly #log: Log
  readonly #pack: PackBuilder
  #cut: Cut | undefined
  /** What onCut() gave and is not sent yet: the rows of a FLUSHALL are many. */
  #extras: ExtraRow[] = []
  #wanted = false
  /** A cut was made and its fate is not known yet. */
  #joinable = false
  /** Those whom the running one serves, and those who want the next. */
  #waiters: Waiter[] = []
  #nextWaiters: Waiter[] = []
  #startedUs = 0
  /** When the last slice was over, or last could not begin. */
  #sliceOverUs = 0
  #retryTimer: NodeJS.Timeout | undefined
  #reclaimTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(host: CheckpointHost, dirty: DirtyRows, thread: CheckpointThread, clock: Clock, log: Log) {
    this.#host = host
    this.#dirty = dirty
    this.#thread = thread
    this.#pack = new PackBuilder(() => thread.spareMemory())
    this.#clock = clock
    this.#log = log
    this.lastMs = clock.nowMs()
    this.#lastUs = clock.monotonicUs()
  }

  /** A cut was made, and its fate is not known yet. */
  get writing(): boolean {
    return this.#joinable
  }

  get lastOk(): boolean {
    return this.failure === undefined
  }

  /** Milliseconds since the last one committed, or since the start. */
  get ageMs(): number {
    return (this.#clock.monotonicUs() - this.#lastUs) / 1000
  }

  /** Bytes of rows that the running checkpoint still holds back from eviction. */
  get bytesHeld(): number {
    return this.#cut?.bytes ?? 0
  }

  /** Resolves when everything executed until now is in a committed checkpoint. Rejects with the reason of a failure. */
  request(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#nextWaiters.push({ resolve, reject })
      this.wantSoon()
    })
  }

  /** Resolves when a checkpoint is committed: the running one, or a new one. */
  join(): Promise<void> {
    if (!this.#joinable) return this.request()
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  /** Asks for one of the present state or a later one, without waiting for it; startIfWanted() starts it. */
  want(): void {
    this.#wanted = true
  }

  /** As want(), for those who are inside something that must not see a cut made. */
  wantSoon(): void {
    this.#wanted = true
    setImmediate(() => this.startIfWanted())
  }

  /** Called at the end of each tick. */
  startIfWanted(): void {
    if (!this.#wanted || this.running || this.#closed || !this.#host.canCut()) return
    this.#wanted = false
    clearTimeout(this.#retryTimer)
    this.#retryTimer = undefined
    this.#waiters = this.#nextWaiters
    this.#nextWaiters = []
    if (this.#host.hasNews()) this.#start()
    else this.#settle(undefined)
  }

  /** Gives up a running checkpoint (its rows are in the journal) and starts no other. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#reclaimTimer)
    const error = new Error('the store is closed')
    for (const { reject } of this.#nextWaiters.splice(0)) reject(error)
  }

  #start(): void {
    this.running = true
    this.#joinable = true
    this.#startedUs = this.#clock.monotonicUs()
    this.#cut = this.#dirty.cut()
    void this.#thread.begin().then(reply => this.#over(reply))
    this.#extras = [...this.#host.onCut()]
    this.#sliceOverUs = this.#clock.monotonicUs()
    this.#host.took('checkpoint-cut', this.#sliceOverUs - this.#startedUs)
    setImmediate(() => this.#encodeSlice())
  }

  #encodeSlice(): void {
    const cut = this.#cut
    if (cut === undefined || this.#closed) return
    if (this.#thread.isBehind) {
      this.#sliceOverUs = this.#clock.monotonicUs()
      setTimeout(() => this.#encodeSlice(), 1)
      return
    }
    const fromUs = this.#clock.monotonicUs()
    const slices = ((fromUs - this.#sliceOverUs) * TICK_SHARE) / SLICE_US
    try {
      this.#encodeSome(cut, Math.min(Math.max(slices, 1), SLICES_AT_ONCE_MAX))
    } catch (error) {
      // One of our invariants, or a damaged page: the thread must not wait for ever with its transaction open.
      this.#thread.send(undefined, 'abort')
      throw error
    }
    this.#sliceOverUs = this.#clock.monotonicUs()
    this.#host.took('checkpoint-slice', this.#sliceOverUs - fromUs)
    if (!cut.allEncoded || this.#extras.length > 0) {
      setImmediate(() => this.#encodeSlice())
      return
    }
    this.#dirty.encoded()
    this.#thread.send(this.#pack.take(), 'commit', RECLAIM_ROWS_PER_RUN)
  }

  #encodeSome(cut: Cut, slices: number): void {
    const untilUs = this.#clock.monotonicUs() + slices * SLICE_US
    let bytesLeft = slices * SLICE_BYTES
    const put = (row: Row, value: RowImage | undefined): void => {
      bytesLeft -= value?.length ?? 0
      this.#put(row.table, row.rowKey(), value)
    }
    for (let rows = 1; bytesLeft > 0; rows++) {
      const extra = this.#extras.pop()
      if (extra !== undefined) this.#put(extra.table, extra.key, extra.value)
      else if (cut.allEncoded) return
      else cut.encodeNext(put)
      if (rows % ROWS_PER_LOOK === 0 && this.#clock.monotonicUs() >= untilUs) return
    }
  }

  #put(table: Table, key: Buffer, value: RowImage | undefined): void {
    if (this.#pack.isFullFor(key.length, value?.length ?? 0)) this.#thread.send(this.#pack.take(), 'more')
    this.#pack.add(table, key, value)
  }

  #over(reply: WriterReply): void {
    this.#pack.take()
    this.#joinable = false
    if (reply.failure !== undefined) return this.#failed(reply.failure)
    this.completed++
    this.failure = undefined
    this.lastMs = this.#clock.nowMs()
    this.#lastUs = this.#clock.monotonicUs()
    this.lastSeconds = (this.#lastUs - this.#startedUs) / 1e6
    this.#host.onCommitted()
    this.#host.onReclaimed(reply.reclaimed)
    this.#settle(undefined)
    this.#cleanSlice()
  }

  #failed(reason: string): void {
    this.#extras = []
    if (this.#cut !== undefined) this.#dirty.giveBack(this.#cut)
    this.#cut = undefined
    this.running = false
    this.failure = reason
    this.#host.onFailed()
    this.#settle(new Error(`The checkpoint failed: ${reason}`))
    if (this.#closed) return
    this.#log.warning(`The checkpoint failed: ${reason}. The journal is kept, and another is tried later.`)
    this.#retryTimer ??= setTimeout(() => this.#wantNow(), RETRY_MS).unref()
  }

  #cleanSlice(): void {
    if (this.#closed) return
    const fromUs = this.#clock.monotonicUs()
    let more = this.#cut?.cleanSome(CLEAN_ROWS_PER_LOOK)
    while (more && this.#clock.monotonicUs() - fromUs < SLICE_US) more = this.#cut?.cleanSome(CLEAN_ROWS_PER_LOOK)
    this.#host.onCleaned()
    this.#host.took('checkpoint-slice', this.#clock.monotonicUs() - fromUs)
    if (more) {
      setImmediate(() => this.#cleanSlice())
      return
    }
    this.#cut = undefined
    this.running = false
    if (this.#host.retiredIds() > 0) {
      this.#reclaimTimer ??= setTimeout(() => this.#reclaim(), RECLAIM_PAUSE_MS).unref()
    }
    if (this.#nextWaiters.length > 0) this.#wanted = true
    setImmediate(() => this.startIfWanted())
  }

  /** A run without a cut: only deletes rows of dropped objects. */
  #reclaim(): void {
    this.#reclaimTimer = undefined
    if (this.running || this.#closed) return
    this.running = true
    void this.#thread.begin().then(reply => {
      if (reply.failure !== undefined) return this.#failed(reply.failure)
      this.#host.onReclaimed(reply.reclaimed)
      this.#cleanSlice()
    })
    this.#thread.send(undefined, 'commit', RECLAIM_ROWS_PER_RUN)
  }

  #wantNow(): void {
    this.#retryTimer = undefined
    this.#wanted = true
    this.startIfWanted()
  }

  #settle(error: Error | undefined): void {
    for (const { resolve, reject } of this.#waiters.splice(0)) {
      if (error === undefined) resolve()
      else reject(error)
    }
  }
}
