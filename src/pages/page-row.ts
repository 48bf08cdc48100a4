// The value of a row of Pages or Blocks: a header and a body. The store adds a checksum to every value; the header says
// what the value is, so that a row in the wrong place is refused by name and not misread.
//
// offset  size  field
//      0     2  magic "MP"
//      2     1  kind (page.ts)
//      3     1  version, 1
//      4     4  items, big-endian
//      8     4  body bytes, big-endian
//     12     .  body

import { CorruptionError } from '../base/errors.js'

export const PAGE_HEADER = { MAGIC: 0, KIND: 2, VERSION: 3, COUNT: 4, BODY_BYTES: 8, BODY: 12 } as const
const MAGIC = 0x4d50
const VERSION = 1
const CHECKSUM_BYTES = 4
const LMDB_OVERFLOW_HEADER_BYTES = 16
const LMDB_PAGE_BYTES = 4096

/**
 * The largest body whose row fills `lmdbPages` whole pages of LMDB: values above half an LMDB page occupy whole ones,
 * so one byte more would cost 4,096.
 */
export function bodyBytesFilling(lmdbPages: number): number {
  return lmdbPages * LMDB_PAGE_BYTES - LMDB_OVERFLOW_HEADER_BYTES - CHECKSUM_BYTES - PAGE_HEADER.BODY
}

export function encodePageRow(kind: number, count: number, body: Buffer): Buffer {
  const value = newPageRow(kind, count, body.length)
  body.copy(value, PAGE_HEADER.BODY)
  return value
}

/** As encodePageRow(), whose body the caller writes from PAGE_HEADER.BODY on. */
export function newPageRow(kind: number, count: number, bodyBytes: number): Buffer {
  const value = Buffer.allocUnsafe(PAGE_HEADER.BODY + bodyBytes)
  putHead(value, kind, count, bodyBytes)
  return value
}

/** The header alone. */
export function pageRowHead(kind: number, count: number, bodyBytes: number): Buffer {
  const head = Buffer.allocUnsafe(PAGE_HEADER.BODY)
  putHead(head, kind, count, bodyBytes)
  return head
}

function putHead(value: Buffer, kind: number, count: number, bodyBytes: number): void {
  value.writeUInt16BE(MAGIC, PAGE_HEADER.MAGIC)
  value[PAGE_HEADER.KIND] = kind
  value[PAGE_HEADER.VERSION] = VERSION
  value.writeUInt32BE(count, PAGE_HEADER.COUNT)
  value.writeUInt32BE(bodyBytes, PAGE_HEADER.BODY_BYTES)
}

/**
 * The body of the row `value`, a view of it.
 * @param what names the row in errors
 * @throws CorruptionError unless the header says `kind`, `count` items and the length at hand
 */
export function decodePageRow(value: Buffer | undefined, kind: number, count: number, what: string): Buffer {
  if (value === undefined) throw new CorruptionError(`${what} is missing`)
  if (value.length < PAGE_HEADER.BODY || value.readUInt16BE(PAGE_HEADER.MAGIC) !== MAGIC) {
    throw new CorruptionError(`${what} has no page header`)
  }
  if (value[PAGE_HEADER.VERSION] !== VERSION) {
    throw new CorruptionError(`${what} has version ${value[PAGE_HEADER.VERSION]}, not ${VERSION}`)
  }
  if (value[PAGE_HEADER.KIND] !== kind) {
    throw new CorruptionError(`${what} has kind ${value[PAGE_HEADER.KIND]}, not ${kind}`)
  }
  if (value.readUInt32BE(PAGE_HEADER.BODY_BYTES) !== value.length - PAGE_HEADER.BODY) {
    throw new CorruptionError(`${what} is ${value.length} bytes long, which its header denies`)
  }
  if (value.readUInt32BE(PAGE_HEADER.COUNT) !== count) {
    throw new CorruptionError(
      `${what} holds ${value.readUInt32BE(PAGE_HEADER.COUNT)} items where ${count} are expected`,
    )
  }
  return value.subarray(PAGE_HEADER.BODY)
}
