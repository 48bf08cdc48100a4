// The store's own row in Table.Meta: what the last checkpoint represents. Written in the checkpoint's transaction.
// Used by: store.ts, checkpoint.ts. Drawn in docs/format/store.md.

import { CorruptionError, UsageError } from '../base/errors.js'
import { getU48, putU48 } from './row.js'

export const STORE_VERSION = 1
export const POSITION_KEY = Buffer.from('store')
/** Offsets in the row, version 1. On disk, so frozen. Big-endian, as all numbers in the store. */
export const POSITION = { VERSION: 0, SEQUENCE: 4, NEXT_ID: 10, CHECKPOINTS: 16, BYTES: 22 } as const

export interface StorePosition {
  /** Sequence number of the first journal record that the checkpoint does not contain. */
  readonly sequence: number
  /** The next id for an object or a tree; every id in the store is lower. */
  readonly nextId: number
  /** Checkpoints in the life of the data folder, this one included. */
  readonly checkpoints: number
}

export const EMPTY_POSITION: StorePosition = { sequence: 1, nextId: 1, checkpoints: 0 }

export function encodePosition(position: StorePosition): Buffer {
  const bytes = Buffer.alloc(POSITION.BYTES)
  bytes.writeUInt32BE(STORE_VERSION, POSITION.VERSION)
  putU48(bytes, POSITION.SEQUENCE, position.sequence)
  putU48(bytes, POSITION.NEXT_ID, position.nextId)
  putU48(bytes, POSITION.CHECKPOINTS, position.checkpoints)
  return bytes
}

/** @throws UsageError for a version we do not know; CorruptionError when it makes no sense */
export function decodePosition(bytes: Buffer): StorePosition {
  const version = bytes.length >= 4 ? bytes.readUInt32BE(POSITION.VERSION) : 0
  if (version !== STORE_VERSION) {
    throw new UsageError(`The store has format version ${version}; this program reads version ${STORE_VERSION}.`)
  }
  if (bytes.length !== POSITION.BYTES) throw new CorruptionError('The row "store" of table meta is cut short.')
  return {
    sequence: getU48(bytes, POSITION.SEQUENCE),
    nextId: getU48(bytes, POSITION.NEXT_ID),
    checkpoints: getU48(bytes, POSITION.CHECKPOINTS),
  }
}
