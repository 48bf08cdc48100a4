// The store: everything durable goes through here. Joins the data folder, the LMDB environment, the journal, the
// checkpoints and the page cache. Used by: the composition root; pages and types see it as Rows, the executor as
// EffectSink.
//
// Life: Store.open() -> rows may be read (the directory is loaded) -> replay() -> commands -> close().

import type { Clock } from '../base/clock.js'
import { assert } from '../base/assert.js'
import type { Log } from '../base/log.js'
import type { Done } from './acknowledgements.js'
import { Backlog } from './backlog.js'
import type { BacklogHost } from './backlog.js'
import { CheckpointThread } from './checkpoint-thread.js'
import { Checkpoints } from './checkpoint.js'
import type { CheckpointHost, ExtraRow } from './checkpoint.js'
import { DataFolder } from './data-folder.js'
import { DirtyRows } from './dirty-rows.js'
import type { EffectSink, Staging } from './effects.js'
import { Environment } from './environment.js'
import { Journal } from './journal.js'
import type { FsyncPolicy } from './journal.js'
import type { JournalRecord } from './journal-record.js'
import { systemFiles } from './journal-segment.js'
import type { JournalFiles } from './journal-segment.js'
import { HeapShare } from '../native/heap-share.js'
import { ClockCache } from './page-cache.js'
import { PageMisses } from './page-misses.js'
import type { RowRef } from './page-misses.js'
import { recoveryBytes, recoveryOf } from './recovery.js'
import { RetiredKind } from './retirement.js'
import { idKey, Table } from './row.js'
import type { Row, StoreObject } from './row.js'
import { ReadViews } from './read-view.js'
import type { BorrowedRow, Rows, RowsView } from './rows.js'
import { decodePosition, EMPTY_POSITION, encodePosition, POSITION_KEY } from './store-position.js'
import type { StorePosition } from './store-position.js'

export interface StoreOptions {
  readonly folder: string
  readonly log: Log
  readonly clock: Clock
  readonly fsync: FsyncPolicy
  readonly cacheBytesMax: number
  /** Called right after each cut: what is recorded now stands at the head of the new segment. */
  readonly onCut?: () => void
  /** Writes that waited for a checkpoint (see `congested`) may go on. */
  readonly onRelieved?: () => void
  /** What a piece of a checkpoint took that others waited for, in ms; as LATENCY has it. */
  readonly took?: ((event: string, ms: number) => void) | undefined
  /** File operations of the journal, for tests that let them fail. */
  readonly journalFiles?: JournalFiles | undefined
}

/** What starts a checkpoint; may be changed at any time. 0 switches a trigger off. */
export interface CheckpointTriggers {
  intervalMs: number
  dirtyBytes: number
  journalBytes: number
  /** Records that a start after a crash would replay; only when writing the checkpoint costs much less than that. */
  replayRecords: number
}

const INTERVAL_LOOK_MS = 1000
/** Writing a page into LMDB takes about as long as replaying ten records: then it costs a third of what it saves. */
const RECORDS_PER_ROW = 60
/** Large rows start a checkpoint at this share of what others do: until it is committed they are in memory twice. */
const LARGE_ROWS_SHARE = 1 / 4
const LARGE_ROW_BYTES = 8 * 1024
/** Between two checkpoints that only shorten the replay. */
const REPLAY_PAUSE_MS = 1000
/** Of the bytes that the cache counts: the rest are objects of V8's own heap, and bytes not used yet. */
const BUFFER_SHARE = 0.75
const MIB = 1 << 20

export class Store implements Rows, EffectSink {
  readonly cache: ClockCache
  readonly misses = new PageMisses()
  readonly staging: Staging = { cuts: 0, holders: 0 }
  readonly triggers: CheckpointTriggers = {
    intervalMs: 300_000,
    dirtyBytes: 64 * MIB,
    journalBytes: 256 * MIB,
    replayRecords: 0,
  }

  readonly #options: StoreOptions
  readonly #folder: DataFolder
  readonly #environment: Environment
  readonly #dirty = new DirtyRows()
  readonly #thread: CheckpointThread
  readonly #checkpoints: Checkpoints
  readonly #views: ReadViews
  readonly #host: CheckpointHost = {
    canCut: () => this.#journal?.betweenTicks === true && this.staging.holders === 0,
    hasNews: () => this.#hasNews(),
    retiredIds: () => this.#retiredIds,
    onCut: () => this.#onCut(),
    onCommitted: () => this.#onCommitted(),
    onCleaned: () => this.cache.cleaned(),
    onReclaimed: reclaimed => void (this.#retiredIds -= reclaimed.ids),
    onFailed: () => this.#onFailed(),
    took: (what, us) => this.#options.took?.(what, us / 1000),
  }
  readonly #backlog: Backlog
  readonly #heapShare = new HeapShare()
  #journal: Journal | undefined
  #nextId: number
  /** As committed, and as of the running cut. */
  #position: StorePosition
  #cutPosition: StorePosition
  /** Retired rows for the next cut, and those of the running one. */
  #retiring: ExtraRow[] = []
  #retiringInCut: readonly ExtraRow[] = []
  #retiredIds: number
  /** The journal's next sequence number when the last cut was made: what it has since is news. */
  #quietSequence: number
  /** Bytes that the journal had then. */
  #bytesAtCut = 0
  #intervalTimer: NodeJS.Timeout | undefined
  #fsync: FsyncPolicy
  #closed = false

