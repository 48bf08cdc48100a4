// The segments of a journal that are on the disk: the one being written, and older ones that wait to be synced, or for
// a checkpoint to contain them. Used by: journal.ts.
//
// Invariants: (1) a segment ends where the next one begins; (2) a descriptor is never closed while a sync runs on it.

import { join } from 'node:path'
import type { Log } from '../base/log.js'
import type { RecordBuffer } from './journal-record.js'
import { encodeSegmentHeader, SEGMENT, segmentName, ZEROS_BYTES } from './journal-segment.js'
import type { JournalFiles } from './journal-segment.js'
import { encodeSyncMark, SYNC_MARK_NAME } from './sync-mark.js'
import { systemErrorText } from './system-error.js'

/** Room that is reserved at once: as much as the segment has, within these bounds. */
const RESERVE_BYTES_MIN = 256 << 10
const RESERVE_BYTES_MAX = 8 << 20

export interface FoundSegment {
  readonly first: number
  readonly path: string
  readonly bytes: number
}

interface Segment {
  readonly first: number
  readonly path: string
  /** -1 once closed. */
  fd: number
  bytes: number
  /** Up to here the file has bytes on the device or on their way there. */
  writtenTo: number
  /** Written since the last sync that succeeded. */
  dirty: boolean
  syncing: boolean
  /** Deleted while a sync ran on it: to be closed when that is over. */
  orphan: boolean
}

export class SegmentChain {
  readonly #folder: string
  readonly #files: JournalFiles
  readonly #log: Log
  #current: Segment | undefined
  #old: Segment[]
  /** Given up after a failed sync, to be removed: the records of a new segment would not be read in their place. */
  #abandoned: Segment[] = []
  /** A segment's name is not known to be on the device. */
  #folderDirty = false

  /** @param found segments of an earlier run, lowest first; they are only ever deleted */
  constructor(folder: string, files: JournalFiles, log: Log, found: readonly FoundSegment[]) {
    this.#folder = folder
    this.#files = files
    this.#log = log
    this.#old = found.map(({ first, path, bytes }) => newSegment(first, path, -1, bytes, false))
    files.makeFolder(folder)
  }

  get bytes(): number {
    let sum = this.#current?.bytes ?? 0
    for (const segment of this.#old) sum += segment.bytes
    return sum
  }

  get count(): number {
    return this.#old.length + (this.#current === undefined ? 0 : 1)
  }

  get dirty(): boolean {
    return this.#folderDirty || this.#current?.dirty === true || this.#old.some(segment => segment.dirty)
  }

  /**
   * Appends the records from `from` on to the current segment, or to a new one that begins with sequence number
   * `first`.
   * @throws Error with the system's reason; then the next call overwrites whatever part of the bytes reached the file
   */
  write(records: RecordBuffer, from: number, first: number): void {
    const length = records.used - from
    if (length === 0) return
    const segment = this.#current ?? this.#open(first)
    const bytes = from === 0 ? records.bytes : records.bytes.subarray(from)
    const wrote = this.#files.writeRecords(segment.fd, bytes, length, segment.bytes)
    if (wrote < 0) throw new Error(systemErrorText(wrote))
    segment.bytes += length
    segment.dirty = true
  }

  /**
   * Sees to it that the next records overwrite zeros: a sync that has no new length of the file to bring to the device
   * takes half the time.
   */
  writeAhead(): void {
    const segment = this.#current
    if (segment === undefined || segment.bytes <= segment.writtenTo) return
    try {
      this.#files.writeZeros(segment.fd, segment.bytes)
      segment.writtenTo = segment.bytes + ZEROS_BYTES
    } catch (error) {
      // Nothing is lost but time. A disk this full has more use for its last bytes.
      segment.writtenTo = Infinity
      this.#log.verbose(`Writing zeros ahead in ${segment.path} failed: ${String(error)}`)
    }
  }

  /**
   * Sees to it that the next records need no new blocks and no new length: a write that does waits for whatever the
   * file system's own journal brings to the device at that moment, such as a sync of this file. Not while one runs, for
   * the same reason.
   */
  reserveAhead(): void {
    const segment = this.#current
    if (segment === undefined || segment.syncing || this.#old.some(({ syncing }) => syncing)) return
    const bytes = Math.min(Math.max(segment.bytes, RESERVE_BYTES_MIN), RESERVE_BYTES_MAX)
    const from = Math.max(segment.writtenTo, segment.bytes)
    if (from - segment.bytes > bytes / 2) return
    const failed = this.#files.reserve(segment.fd, from, bytes)
    if (failed >= 0) segment.writtenTo = from + bytes
    else {
      segment.writtenTo = Infinity
      this.#log.verbose(`Reserving room in ${segment.path} failed: ${systemErrorText(failed)}`)
    }
  }

  #open(first: number): Segment {
    this.#removeAbandoned()
    const path = join(this.#folder, segmentName(first))
    const fd = this.#files.create(path)
    try {
      this.#files.writeHeader(fd, encodeSegmentHeader(first))
    } catch (error) {
      this.#files.close(fd)
      throw error
    }
    this.#folderDirty = true
    this.#current = newSegment(first, path, fd, SEGMENT.BODY, true)
    return this.#current
  }

  /** Ends the current segment; the next write opens another. */
  rotate(): void {
    if (this.#current === undefined) return
    this.#old.push(this.#current)
    this.#current = undefined
  }

  /** Brings all that is written by now to the device. One at a time. */
  sync(done: (error: Error | null) => void): void {
    const targets = this.#old.filter(segment => segment.dirty)
    if (this.#current?.dirty) targets.push(this.#current)
    for (const target of targets) {
      target.dirty = false
      target.syncing = true
    }
    const folder = this.#folderDirty
    this.#folderDirty = false
    this.#syncFrom(targets, 0, folder, error => {
      this.#folderDirty ||= folder && error !== null
      for (const target of targets) {
        target.syncing = false
        target.dirty ||= error !== null
        const over = target.orphan || (error === null && target !== this.#current && !target.dirty)
        if (over) this.#close(target)
      }
      done(error)
    })
  }

  #syncFrom(targets: readonly Segment[], index: number, folder: boolean, done: (error: Error | null) => void): void {
    if (index === targets.length) {
      if (folder) this.#files.syncFolder(this.#folder, done)
      else done(null)
      return
    }
    this.#files.sync(targets[index].fd, error => {
      if (error === null) this.#syncFrom(targets, index + 1, folder, done)
      else done(error)
    })
  }

