// Bytes of a row of Table.Directory; docs/format/directory.md draws them. Used by: key-entry, keyspace (load).
// Frozen: add a version, never change one.

import { createHash } from 'node:crypto'
import { CorruptionError } from '../base/errors.js'
import { getU48, putU48 } from '../store/row.js'
import type { BorrowedRow } from '../store/rows.js'

/** Key: slot (4 bytes, big-endian), form, then the name or its digest. */
export const DIRECTORY_KEY = { SLOT: 0, FORM: 4, NAME: 5 } as const
export const KEY_FORM = { NAME: 0, DIGEST: 1 } as const
/** Longer names are kept under their SHA-256 digest: the store's keys are bounded. */
export const NAME_BYTES_IN_KEY_MAX = 480

/**
 * Value: version, type code, flags, object id (6 bytes), expiry if flagged (8 bytes), first expiry of a field if
 * flagged (8 bytes), name if flagged.
 */
export const DIRECTORY_VALUE = { VERSION: 0, TYPE: 1, FLAGS: 2, OBJECT: 3, REST: 9 } as const
export const DIRECTORY_VERSION = 1
/** Of rows with FIELDS_EXPIRE, which version 1 does not know. */
export const DIRECTORY_VERSION_WITH_FIELDS = 2
export const DIRECTORY_FLAG = { EXPIRES: 1, NAMED: 2, FIELDS_EXPIRE: 4 } as const

const INT64_MAX = 0x7fffffffffffffffn
const INT64_MIN = -0x8000000000000000n

export interface DirectoryRow {
  readonly name: string
  readonly typeCode: number
  readonly objectId: number
  /** Unix ms, 0 for none. */
  readonly expireAtMs: number
  /** Unix ms before which no field of the hash expires; 0 when none does. */
  readonly fieldsExpireAtMs: number
}

export function encodeDirectoryKey(slot: number, name: string): Buffer {
  const digested = name.length > NAME_BYTES_IN_KEY_MAX
  const key = Buffer.allocUnsafe(DIRECTORY_KEY.NAME + (digested ? 32 : name.length))
  key.writeUInt32BE(slot, DIRECTORY_KEY.SLOT)
  key[DIRECTORY_KEY.FORM] = digested ? KEY_FORM.DIGEST : KEY_FORM.NAME
  if (digested) createHash('sha256').update(name, 'latin1').digest().copy(key, DIRECTORY_KEY.NAME)
  else key.latin1Write(name, DIRECTORY_KEY.NAME)
  return key
}

/** The first bytes of all keys of a slot. */
export function directoryPrefix(slot: number): Buffer {
  const prefix = Buffer.allocUnsafe(4)
  prefix.writeUInt32BE(slot)
  return prefix
}

export function encodeDirectoryValue(row: DirectoryRow): Buffer {
  const named = row.name.length > NAME_BYTES_IN_KEY_MAX
  const expires = row.expireAtMs !== 0
  const fieldsExpire = row.fieldsExpireAtMs !== 0
  const fieldsAt = DIRECTORY_VALUE.REST + (expires ? 8 : 0)
  const nameAt = fieldsAt + (fieldsExpire ? 8 : 0)
  const bytes = Buffer.allocUnsafe(nameAt + (named ? row.name.length : 0))
  bytes[DIRECTORY_VALUE.VERSION] = fieldsExpire ? DIRECTORY_VERSION_WITH_FIELDS : DIRECTORY_VERSION
  bytes[DIRECTORY_VALUE.TYPE] = row.typeCode
  bytes[DIRECTORY_VALUE.FLAGS] =
    (expires ? DIRECTORY_FLAG.EXPIRES : 0) |
    (named ? DIRECTORY_FLAG.NAMED : 0) |
    (fieldsExpire ? DIRECTORY_FLAG.FIELDS_EXPIRE : 0)
  putU48(bytes, DIRECTORY_VALUE.OBJECT, row.objectId)
  if (expires) bytes.writeBigInt64BE(int64(row.expireAtMs), DIRECTORY_VALUE.REST)
  if (fieldsExpire) bytes.writeBigInt64BE(int64(row.fieldsExpireAtMs), fieldsAt)
  if (named) bytes.latin1Write(row.name, nameAt)
  return bytes
}

/** @throws CorruptionError when the bytes contradict themselves */
export function decodeDirectoryRow(key: Buffer, value: Buffer): DirectoryRow {
  return decodeBorrowed({ key, keyFrom: 0, keyTo: key.length, value, valueTo: value.length })
}

/** As decodeDirectoryRow(). */
export function decodeBorrowed(row: BorrowedRow): DirectoryRow {
  const { key, keyFrom, keyTo, value, valueTo } = row
  if (keyTo - keyFrom < DIRECTORY_KEY.NAME || valueTo < DIRECTORY_VALUE.REST) throw damaged(row, 'it is too short')
  const version = value[DIRECTORY_VALUE.VERSION]
  const flags = value[DIRECTORY_VALUE.FLAGS]
  const fieldsExpire = (flags & DIRECTORY_FLAG.FIELDS_EXPIRE) !== 0
  const expected = fieldsExpire ? DIRECTORY_VERSION_WITH_FIELDS : DIRECTORY_VERSION
  if (version !== expected) throw damaged(row, `version ${version} is unknown`)
  const expires = (flags & DIRECTORY_FLAG.EXPIRES) !== 0
  const named = (flags & DIRECTORY_FLAG.NAMED) !== 0
  if (named !== (key[keyFrom + DIRECTORY_KEY.FORM] === KEY_FORM.DIGEST))
    throw damaged(row, 'its form and flags disagree')
  const fieldsAt = DIRECTORY_VALUE.REST + (expires ? 8 : 0)
  const nameAt = fieldsAt + (fieldsExpire ? 8 : 0)
  if (valueTo < nameAt || (!named && valueTo !== nameAt)) throw damaged(row, 'its length is wrong')
  return {
    name: named ? value.latin1Slice(nameAt, valueTo) : key.latin1Slice(keyFrom + DIRECTORY_KEY.NAME, keyTo),
    typeCode: value[DIRECTORY_VALUE.TYPE],
    objectId: getU48(value, DIRECTORY_VALUE.OBJECT),
    expireAtMs: expires ? Number(value.readBigInt64BE(DIRECTORY_VALUE.REST)) : 0,
    fieldsExpireAtMs: fieldsExpire ? Number(value.readBigInt64BE(fieldsAt)) : 0,
  }
}

export function damaged({ key, keyFrom, keyTo }: BorrowedRow, why: string): CorruptionError {
  const hex = key.subarray(keyFrom, keyTo).toString('hex', 0, 64)
  return new CorruptionError(`directory row ${hex}: ${why}`)
}

/** Deadlines beyond 2^53 are doubles already; the largest rounds up past the range. */
function int64(ms: number): bigint {
  const value = BigInt(Math.trunc(ms))
  return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : value
}
