// The file `SYNCED` of a journal: up to where records are known to be on the device. It is written after syncs and
// hardly ever synced itself, so what it says is true, if late. Recovery needs it to tell damage from what a power cut
// may do: of records that no sync had covered, later ones may have reached the device and earlier ones not.
// Used by: journal (through segment-chain), recovery. Layout: docs/format/journal.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32c } from '../native/crc32c.js'

export const SYNC_MARK_NAME = 'SYNCED'
/** Offsets in the file, version 1. On disk, so frozen. Numbers are little-endian. */
export const SYNC_MARK = { MAGIC: 0, VERSION: 4, SEQUENCE: 8, CRC: 16, BYTES: 20 } as const
export const SYNC_MARK_MAGIC = 'MJSY'
export const SYNC_MARK_VERSION = 1
const TWO_32 = 4294967296

/** @param sequence number of the first record that is not known to be on the device */
export function encodeSyncMark(sequence: number): Buffer {
  const bytes = Buffer.alloc(SYNC_MARK.BYTES)
  bytes.latin1Write(SYNC_MARK_MAGIC)
  bytes.writeUInt32LE(SYNC_MARK_VERSION, SYNC_MARK.VERSION)
  bytes.writeUInt32LE(sequence % TWO_32, SYNC_MARK.SEQUENCE)
  bytes.writeUInt32LE(Math.floor(sequence / TWO_32), SYNC_MARK.SEQUENCE + 4)
  bytes.writeUInt32LE(crc32c(bytes, 0, SYNC_MARK.CRC), SYNC_MARK.CRC)
  return bytes
}

/** What the file says; undefined when there is none, or none that is whole: then nothing is known. */
export function readSyncMark(folder: string): number | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(folder, SYNC_MARK_NAME))
  } catch {
    return undefined
  }
  if (bytes.length !== SYNC_MARK.BYTES || bytes.latin1Slice(0, SYNC_MARK_MAGIC.length) !== SYNC_MARK_MAGIC) {
    return undefined
  }
  const known = bytes.readUInt32LE(SYNC_MARK.VERSION) === SYNC_MARK_VERSION
  if (!known || bytes.readUInt32LE(SYNC_MARK.CRC) !== crc32c(bytes, 0, SYNC_MARK.CRC)) return undefined
  return bytes.readUInt32LE(SYNC_MARK.SEQUENCE) + bytes.readUInt32LE(SYNC_MARK.SEQUENCE + 4) * TWO_32
}
