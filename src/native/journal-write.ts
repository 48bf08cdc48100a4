// Seals and writes journal records: the checksum of each, then all of them with one write. Used by: store/journal.
// The layout is drawn in docs/format/journal.md; store/journal-record.ts reads and builds the rest of a record.

import { writeSync } from 'node:fs'
import { addon } from './addon.js'
import { twinCrc32c } from './crc32c.js'

/** Offsets in a journal record, version 1. On disk, so frozen. Numbers are little-endian. */
export const RECORD = { LENGTH: 0, CRC: 4, SEQUENCE: 8, NOW_MS: 16, EFFECTS: 24, BODY: 28 } as const

/**
 * Fills in the checksum of each record in `bytes[0, length)` and writes all of them at `offset` of the file.
 * Returns `length`, or -errno; then any part of the bytes may be in the file. -EINVAL when they are not whole records.
 */
export type WriteRecords = (fd: number, bytes: Buffer, length: number, offset: number) => number

const EIO = 5
const EINVAL = 22
const ENOSYS = 38

export const twinWriteRecords: WriteRecords = (fd, bytes, length, offset) => {
  if (!sealRecords(bytes, length)) return -EINVAL
  let done = 0
  try {
    while (done < length) {
      const wrote = writeSync(fd, bytes, done, length - done, offset + done)
      if (wrote === 0) return -EIO
      done += wrote
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).errno ?? -EIO
  }
  return length
}

function sealRecords(bytes: Buffer, length: number): boolean {
  let at = 0
  while (at < length) {
    if (length - at < RECORD.BODY) return false
    const recordBytes = bytes.readUInt32LE(at + RECORD.LENGTH)
    if (recordBytes < RECORD.BODY || recordBytes > length - at) return false
    bytes.writeUInt32LE(twinCrc32c(bytes, at + RECORD.SEQUENCE, at + recordBytes), at + RECORD.CRC)
    at += recordBytes
  }
  return true
}

export const nativeWriteRecords: WriteRecords | undefined = addon?.writeRecords

export const writeRecords: WriteRecords = nativeWriteRecords ?? twinWriteRecords

/**
 * Makes [offset, offset + bytes) of the file room for records, which reads as zeros until then, and the file as long.
 * Returns 0, or -errno; -ENOSYS without the addon.
 */
export function reserveRoom(fd: number, offset: number, bytes: number): number {
  return addon?.reserveRoom?.(fd, offset, bytes) ?? -ENOSYS
}
