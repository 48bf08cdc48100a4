// The code of the function libraries, by name: one meta row, written anew at each change. Libraries are few and small.
// docs/format/directory.md draws it. Used by: keyspace (load), exec/function-libraries (which compiles them).

import { CorruptionError } from '../base/errors.js'
import { Row, Table } from '../store/row.js'
import type { StoreObject } from '../store/row.js'
import type { Rows } from '../store/rows.js'

const LIBRARIES_KEY = Buffer.from('libraries')
const VERSION = 1
/** Version (1 byte), number of libraries (4). */
const HEAD_BYTES = 5
/** Bytes of the name (4), bytes of the code (4), then both. */
const ENTRY_HEAD_BYTES = 8

export class Libraries extends Row {
  readonly #rows: Rows
  readonly #codes = new Map<string, Buffer>()
  #bytes = HEAD_BYTES

  constructor(rows: Rows) {
    super()
    this.#rows = rows
  }

  /** @throws CorruptionError when the row contradicts itself */
  load(): void {
    const bytes = this.#rows.read(Table.Meta, LIBRARIES_KEY)
    if (bytes === undefined) return
    if (bytes.length < HEAD_BYTES || bytes[0] !== VERSION) throw damaged('its version is unknown')
    const count = bytes.readUInt32BE(1)
    let at = HEAD_BYTES
    for (let i = 0; i < count; i++) {
      if (at + ENTRY_HEAD_BYTES > bytes.length) throw damaged('it is too short')
      const codeAt = at + ENTRY_HEAD_BYTES + bytes.readUInt32BE(at)
      const end = codeAt + bytes.readUInt32BE(at + 4)
      if (end > bytes.length) throw damaged('it is too short')
      this.#put(bytes.latin1Slice(at + ENTRY_HEAD_BYTES, codeAt), Buffer.from(bytes.subarray(codeAt, end)))
      at = end
    }
    if (at !== bytes.length) throw damaged('it is too long')
  }

  /** By name, in the order in which they were added. */
  get codes(): ReadonlyMap<string, Buffer> {
    return this.#codes
  }

  /** @param code kept; shebang line included */
  set(name: string, code: Buffer): void {
    this.#rows.touch(this)
    this.#put(name, code)
  }

  delete(name: string): void {
    this.#rows.touch(this)
    this.#forget(name)
  }

  clear(): void {
    this.#rows.touch(this)
    this.#codes.clear()
    this.#bytes = HEAD_BYTES
  }

  #put(name: string, code: Buffer): void {
    this.#forget(name)
    this.#codes.set(name, code)
    this.#bytes += ENTRY_HEAD_BYTES + name.length + code.length
  }

  #forget(name: string): void {
    const known = this.#codes.get(name)
    if (known === undefined) return
    this.#codes.delete(name)
    this.#bytes -= ENTRY_HEAD_BYTES + name.length + known.length
  }

  override get table(): Table {
    return Table.Meta
  }

  override get owner(): StoreObject | undefined {
    return undefined
  }

  override rowKey(): Buffer {
    return LIBRARIES_KEY
  }

  override encodeRow(): Buffer {
    const bytes = Buffer.alloc(this.#bytes)
    bytes[0] = VERSION
    bytes.writeUInt32BE(this.#codes.size, 1)
    let at = HEAD_BYTES
    for (const [name, code] of this.#codes) {
      bytes.writeUInt32BE(name.length, at)
      bytes.writeUInt32BE(code.length, at + 4)
      bytes.latin1Write(name, at + ENTRY_HEAD_BYTES)
      code.copy(bytes, at + ENTRY_HEAD_BYTES + name.length)
      at += ENTRY_HEAD_BYTES + name.length + code.length
    }
    return bytes
  }

  override rowBytes(): number {
    return this.#bytes
  }
}

function damaged(why: string): CorruptionError {
  return new CorruptionError(`meta row "libraries": ${why}`)
}
