// Rows of a table read one after another without a copy of any: for those who read millions of them, once. LMDB's
// package has key and value of each row in buffers of its own and makes two new ones of them, which is most of what a
// row costs; here they are looked at where they lie. Used by: environment.ts.
//
// Invariant: a row is good until the next one is asked for, or anything else is read.

import type { Database, RootDatabase } from 'lmdb'
import { twinCrc32c } from '../native/crc32c.js'
import type { BorrowedRow } from './rows.js'

/** The checksum behind a value. */
const CRC_BYTES = 4
const NOTHING = Buffer.alloc(0)

type Writable = { -readonly [F in keyof BorrowedRow]: BorrowedRow[F] }

/** A second door to a table that has one: what comes through it is this object, again and again. */
export class BorrowedRows {
  readonly #row: Writable = { key: NOTHING, keyFrom: 0, keyTo: 0, value: NOTHING, valueTo: 0 }
  readonly #table: Database<unknown, Buffer>

  constructor(root: RootDatabase<Buffer, Buffer>, name: string) {
    const row = this.#row
    this.#table = root.openDB<unknown, Buffer>(name, {
      keyEncoder: {
        writeKey: (key: Buffer, target: Buffer, at: number) => {
          target.set(key, at)
          return at + key.length
        },
        readKey: (source: Buffer, from: number, to: number) => {
          row.key = source
          row.keyFrom = from
          row.keyTo = to
          return NOTHING
        },
      },
      encoder: {
        encode: (value: Buffer) => value,
        decode: (bytes: Buffer, length?: number) => {
          row.value = bytes
          row.valueTo = length ?? bytes.length
          return undefined
        },
      },
    } as object)
  }

  /**
   * The rows from `start` on (undefined: from the first) to before `end`.
   * @param damaged called with a copy of the key of a row whose checksum does not hold; throws
   */
  *scan(start: Buffer | undefined, end: Buffer | undefined, damaged: (key: Buffer) => never): Iterable<BorrowedRow> {
    const row = this.#row
    for (const entry of this.#table.getRange({ start, end })) {
      void entry
      row.valueTo -= CRC_BYTES
      if (row.valueTo < 0 || !isSound(row.value, row.valueTo)) {
        damaged(Buffer.from(row.key.subarray(row.keyFrom, row.keyTo)))
      }
      yield row
    }
  }
}

/** The values are short: a call of the addon costs more than the sum. */
function isSound(value: Buffer, length: number): boolean {
  const crc = value[length] | (value[length + 1] << 8) | (value[length + 2] << 16) | (value[length + 3] << 24)
  return crc >>> 0 === twinCrc32c(value, 0, length)
}
