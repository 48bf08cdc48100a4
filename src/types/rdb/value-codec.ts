// How the values of one type are written to a dump and read from one: a file per type, gathered in dump-payload.ts.

import type { Rows } from '../../store/rows.js'
import type { ListpackLimits } from '../hash/hash-value.js'
import type { KeyValue, TypeName } from '../key-value.js'
import type { ZsetLimits } from '../zset/zset-value.js'
import type { RdbReader } from './rdb-reader.js'
import type { RdbWriter } from './rdb-writer.js'

/** Up to which sizes restored collections are packed; those of the configuration. */
export interface PackingLimits {
  /** A set of more integers is no intset. */
  readonly integersMax: number
  readonly listpack: ListpackLimits
  readonly zset: ZsetLimits
}

export interface ValueCodec {
  readonly type: TypeName
  /** The types of RDB that read() understands. */
  readonly codes: readonly number[]
  /** Writes the type of RDB, then the value. @throws ReplyError when it does not fit the writer */
  write(writer: RdbWriter, value: KeyValue): void
  /**
   * Makes a value of what follows the type `code`. What it made of bad bytes it has dropped again.
   * @throws PayloadError
   */
  read(reader: RdbReader, code: number, rows: Rows, packing: PackingLimits): KeyValue
}
