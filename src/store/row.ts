// A Row owns one row of one LMDB table and knows how to encode itself. It is how everything above the store becomes
// durable: pages, descriptor blocks, collection heads, directory entries, groups, consumers.
//
// Rules (the checkpoint's consistent cut rests on them):
// (1) call store.touch(row) BEFORE the first change of every command that changes the row;
// (2) encode() must depend on nothing but the row's present state, and hand out bytes the row will not change later;
// (3) a row that was removed sets `removed` (after touch) and stays in the dirty list, so that its key is deleted;
// (4) rows of a dropped object need no touch: dropping the object (store.drop) makes the next cuts skip them.

export const enum Table {
  /** Format version, checkpoint position, counters, database map. */
  Meta = 0,
  /** One row per key of every database. */
  Directory = 1,
  /** One row per object: the head of a collection, or the value of a large string. Key: object id. */
  Heads = 2,
  /** Descriptor blocks. Key: tree id, block number. */
  Blocks = 3,
  /** Pages. Key: tree id, page number. */
  Pages = 4,
  /** Rows that belong to an object but are no page: groups, consumers. Key: object id, then anything. */
  Parts = 5,
  /** Objects and trees that were dropped and whose rows are still to be deleted. Key: id. */
  Retired = 6,
}
export const TABLE_COUNT = 7

/** In place of an epoch: the row was made in this process and has not been encoded yet. */
export const NEVER_STORED = -1

/** Identity of a dropped-as-a-whole thing: a collection with all its trees and parts. */
export class StoreObject {
  /** Epoch in which the object was dropped; 0 while it lives. */
  droppedEpoch = 0
  constructor(
    /** Unique for ever within a data folder, below 2^48. Trees of the object take ids from the same counter. */
    readonly id: number,
  ) {}
}

/** A row's value in two pieces of which the second follows the first. */
export class TwoPieces {
  constructor(
    readonly head: Buffer,
    readonly body: Buffer,
  ) {}

  get length(): number {
    return this.head.length + this.body.length
  }
}

export type RowImage = Buffer | TwoPieces

export abstract class Row {
  /** Epoch of the last touch, 0 when clean. Owned by the store. */
  dirtyEpoch = 0
  /** Epoch whose cut this row was last encoded for, or NEVER_STORED. Owned by the store. */
  capturedEpoch = 0
  /** True once the row is to be deleted. */
  removed = false
  abstract readonly table: Table
  /** The object whose death makes this row worthless, if any. */
  abstract readonly owner: StoreObject | undefined
  /** LMDB key, at most 511 bytes. */
  abstract rowKey(): Buffer
  /** The row's value. Not called when `removed`. */
  abstract encodeRow(): Buffer
  /** As encodeRow(), for the checkpoint: rows of many bytes that do not change hand those out as they are. */
  imageRow(): RowImage {
    return this.encodeRow()
  }
  /** Bytes this row holds in memory and that a checkpoint would write; for back-pressure. */
  abstract rowBytes(): number
  /** Called when the row's state has become durable and it was not touched since: it may be evicted now. */
  onClean(): void {}
}

/** Big-endian 6-byte id, so that byte order is numeric order. */
export function putU48(bytes: Uint8Array, at: number, value: number): void {
  const hi = Math.floor(value / 4294967296)
  bytes[at] = hi >>> 8
  bytes[at + 1] = hi
  bytes[at + 2] = value >>> 24
  bytes[at + 3] = value >>> 16
  bytes[at + 4] = value >>> 8
  bytes[at + 5] = value
}

export function getU48(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] << 8) | bytes[at + 1]) * 4294967296 +
    (((bytes[at + 2] << 24) | (bytes[at + 3] << 16) | (bytes[at + 4] << 8) | bytes[at + 5]) >>> 0)
  )
}

/** Key of a row of Heads or Retired. */
export function idKey(id: number): Buffer {
  const key = Buffer.allocUnsafe(6)
  putU48(key, 0, id)
  return key
}

/** Key of a row of Pages or Blocks. */
export function numberedKey(id: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(10)
  putU48(key, 0, id)
  key.writeUInt32BE(number, 6)
  return key
}
