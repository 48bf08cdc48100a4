// What the tests of the journal share: a folder, and files whose writes and syncs can be made to fail.

import { fstatSync, ftruncateSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { silentLog } from '../../src/base/log.js'
import { Journal } from '../../src/store/journal.js'
import type { JournalOptions } from '../../src/store/journal.js'
import type { JournalRecord } from '../../src/store/journal-record.js'
import { systemFiles } from '../../src/store/journal-segment.js'
import type { JournalFiles } from '../../src/store/journal-segment.js'
import { recoverJournal } from '../../src/store/recovery.js'

export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The system's files, with faults to order, and syncs that can be kept waiting. */
export class FaultyFiles implements JournalFiles {
  /** -errno for every write, while set. */
  writeError = 0
  syncError: Error | null = null
  createError: Error | undefined
  removeError: Error | undefined
  zerosError: Error | undefined
  reserveError = 0
  /** Bytes of each reservation. */
  readonly reserved: number[] = []
  /** While true, syncs wait for releaseSyncs(). */
  holdSyncs = false
  syncsStarted = 0
  writes = 0
  #heldSyncs: (() => void)[] = []

  makeFolder = systemFiles.makeFolder
  writeHeader = systemFiles.writeHeader
  writeMark = systemFiles.writeMark
  close = systemFiles.close

  create(path: string): number {
    if (this.createError) throw this.createError
    return systemFiles.create(path)
  }

  writeRecords(fd: number, bytes: Buffer, length: number, offset: number): number {
    this.writes++
    if (this.writeError === 0) return systemFiles.writeRecords(fd, bytes, length, offset)
    // As a full disk does: part of the bytes reach the file.
    systemFiles.writeRecords(fd, bytes, length, offset)
    return this.writeError
  }

  writeZeros(fd: number, offset: number): void {
    if (this.zerosError) throw this.zerosError
    systemFiles.writeZeros(fd, offset)
  }

  /** Of any size, on any file system. */
  reserve(fd: number, offset: number, bytes: number): number {
    if (this.reserveError < 0) return this.reserveError
    this.reserved.push(bytes)
    if (fstatSync(fd).size < offset + bytes) ftruncateSync(fd, offset + bytes)
    return 0
  }

  remove(path: string): void {
    if (this.removeError) throw this.removeError
    systemFiles.remove(path)
  }

  sync(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void {
    this.syncsStarted++
    const go = (): void => {
      if (this.syncError === null) systemFiles.sync(fd, done)
      else done(this.syncError)
    }
    if (this.holdSyncs) this.#heldSyncs.push(go)
    else setImmediate(go)
  }

  syncFolder(path: string, done: (error: NodeJS.ErrnoException | null) => void): void {
    systemFiles.syncFolder(path, done)
  }

  releaseSyncs(): void {
    this.holdSyncs = false
    for (const go of this.#heldSyncs.splice(0)) go()
  }
}

export function openJournal(folder: string, options: Partial<JournalOptions> = {}): Journal {
  return new Journal({
    folder,
    policy: 'always',
    files: systemFiles,
    log: silentLog(),
    nextSequence: 1,
    segments: [],
    onRecordsLost: () => undefined,
    ...options,
  })
}

/** Records one effect, `SET key text`. */
export function record(journal: Journal, text: string): void {
  journal.begin(1000)
  journal.addArguments(0, ['SET', 'key', text])
  journal.end()
}

export function committed(journal: Journal): Promise<string | undefined> {
  return new Promise(resolve => journal.commit(resolve))
}

export function recover(
  folder: string,
  position = 1,
): { records: JournalRecord[]; texts: string[]; warnings: string[]; next: number } {
  const records: JournalRecord[] = []
  const warnings: string[] = []
  const log = { ...silentLog(), warning: (message: string) => void warnings.push(message) }
  const { nextSequence } = recoverJournal(folder, position, log, one => void records.push(one))
  const texts = records.map(({ effects }) => effects.map(({ bytes }) => textOf(bytes)).join('+'))
  return { records, texts, warnings, next: nextSequence }
}

/** The last argument of a command in RESP. */
function textOf(bytes: Buffer): string {
  return bytes.toString('latin1').split('\r\n').at(-2) ?? ''
}

/** Names of the segments in a folder. */
export function segmentsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.seg'))
    .sort()
}

export function until(condition: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = (): void => void (condition() ? resolve() : setTimeout(look, 2))
    look()
  })
}
