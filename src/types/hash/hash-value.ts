// A hash: fields with values. Used by: commands, types.
// Its forms only ever change in one direction: listpack (small in Redis' eyes), packed (small in ours), tree.

import { CorruptionError } from '../../base/errors.js'
import type { Rows } from '../../store/rows.js'
import { FORM } from '../hashed/fields.js'
import type { Content, Fields } from '../hashed/fields.js'
import { FieldsValue } from '../hashed/fields-value.js'
import { PackedFields } from '../hashed/packed-fields.js'
import type { TypeSpec } from '../key-value.js'

/** Up to where a hash is a listpack: hash-max-listpack-entries and hash-max-listpack-value. */
export interface ListpackLimits {
  entriesMax: number
  valueBytesMax: number
}

export class HashValue extends FieldsValue {
  readonly type = 'hash'

  /** A new, empty hash, for a caller who adds to it at once. */
  static create(rows: Rows): HashValue {
    const hash = new HashValue(rows, rows.newId(), new PackedFields(FORM.listpack))
    rows.touchNew(hash)
    return hash
  }

  static stored(rows: Rows, objectId: number): HashValue {
    return new HashValue(rows, objectId, undefined)
  }

  get encoding(): string {
    return this.fields.form === FORM.listpack ? 'listpack' : 'hashtable'
  }

  /** The value of a field (a latin1 string); bytes of it never change. */
  get(field: string): Content | undefined {
    return this.fields.get(field)
  }

  /** Adds a field or replaces its value, which is taken over; says whether the field is new. */
  set(field: string, value: Content, limits: ListpackLimits): boolean {
    const fields = this.fields
    if (!(fields instanceof PackedFields)) return fields.set(field, value)
    this.willChange(fields)
    const target = this.#formFor(fields, field, value, limits)
    const isNew = target.set(field, value)
    const tooMany = target.form === FORM.listpack && target.count > limits.entriesMax
    this.didChange(tooMany ? this.#unlisted(target as PackedFields, 0) : target)
    return isNew
  }

  /** `fields`, or what they must become to take the field. */
  #formFor(fields: PackedFields, field: string, value: Content, limits: ListpackLimits): Fields {
    const { valueBytesMax } = limits
    if (fields.form === FORM.listpack && field.length <= valueBytesMax && value.length <= valueBytesMax) return fields
    return this.#unlisted(fields, field.length + value.length)
  }

  /** A hashtable in Redis' eyes, in the form that has room for another `bytes`. */
  #unlisted(fields: PackedFields, bytes: number): Fields {
    fields.form = FORM.packed
    if (fields.hasRoom(bytes)) return fields
    const tree = this.makeTree()
    fields.some((field, value) => {
      tree.set(field, value)
      return false
    })
    return tree
  }

  copy(): HashValue {
    const twin = HashValue.create(this.rows)
    twin.copyFrom(this)
    return twin
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    const fields: string[] = []
    this.each(field => void fields.push(field))
    fields.sort()
    for (const field of fields) {
      const value = this.get(field)!
      feed(Buffer.from(field, 'latin1'))
      feed(typeof value === 'string' ? Buffer.from(value, 'latin1') : value)
    }
  }

  protected decodeOther(form: number, _bytes: Buffer, what: string): Fields {
    throw new CorruptionError(`${what} has the unknown form ${form}`)
  }
}

export const hashType: TypeSpec = {
  name: 'hash',
  code: 5,
  load: (rows, objectId) => HashValue.stored(rows, objectId),
}
