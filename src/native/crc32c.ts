// CRC-32C (Castagnoli) of bytes: the checksum of journal records and of every row in LMDB. Used by: store/.

import { addon } from './addon.js'

/** Checksum of `bytes[from, to)`, an unsigned 32-bit number. The range must lie inside `bytes`. */
export type Crc32c = (bytes: Uint8Array, from: number, to: number) => number

const POLYNOMIAL = 0x82f63b78
/** Slicing by four: table k holds the effect of a byte that is followed by k others. */
const TABLES = makeTables()

function makeTables(): Int32Array[] {
  const tables = [0, 1, 2, 3].map(() => new Int32Array(256))
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
    tables[0][byte] = crc
  }
  for (let slice = 1; slice < 4; slice++) {
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[slice - 1][byte]
      tables[slice][byte] = (before >>> 8) ^ tables[0][before & 255]
    }
  }
  return tables
}

export const twinCrc32c: Crc32c = (bytes, from, to) => {
  const [t0, t1, t2, t3] = TABLES
  let crc = -1
  let at = from
  for (; to - at >= 4; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    crc = t3[crc & 255] ^ t2[(crc >>> 8) & 255] ^ t1[(crc >>> 16) & 255] ^ t0[crc >>> 24]
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]) & 255]
  return ~crc >>> 0
}

export const nativeCrc32c: Crc32c | undefined = addon?.crc32c

export const crc32c: Crc32c = nativeCrc32c ?? twinCrc32c
