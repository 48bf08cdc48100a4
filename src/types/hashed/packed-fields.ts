// The small form of a hash or set: fields in the order they came, in the head row. `listpack` is what Redis packs too
// and names so; `packed` is what Redis calls a hashtable already, kept together here because pages of its own would
// cost more. Used by: fields-value.

import { CorruptionError } from '../../base/errors.js'
import { ByteReader } from '../../pages/byte-reader.js'
import { ByteWriter } from '../../pages/byte-writer.js'
import { FORM } from './fields.js'
import type { Content, Fields } from './fields.js'

/** A form that Redis does not bound is packed up to here; the row fits one page of LMDB. */
const BYTES_MAX = 3_900
const COUNT_MAX = 256
/** Lengths and the like around a field on the disk, at most for short ones. */
const FIELD_BYTES = 3
/** Map entry and two strings in memory, about. */
const FIELD_MEMORY_BYTES = 90
/** The Map in memory without its entries, as measured. */
const MAP_BYTES = 100

export class PackedFields implements Fields {
  readonly #values = new Map<string, string>()
  /** Bytes of names and values. */
  #bytes = 0

  constructor(public form: typeof FORM.packed | typeof FORM.listpack) {}

  /** @throws CorruptionError */
  static decode(form: typeof FORM.packed | typeof FORM.listpack, bytes: Buffer, what: string): PackedFields {
    const fields = new PackedFields(form)
    const reader = new ByteReader(bytes, what)
    const count = reader.varint()
    for (let i = 0; i < count; i++) {
      const field = reader.sizedText()
      if (!fields.set(field, reader.sizedText())) throw new CorruptionError(`${what} names a field twice`)
    }
    reader.end()
    return fields
  }

  get count(): number {
    return this.#values.size
  }

  get memoryBytes(): number {
    return MAP_BYTES + this.#bytes + this.#values.size * FIELD_MEMORY_BYTES
  }

  /** True when it stays small with another `bytes` of name and value. */
  hasRoom(bytes: number): boolean {
    const count = this.#values.size
    return count < COUNT_MAX && this.#bytes + bytes + (count + 1) * FIELD_BYTES <= BYTES_MAX
  }

  has(field: string): boolean {
    return this.#values.has(field)
  }

  get(field: string): string | undefined {
    return this.#values.get(field)
  }

  set(field: string, value: Content): boolean {
    const text = typeof value === 'string' ? value : value.latin1Slice()
    const old = this.#values.get(field)
    this.#bytes += old === undefined ? field.length + text.length : text.length - old.length
    this.#values.set(field, text)
    return old === undefined
  }

  delete(field: string): boolean {
    const old = this.#values.get(field)
    if (old === undefined) return false
    this.#bytes -= field.length + old.length
    return this.#values.delete(field)
  }

  at(rank: number): string {
    let rest = rank
    for (const field of this.#values.keys()) if (rest-- === 0) return field
    throw new RangeError(`rank ${rank} of ${this.count} fields`)
  }

  some(test: (field: string, value: Content) => boolean): boolean {
    for (const [field, value] of this.#values) if (test(field, value)) return true
    return false
  }

  /** All of it: Redis takes no notice of COUNT here either. */
  scan(_cursor: number, _count: number, visit: (field: string, value: Content) => void): number {
    for (const [field, value] of this.#values) visit(field, value)
    return 0
  }

  /** Varint count, then for each field its name and its value, each behind its length. */
  encode(): Buffer {
    const writer = new ByteWriter(8 + this.#bytes + this.#values.size * FIELD_BYTES)
    writer.varint(this.#values.size)
    for (const [field, value] of this.#values) {
      writer.sizedText(field)
      writer.sizedText(value)
    }
    return writer.done()
  }
}