  /** @throws UsageError, CorruptionError: one sentence why this folder cannot be opened */
  static open(options: StoreOptions): Store {
    const folder = new DataFolder(options.folder)
    let environment: Environment | undefined
    try {
      environment = new Environment(folder.store)
      const row = environment.read(Table.Meta, POSITION_KEY)
      return new Store(options, folder, environment, row === undefined ? EMPTY_POSITION : decodePosition(row))
    } catch (error) {
      void environment?.close()
      folder.release()
      throw error
    }
  }

  private constructor(options: StoreOptions, folder: DataFolder, environment: Environment, position: StorePosition) {
    this.#options = options
    this.#fsync = options.fsync
    this.#folder = folder
    this.#environment = environment
    this.#position = position
    this.#cutPosition = position
    this.#nextId = position.nextId
    this.#quietSequence = position.sequence
    this.#retiredIds = environment.countOf(Table.Retired)
    this.cache = new ClockCache(options.cacheBytesMax)
    this.#views = new ReadViews(environment)
    this.#thread = new CheckpointThread(folder.store)
    this.#checkpoints = new Checkpoints(this.#host, this.#dirty, this.#thread, options.clock, options.log)
    this.#backlog = new Backlog(this.#backlogHost(), options.onRelieved ?? (() => undefined))
  }

  #backlogHost(): BacklogHost {
    const [triggers, checkpoints] = [this.triggers, this.#checkpoints]
    return {
      get dirtyBytesDue() {
        return triggers.dirtyBytes
      },
      get journalBytesDue() {
        return triggers.journalBytes
      },
      get writing() {
        return checkpoints.writing
      },
      get failure() {
        return checkpoints.failure
      },
    }
  }

  /** As replaying(), in one go. Returns the number of records. */
  replay(apply: (record: JournalRecord) => void): number {
    const steps = this.replaying(apply)
    for (;;) {
      const step = steps.next()
      if (step.done === true) return step.value
    }
  }

