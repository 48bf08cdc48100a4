// A pack: rows on their way from the main thread to the checkpoint's writer, in memory that both threads see. In memory
// only, never on the disk. Used by: checkpoint.ts (builds), checkpoint-writer.ts (reads).
//
// Handing an ArrayBuffer over to another thread detaches it, and from the first one on V8 looks, at each access to any
// typed array, whether that one is: a cache miss more for each page that a search comes to. So packs are shared, and
// come back to be filled again. Only one whose first row needs more memory is handed over: V8 does not count what is
// shared, and would be in no hurry to free it.
//
// offset  size  field
//      0     1  table
//      1     1  1 to delete the row, 0 to put it
//      2     2  key bytes
//      4     4  value bytes, room for the checksum included
//      8     .  key, then value

import { VALUE_CRC_BYTES } from './environment.js'
import { TwoPieces } from './row.js'
import type { RowImage, Table } from './row.js'

const PACK = { TABLE: 0, DELETE: 1, KEY_BYTES: 2, VALUE_BYTES: 4, BODY: 8 } as const
export const PACK_BYTES = 1 << 20
const NO_MEMORY = new SharedArrayBuffer(0)

/** Shared, of PACK_BYTES; not shared, longer. */
export type PackMemory = SharedArrayBuffer | ArrayBuffer

export interface Pack {
  readonly bytes: PackMemory
  readonly used: number
}

export class PackBuilder {
  readonly #spare: () => SharedArrayBuffer | undefined
  #bytes: Buffer | undefined
  used = 0

  /** @param spare memory of a pack that was read and is not needed any more: fresh memory costs a fault a page */
  constructor(spare: () => SharedArrayBuffer | undefined = () => undefined) {
    this.#spare = spare
  }

  /** True when a row of that size would need a new pack. */
  isFullFor(keyBytes: number, valueBytes: number): boolean {
    return this.used > 0 && this.used + PACK.BODY + keyBytes + valueBytes + VALUE_CRC_BYTES > PACK_BYTES
  }

  /** Adds a row; `value` undefined deletes it. The first row of a pack may be of any size. */
  add(table: Table, key: Buffer, value: RowImage | undefined): void {
    const valueBytes = value === undefined ? 0 : value.length + VALUE_CRC_BYTES
    this.#bytes ??= this.#memory(PACK.BODY + key.length + valueBytes)
    const bytes = this.#bytes
    const at = this.used
    bytes[at + PACK.TABLE] = table
    bytes[at + PACK.DELETE] = value === undefined ? 1 : 0
    bytes.writeUInt16LE(key.length, at + PACK.KEY_BYTES)
    bytes.writeUInt32LE(valueBytes, at + PACK.VALUE_BYTES)
    key.copy(bytes, at + PACK.BODY)
    const valueAt = at + PACK.BODY + key.length
    if (value instanceof TwoPieces) value.body.copy(bytes, valueAt + value.head.copy(bytes, valueAt))
    else value?.copy(bytes, valueAt)
    this.used = at + PACK.BODY + key.length + valueBytes
  }

  #memory(firstRowBytes: number): Buffer {
    // Not from the pool: only a whole ArrayBuffer can be handed over.
    if (firstRowBytes > PACK_BYTES) return Buffer.allocUnsafeSlow(firstRowBytes)
    return Buffer.from(this.#spare() ?? new SharedArrayBuffer(PACK_BYTES))
  }

  /** The pack; the builder is empty then. */
  take(): Pack {
    const bytes: PackMemory = this.#bytes?.buffer ?? NO_MEMORY
    const pack = { bytes, used: this.used }
    this.#bytes = undefined
    this.used = 0
    return pack
  }
}

/**
 * Calls `row` for each row of a pack. The value has room for the checksum in its last bytes; undefined is a deletion.
 */
export function readPack(pack: Pack, row: (table: Table, key: Buffer, value: Buffer | undefined) => void): void {
  const bytes = Buffer.from(pack.bytes, 0, pack.used)
  let at = 0
  while (at < pack.used) {
    const keyAt = at + PACK.BODY
    const valueAt = keyAt + bytes.readUInt16LE(at + PACK.KEY_BYTES)
    const end = valueAt + bytes.readUInt32LE(at + PACK.VALUE_BYTES)
    const value = bytes[at + PACK.DELETE] === 1 ? undefined : bytes.subarray(valueAt, end)
    row(bytes[at + PACK.TABLE], bytes.subarray(keyAt, valueAt), value)
    at = end
  }
}