  /** Notes that all records below `sequence` are on the device. Recovery can do without: a failure hurts nobody. */
  mark(sequence: number): void {
    try {
      this.#files.writeMark(join(this.#folder, SYNC_MARK_NAME), encodeSyncMark(sequence))
    } catch (error) {
      this.#log.verbose(`Writing ${SYNC_MARK_NAME} failed: ${String(error)}`)
    }
  }

  /**
   * Gives up every segment written so far; those with no record below `first` are deleted before the next is written.
   * None must be syncing.
   */
  abandon(first: number): void {
    this.rotate()
    for (const segment of this.#old) {
      segment.dirty = false
      this.#close(segment)
      if (segment.first >= first) this.#abandoned.push(segment)
    }
    this.#old = this.#old.filter(segment => segment.first < first)
  }

  /** @throws the system's error; then nothing may be written yet */
  #removeAbandoned(): void {
    for (let last = this.#abandoned.at(-1); last !== undefined; last = this.#abandoned.at(-1)) {
      this.#files.remove(last.path)
      this.#abandoned.pop()
    }
  }

  /** Deletes the older segments whose records all lie below `position`. */
  deleteBelow(position: number, nextSequence: number): void {
    const ends = [...this.#old.slice(1), this.#current].map(segment => segment?.first ?? nextSequence)
    const passed = this.#old.filter((_, index) => ends[index] <= position)
    this.#old = this.#old.filter((_, index) => ends[index] > position)
    for (const segment of passed) {
      segment.dirty = false
      this.#close(segment)
      this.#remove(segment)
    }
  }

  /** None must be syncing. */
  close(): void {
    this.rotate()
    for (const segment of this.#old) this.#close(segment)
  }

  #close(segment: Segment): void {
    if (segment.syncing) {
      segment.orphan = true
      return
    }
    if (segment.fd < 0) return
    try {
      this.#files.close(segment.fd)
    } catch (error) {
      this.#log.warning(`Closing ${segment.path} failed: ${String(error)}`)
    }
    segment.fd = -1
  }

  #remove(segment: Segment): void {
    try {
      this.#files.remove(segment.path)
    } catch (error) {
      // The next start deletes what lies before the checkpoint's position.
      this.#log.warning(`Deleting ${segment.path} failed: ${String(error)}`)
    }
  }
}

function newSegment(first: number, path: string, fd: number, bytes: number, dirty: boolean): Segment {
  return { first, path, fd, bytes, writtenTo: bytes, dirty, syncing: false, orphan: false }
}