  /** What a start reads: rows and bytes of the key directory, bytes of the journal. */
  get loadSizes(): { directoryRows: number; directoryBytes: number; journalBytes: number } {
    const environment = this.#environment
    return {
      directoryRows: environment.countOf(Table.Directory),
      directoryBytes: environment.space().tables[Table.Directory].bytes,
      journalBytes: recoveryBytes(this.#folder.journal, this.#position.sequence),
    }
  }

  /**
   * Hands what the journal has beyond the last checkpoint to `apply`, oldest first, a few records in each step, and
   * opens the journal for writing. A step gives the bytes read so far; returns the number of records.
   * @throws CorruptionError, UsageError
   */
  *replaying(apply: (record: JournalRecord) => void): Generator<number, number, undefined> {
    assert(this.#journal === undefined, 'the journal was replayed already')
    const { log, journalFiles } = this.#options
    const recovered = yield* recoveryOf(this.#folder.journal, this.#position.sequence, log, apply)
    this.#journal = new Journal({
      folder: this.#folder.journal,
      policy: this.#fsync,
      files: journalFiles ?? systemFiles,
      log,
      nextSequence: recovered.nextSequence,
      segments: recovered.segments,
      onRecordsLost: () => this.#checkpoints.wantSoon(),
    })
    this.#environment.guard()
    this.#intervalTimer = setInterval(() => this.#onInterval(), INTERVAL_LOOK_MS).unref()
    return recovered.records
  }

  // --- Rows

  newId(): number {
    return this.#nextId++
  }

  touch(row: Row): void {
    this.misses.armed = false
    this.#dirty.touch(row)
  }

  touchNew(row: Row): void {
    this.misses.armed = false
    this.#dirty.touchNew(row)
  }

  withdraw(row: Row): boolean {
    return this.#dirty.withdraw(row)
  }

  read(table: Table, key: Buffer): Buffer | undefined {
    const { misses } = this
    if (!misses.armed) return this.#environment.read(table, key)
    misses.check(table, key)
    const startUs = this.#options.clock.monotonicUs()
    const value = this.#environment.read(table, key)
    misses.timed(this.#options.clock.monotonicUs() - startUs)
    return value
  }

  fetch(rows: readonly RowRef[]): Promise<void> {
    return this.#views.fetch(rows)
  }

  view(): RowsView {
    return this.#views.open(this.#dirty.epoch)
  }

  scan(table: Table, prefix: Buffer, behind?: Buffer): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#environment.scan(table, prefix, behind)
  }

  scanBorrowed(table: Table, prefix: Buffer): Iterable<BorrowedRow> {
    return this.#environment.scanBorrowed(table, prefix)
  }

  drop(object: StoreObject, treeIds: readonly number[]): void {
    this.misses.armed = false
    assert(object.droppedEpoch === 0, `object ${object.id} dropped twice`)
    object.droppedEpoch = this.#dirty.epoch
    this.#retire(object.id, RetiredKind.Object)
    for (const id of treeIds) this.#retire(id, RetiredKind.Tree)
  }

  #retire(id: number, kind: RetiredKind): void {
    // Made after the last cut: no checkpoint has written, or will write, a row under it.
    if (id >= this.#cutPosition.nextId) return
    this.#retiring.push({ table: Table.Retired, key: idKey(id), value: Buffer.of(kind) })
  }

  // --- EffectSink

  begin(nowMs: number): void {
    this.#open().begin(nowMs)
  }

  add(database: number, bytes: Buffer, from: number, to: number): void {
    this.#open().add(database, bytes, from, to)
  }

  addArguments(database: number, args: readonly (Buffer | string | number | bigint)[]): void {
    this.#open().addArguments(database, args)
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
    this.#open().addSpliced(database, bytes, from, to, cutFrom, cutTo, piece, pieceBytes)
  }

  end(): void {
    this.#open().end()
  }

  abandon(): void {
    this.#open().abandon()
  }

  #open(): Journal {
    assert(this.#journal !== undefined, 'the journal is not open: replay() comes first')
    return this.#journal
  }

  // --- durability

  /**
   * Ends a tick: writes what it recorded, and calls `done` when that is as durable as the policy asks, possibly before
   * this returns. `done` gets a reason only when the store is closed before that.
   * @param clients how many wait for it, about
   */
  commit(done: Done, clients = 1): void {
    const journal = this.#open()
    journal.commit(done, clients)
    this.cache.advance()
    this.misses.tickOver()
    this.#heapShare.held(this.cache.bytesUsed * BUFFER_SHARE)
    if (this.#isDue(journal)) this.#checkpoints.want()
    this.#checkpoints.startIfWanted()
    const { bytes } = journal
    // A checkpoint that failed has given its rows back, and what was recorded before its cut is still to be written.
    const sinceCut = this.#checkpoints.lastOk ? bytes - this.#bytesAtCut : bytes
    this.#backlog.look(this.#checkpoints.bytesHeld + this.#dirty.bytes + sinceCut, bytes)
  }

  /** Whether so much has changed that a checkpoint should start before its time. */
  #isDue(journal: Journal): boolean {
    if (this.#checkpoints.running || !this.#checkpoints.lastOk) return false
    const { dirtyBytes, journalBytes, replayRecords } = this.triggers
    const recordBytes = journal.bytes
    if (journalBytes > 0 && recordBytes >= journalBytes) return true
    // Rows are counted when they are first touched; what they grow by is about as much as was recorded.
    if (dirtyBytes > 0 && this.#dirty.bytes + recordBytes >= dirtyBytes) return true
    // A row that so much was recorded for is full, or new: what is written now will not have to be written again.
    const areLarge = recordBytes >= LARGE_ROW_BYTES * this.#dirty.count
    if (areLarge && dirtyBytes > 0 && recordBytes >= dirtyBytes * LARGE_ROWS_SHARE) return true
    const records = journal.nextSequence - this.#quietSequence
    if (replayRecords === 0 || records < replayRecords || records < this.#dirty.count * RECORDS_PER_ROW) return false
    return this.#checkpoints.ageMs >= REPLAY_PAUSE_MS
  }

  get fsync(): FsyncPolicy {
    return this.#fsync
  }

  set fsync(policy: FsyncPolicy) {
    this.#fsync = policy
    if (this.#journal !== undefined) this.#journal.policy = policy
  }

  /** Why writes are refused at present, as an error reply ('MISCONF …'), or undefined. */
  get writeFault(): string | undefined {
    return this.#journal?.writeFault ?? this.#backlog.fault
  }

  /** So much waits for the running checkpoint that writes should wait as well, see StoreOptions.onRelieved. */
  get congested(): boolean {
    return this.#backlog.congested
  }

  /** Resolves when everything committed until now is on the device. */
  synced(): Promise<void> {
    return this.#open().synced()
  }

  /** Asks for a checkpoint without waiting for it; after one that failed the next try keeps its own time. */
  wantCheckpoint(): void {
    if (this.#checkpoints.lastOk && this.#dirty.count > 0 && !this.#checkpoints.running) this.#checkpoints.wantSoon()
  }

  /** Starts a checkpoint, or joins the running one. Rejects with the reason when it fails. */
  checkpoint(): Promise<void> {
    return this.#checkpoints.join()
  }

  get checkpointRunning(): boolean {
    return this.#checkpoints.running
  }

  /** Unix ms. */
  get lastCheckpointMs(): number {
    return this.#checkpoints.lastMs
  }

  get lastCheckpointOk(): boolean {
    return this.#checkpoints.lastOk
  }

  get lastCheckpointSeconds(): number {
    return this.#checkpoints.lastSeconds
  }

  /** Records in the journal that no committed checkpoint contains. */
  get changesSinceCheckpoint(): number {
    const since = this.#checkpoints.running ? this.#position.sequence : this.#quietSequence
    return (this.#journal?.nextSequence ?? since) - since
  }

  figures(): Record<string, number> {
    return {
      dirtyRows: this.#dirty.count,
      dirtyBytes: this.#dirty.bytes + this.#checkpoints.bytesHeld,
      journalBytes: this.#journal?.bytes ?? 0,
      journalSegments: this.#journal?.segmentCount ?? 0,
      journalSyncs: this.#journal?.syncs ?? 0,
      retiredObjects: this.#retiredIds + this.#retiring.length,
      cachedBytes: this.cache.bytesUsed,
      cachedItems: this.cache.count,
      coldReadsFetched: this.misses.thrown,
      coldReadsAtOnce: this.misses.readAtOnce,
      fileBytes: this.#folder.fileBytes,
      reclaimableBytes: this.#environment.space().freeBytes,
      checkpoints: this.#position.checkpoints,
      checkpointRunning: this.#checkpoints.running ? 1 : 0,
      lastCheckpointMs: this.#checkpoints.lastMs,
      lastCheckpointSeconds: this.#checkpoints.lastSeconds,
      lastCheckpointOk: this.#checkpoints.lastOk ? 1 : 0,
    }
  }

  /** Ends everything; a running checkpoint is given up (the journal has it all). Rows must not be used afterwards. */
  async close(options: { checkpoint: boolean } = { checkpoint: false }): Promise<void> {
    if (this.#closed) return
    if (options.checkpoint && this.#journal !== undefined) {
      await this.#checkpoints.request().catch((error: Error) => this.#options.log.warning(error.message))
    }
    this.#closed = true
    clearInterval(this.#intervalTimer)
    this.#checkpoints.close()
    await this.#thread.close()
    await this.#journal?.close()
    this.#views.close()
    this.#heapShare.end()
    await this.#environment.close()
    this.#folder.release()
  }

  // --- checkpoints

  #hasNews(): boolean {
    const { nextSequence, writeFault } = this.#open()
    // A checkpoint that failed moved the quiet sequence as well, but its rows are dirty again.
    if (nextSequence !== this.#quietSequence || writeFault !== undefined) return true
    return this.#dirty.count > 0 || this.#retiring.length > 0 || this.#nextId !== this.#position.nextId
  }

  #onInterval(): void {
    const { intervalMs } = this.triggers
    const overdue = intervalMs > 0 && this.#checkpoints.ageMs >= intervalMs
    if (!this.#checkpoints.lastOk || !this.#hasNews()) return
    // Nobody may come to commit something after a long replay.
    if (!overdue && !this.#isDue(this.#open())) return
    this.#checkpoints.want()
    this.#checkpoints.startIfWanted()
  }

  #onCut(): readonly ExtraRow[] {
    this.staging.cuts++
    const sequence = this.#open().cut()
    this.#cutPosition = { sequence, nextId: this.#nextId, checkpoints: this.#position.checkpoints + 1 }
    this.#retiringInCut = this.#retiring
    this.#retiring = []
    this.#options.onCut?.()
    this.#quietSequence = this.#open().nextSequence
    this.#bytesAtCut = this.#open().bytes
    const position = { table: Table.Meta, key: POSITION_KEY, value: encodePosition(this.#cutPosition) }
    return [position, ...this.#retiringInCut]
  }

  #onCommitted(): void {
    this.#environment.refresh()
    this.#views.refresh()
    this.#retiredIds += this.#retiringInCut.length
    this.#retiringInCut = []
    this.#position = this.#cutPosition
    const before = this.#open().bytes
    this.#open().contained(this.#position.sequence)
    this.#bytesAtCut = Math.max(0, this.#bytesAtCut - (before - this.#open().bytes))
    this.#backlog.over()
  }

  #onFailed(): void {
    this.#retiring = [...this.#retiringInCut, ...this.#retiring]
    this.#retiringInCut = []
    this.#backlog.over()
  }
}
