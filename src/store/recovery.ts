// Reads the journal back at the start: every record from the checkpoint's position on, in order. Used by: store.ts.
//
// What a crash can leave is mended: a tail that was not written completely is cut with a warning, and segments that a
// checkpoint made superfluous are deleted. Everything else (a damaged record with good ones behind it, a segment or a
// record that is missing) is refused: going on would silently lose what clients were told is kept.

import { openSync, closeSync, ftruncateSync, fsyncSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CorruptionError, UsageError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { RECORD } from '../native/journal-write.js'
import { readRecord, recordBytesAt, sequenceAt } from './journal-record.js'
import type { JournalRecord } from './journal-record.js'
import {
  decodeSegmentHeader,
  listSegments,
  SEGMENT,
  SEGMENT_VERSION,
  segmentEnd,
  systemFiles,
} from './journal-segment.js'
import type { FoundSegment } from './segment-chain.js'
import { encodeSyncMark, readSyncMark, SYNC_MARK_NAME } from './sync-mark.js'

export interface Recovered {
  /** Sequence number of the next record. */
  readonly nextSequence: number
  readonly segments: readonly FoundSegment[]
  readonly records: number
}

type Apply = (record: JournalRecord) => void
type Warnings = Pick<Log, 'warning'>

/** What recovery does to files. A check hands in one that does nothing. */
export interface Mending {
  remove(path: string): void
  /** Cuts the file at byte `at`, durably. */
  cut(path: string, at: number): void
  /** Brings what was found to the device, and notes that the records below `next` are there. */
  settle(folder: string, paths: readonly string[], next: number): void
}

const MENDING: Mending = {
  remove: unlinkSync,
  cut(path, at) {
    const fd = openSync(path, 'r+')
    ftruncateSync(fd, at)
    fsyncSync(fd)
    closeSync(fd)
  },
  settle(folder, paths, next) {
    const mark = join(folder, SYNC_MARK_NAME)
    systemFiles.writeMark(mark, encodeSyncMark(next))
    for (const path of [...paths, mark, folder]) {
      const fd = openSync(path, 'r')
      fsyncSync(fd)
      closeSync(fd)
    }
  },
}

/** Records between two steps of a recovery. */
const RECORDS_PER_STEP = 64

/**
 * As recoveryOf(), in one go.
 * @param syncedTo in place of what the file SYNCED says: with 0 all damage is taken for what a power cut left
 */
export function recoverJournal(
  folder: string,
  position: number,
  log: Warnings,
  apply: Apply,
  mending = MENDING,
  syncedTo?: number,
): Recovered {
  const steps = recoveryOf(folder, position, log, apply, mending, syncedTo)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Bytes of the segments that a recovery from `position` reads. */
export function recoveryBytes(folder: string, position: number): number {
  const found = listSegments(folder)
  const needed = found.filter((_, i) => i + 1 >= found.length || found[i + 1].first > position)
  return needed.reduce((sum, { path }) => sum + statSync(path).size, 0)
}

/**
 * Hands every record from `position` on to `apply`, a few in each step; a step gives the bytes read so far.
 * @throws CorruptionError naming the damaged file and what to do; UsageError for a version we do not know
 */
export function* recoveryOf(
  folder: string,
  position: number,
  log: Warnings,
  apply: Apply,
  mending = MENDING,
  knownSyncedTo?: number,
): Generator<number, Recovered, undefined> {
  const found = deleteSuperfluous(listSegments(folder), position, mending)
  const mark = readSyncMark(folder)
  const syncedTo = knownSyncedTo ?? mark ?? Infinity
  if (found.length > 0 && found[0].first > position) {
    if (position < syncedTo) throw missing(folder, position, found[0].first - 1)
    log.warning(notSynced(`the segments from ${found[0].path} on are dropped`))
    for (const { path } of found.splice(0)) mending.remove(path)
  }
  const segments: FoundSegment[] = []
  let next = position
  let bytesBefore = 0
  for (let i = 0; i < found.length; i++) {
    const reader = new SegmentReader(folder, found, i, log, mending, syncedTo)
    for (const at of reader.read(position, apply)) yield bytesBefore + at
    next = reader.next
    bytesBefore += reader.goodBytes
    if (reader.goodBytes > 0) segments.push({ ...found[i], bytes: reader.goodBytes })
    if (reader.wasCut) break // what follows holds no record and was deleted
  }
  const nextSequence = Math.max(next, position)
  // After a crash the kernel may still have to write what was found; what comes behind it must not be there alone.
  const paths = segments.map(({ path }) => path)
  if (mark === undefined || mark < nextSequence) mending.settle(folder, paths, nextSequence)
  return { nextSequence, segments, records: Math.max(next - position, 0) }
}

/**
 * Deletes the segments whose successor begins at or before `position`: a crash came between checkpoint and deletion.
 */
function deleteSuperfluous<S extends { first: number; path: string }>(
  found: S[],
  position: number,
  mending: Mending,
): S[] {
  return found.filter((segment, i) => {
    if (i + 1 >= found.length || found[i + 1].first > position) return true
    mending.remove(segment.path)
    return false
  })
}

class SegmentReader {
  readonly #folder: string
  readonly #log: Warnings
  readonly #mending: Mending
  /** No sync is known to have covered this record and those behind it; Infinity when nothing is known. */
  readonly #syncedTo: number
  readonly #path: string
  readonly #first: number
  /** Sequence number at which the next segment takes over. */
  readonly #limit: number
  readonly #later: readonly { first: number; path: string }[]
  readonly #bytes: Buffer
  /** Bytes up to the end of the last good record; 0 when the file was deleted. */
  goodBytes = 0
  /** The sequence number after the last record. */
  next = 0
  wasCut = false

  constructor(
    folder: string,
    found: readonly { first: number; path: string }[],
    index: number,
    log: Warnings,
    mending: Mending,
    syncedTo: number,
  ) {
    this.#syncedTo = syncedTo
    this.#folder = folder
    this.#log = log
    this.#mending = mending
    this.#path = found[index].path
    this.#first = found[index].first
    this.#later = found.slice(index + 1)
    this.#limit = this.#later[0]?.first ?? Infinity
    this.#bytes = readSegment(this.#path)
  }

  /** Gives the place of the next record now and then. */
  *read(position: number, apply: Apply): Generator<number, void, undefined> {
    const header = decodeSegmentHeader(this.#bytes)
    if (header === undefined) return this.#damagedAt(0, this.#first)
    if (header.version !== SEGMENT_VERSION) {
      throw new UsageError(
        `The journal segment ${this.#path} has format version ${header.version}; ` +
          `this program reads version ${SEGMENT_VERSION}.`,
      )
    }
    if (header.first !== this.#first) {
      throw new CorruptionError(`The journal segment ${this.#path} begins with record ${header.first}: it was renamed.`)
    }
    let at: number = SEGMENT.BODY
    let next = this.#first
    while (next < this.#limit) {
      const length = recordBytesAt(this.#bytes, at)
      if (length === 0 || sequenceAt(this.#bytes, at) !== next) return this.#damagedAt(at, next)
      const record = readRecord(this.#bytes, at, length)
      if (record === undefined) return this.#damagedAt(at, next)
      if (next >= position) apply(record)
      at += length
      next++
      if (next % RECORDS_PER_STEP === 0) yield at
    }
    this.goodBytes = at
    this.next = next
  }

  /** No good record `next` is at `at`: the end, a torn tail, or damage. */
  #damagedAt(at: number, next: number): void {
    this.next = next
    const atEnd = at === this.#bytes.length && at >= SEGMENT.BODY
    const goodFollows = this.#goodRecordFollows(at, next)
    if (goodFollows && next < this.#syncedTo) {
      if (atEnd) throw missing(this.#folder, next, this.#limit - 1)
      throw new CorruptionError(
        `The journal segment ${this.#path} is damaged at byte ${at} (record ${next}), and good records follow. ` +
          'Restore the data folder from a copy, or give up every record from there on: ' +
          `truncate -s ${at} ${this.#path}${this.#later.map(({ path }) => `; rm ${path}`).join('')}`,
      )
    }
    if (!atEnd || this.#later.length > 0) this.#cut(at, goodFollows)
    this.goodBytes = at >= SEGMENT.BODY ? at : 0
  }

  #goodRecordFollows(at: number, next: number): boolean {
    if (holdsRecordAbove(this.#bytes, at + 1, next)) return true
    return this.#later.some(({ path }) => holdsRecordAbove(readSegment(path), 0, next - 1))
  }

  #cut(at: number, goodFollows: boolean): void {
    const lost = this.#bytes.length - at
    const what = `${this.#path} is cut at byte ${at}, ${lost} bytes are dropped`
    if (goodFollows) this.#log.warning(notSynced(`${what}, and ${this.#later.length} later segments`))
    else this.#log.warning(`The last write to the journal was not completed: ${what}.`)
    for (const { path } of this.#later) this.#mending.remove(path)
    this.wasCut = true
    if (at < SEGMENT.BODY) this.#mending.remove(this.#path)
    else this.#mending.cut(this.#path, at)
  }
}

/** A segment up to the end of its records. */
function readSegment(path: string): Buffer {
  const bytes = readFileSync(path)
  return bytes.subarray(0, segmentEnd(bytes))
}

/** A good record with a sequence number above `above` begins at `from` or later. */
function holdsRecordAbove(bytes: Buffer, from: number, above: number): boolean {
  for (let at = from; at + RECORD.BODY <= bytes.length; at++) {
    // The length rules out nearly every offset without a checksum.
    const length = bytes.readUInt32LE(at + RECORD.LENGTH)
    if (length <= RECORD.BODY || length > bytes.length - at || sequenceAt(bytes, at) <= above) continue
    if (recordBytesAt(bytes, at) > 0) return true
  }
  return false
}

/** After a power cut later writes may be there and earlier ones not; only of what no sync had covered. */
function notSynced(what: string): string {
  return `The last writes to the journal did not all reach the device: ${what}. No sync had covered them.`
}

function missing(folder: string, first: number, last: number): CorruptionError {
  return new CorruptionError(
    `The journal in ${folder} lacks the records ${first} to ${last}: a segment is missing or was cut short. ` +
      'Restore the data folder from a copy.',
  )
}
