// One file of the journal: its name, its header, and the file operations the journal needs of the system. Handed in, so
// that tests can let writes and syncs fail. Used by: journal.ts, recovery.ts. Layout: docs/format/journal.md.

import {
  close,
  closeSync,
  constants,
  fdatasync,
  fsync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32c } from '../native/crc32c.js'
import { reserveRoom, writeRecords } from '../native/journal-write.js'

export const SEGMENT_VERSION = 1
export const SEGMENT_MAGIC = 'MILLJRNL'
/** Offsets in a segment's header, version 1. On disk, so frozen. Numbers are little-endian. */
export const SEGMENT = { MAGIC: 0, VERSION: 8, FIRST: 12, CRC: 20, BODY: 24 } as const

/** Room that is written ahead at once. */
export const ZEROS_BYTES = 256 << 10
const ZEROS = Buffer.alloc(ZEROS_BYTES)
const TWO_32 = 4294967296
const NAME = /^(\d{20})\.seg$/

/** @param first sequence number of the segment's first record */
export function segmentName(first: number): string {
  return `${String(first).padStart(20, '0')}.seg`
}

export function encodeSegmentHeader(first: number): Buffer {
  const header = Buffer.alloc(SEGMENT.BODY)
  header.write(SEGMENT_MAGIC, SEGMENT.MAGIC, 'latin1')
  header.writeUInt32LE(SEGMENT_VERSION, SEGMENT.VERSION)
  header.writeUInt32LE(first % TWO_32, SEGMENT.FIRST)
  header.writeUInt32LE(Math.floor(first / TWO_32), SEGMENT.FIRST + 4)
  header.writeUInt32LE(crc32c(header, 0, SEGMENT.CRC), SEGMENT.CRC)
  return header
}

/** What the header says, or undefined when it is cut short or damaged. */
export function decodeSegmentHeader(bytes: Buffer): { version: number; first: number } | undefined {
  if (bytes.length < SEGMENT.BODY) return undefined
  if (bytes.toString('latin1', SEGMENT.MAGIC, SEGMENT.VERSION) !== SEGMENT_MAGIC) return undefined
  if (bytes.readUInt32LE(SEGMENT.CRC) !== crc32c(bytes, 0, SEGMENT.CRC)) return undefined
  const first = bytes.readUInt32LE(SEGMENT.FIRST) + bytes.readUInt32LE(SEGMENT.FIRST + 4) * TWO_32
  return { version: bytes.readUInt32LE(SEGMENT.VERSION), first }
}

/** Where the records of a segment end: behind them may be zeros, and the last byte of a record is a line feed. */
export function segmentEnd(bytes: Buffer): number {
  let end = bytes.length
  while (end >= SEGMENT.BODY + ZEROS_BYTES && bytes.subarray(end - ZEROS_BYTES, end).equals(ZEROS)) end -= ZEROS_BYTES
  while (end > SEGMENT.BODY && bytes[end - 1] === 0) end--
  return end
}

/** The segments in a folder, lowest first sequence first. Other files are passed over. */
export function listSegments(folder: string): { first: number; path: string }[] {
  const found: { first: number; path: string }[] = []
  for (const name of readdirSync(folder)) {
    const match = NAME.exec(name)
    if (match) found.push({ first: Number(match[1]), path: join(folder, name) })
  }
  return found.sort((a, b) => a.first - b.first)
}

/** File operations; all but the syncs are synchronous and report failure by throwing a system error. */
export interface JournalFiles {
  makeFolder(path: string): void
  /** A new, empty file, opened for writing. */
  create(path: string): number
  /** Bytes written, or -errno. Fills in the checksums of the records. */
  writeRecords(fd: number, bytes: Buffer, length: number, offset: number): number
  writeHeader(fd: number, header: Buffer): void
  /** Fills [offset, offset + ZEROS_BYTES) with zeros. */
  writeZeros(fd: number, offset: number): void
  /** Makes [offset, offset + bytes) room that reads as zeros. 0, or -errno. */
  reserve(fd: number, offset: number, bytes: number): number
  /** Brings a file's bytes, and what is needed to find them, to the device. */
  sync(fd: number, done: (error: NodeJS.ErrnoException | null) => void): void
  /** Brings a folder's names to the device. */
  syncFolder(path: string, done: (error: NodeJS.ErrnoException | null) => void): void
  /** Puts the file SYNCED (sync-mark.ts) in place, without a sync. */
  writeMark(path: string, bytes: Buffer): void
  close(fd: number): void
  remove(path: string): void
}

export const systemFiles: JournalFiles = {
  makeFolder: path => void mkdirSync(path, { recursive: true }),
  create: path => openSync(path, 'w', 0o640),
  writeRecords,
  writeHeader(fd, header) {
    const wrote = writeSync(fd, header, 0, header.length, 0)
    if (wrote !== header.length) throw new Error(`wrote ${wrote} of ${header.length} bytes`)
  },
  writeZeros(fd, offset) {
    const wrote = writeSync(fd, ZEROS, 0, ZEROS_BYTES, offset)
    if (wrote !== ZEROS_BYTES) throw new Error(`wrote ${wrote} of ${ZEROS_BYTES} bytes`)
  },
  reserve: reserveRoom,
  sync: fdatasync,
  syncFolder(path, done) {
    open(path, 'r', (openError, fd) => {
      if (openError) return done(openError)
      fsync(fd, syncError => close(fd, () => done(syncError)))
    })
  },
  writeMark(path, bytes) {
    // Overwritten in place: emptied first, it would say nothing after a crash in between.
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o640)
    try {
      writeSync(fd, bytes, 0, bytes.length, 0)
    } finally {
      closeSync(fd)
    }
  },
  close: closeSync,
  remove(path) {
    // Freeing the blocks of a large file takes long, and is done by whoever closes it last: a thread of the pool.
    const fd = openSync(path, 'r')
    unlinkSync(path)
    close(fd, () => undefined)
  },
}
