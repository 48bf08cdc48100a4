// A hash: fields with values, of which some may expire. Used by: commands, types, database (what is due).
// Its forms only ever change in one direction: listpack (small in Redis' eyes), packed (small in ours), tree; and each
// of them, once a field was given an expiry, to the same with expiries.

import { CorruptionError } from '../../base/errors.js'
import type { Rows } from '../../store/rows.js'
import { FieldTree } from '../hashed/field-tree.js'
import { FORM } from '../hashed/fields.js'
import type { Content, Fields, Form } from '../hashed/fields.js'
import { FieldsValue } from '../hashed/fields-value.js'
import { PackedFields } from '../hashed/packed-fields.js'
import type { TypeSpec } from '../key-value.js'
import { ExpiringFields } from './expiring-fields.js'
import type { TreeHome } from './expiring-fields.js'

/** Up to where a hash is a listpack: hash-max-listpack-entries and hash-max-listpack-value. */
export interface ListpackLimits {
  entriesMax: number
  valueBytesMax: number
}

/** What hash-max-listpack-entries and -value are unless they are set. */
const LIMITS_DEFAULT: ListpackLimits = { entriesMax: 512, valueBytesMax: 64 }

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
    const { form } = this.contents
    return form === FORM.listpack ? 'listpack' : form === FORM.expiringListpack ? 'listpackex' : 'hashtable'
  }

  /** The value of a field (a latin1 string); bytes of it never change. */
  get(field: string): Content | undefined {
    return this.fields.get(field)
  }

  /**
   * Adds a field or replaces its value, which is taken over; says whether the field is new. What was to expire no
   * longer does, unless `keepsExpiry`.
   */
  set(field: string, value: Content, limits: ListpackLimits, keepsExpiry = false): boolean {
    const whole = this.contents
    const expiring = whole instanceof ExpiringFields ? whole : undefined
    const fields = this.fields
    if (!(fields instanceof PackedFields)) {
      if (!keepsExpiry) expiring?.persist(field)
      return fields.set(field, value)
    }
    this.willChange(whole)
    if (!keepsExpiry) expiring?.persist(field)
    const target = this.#formFor(fields, field, value, limits)
    const isNew = target.set(field, value)
    const tooMany = target.form === FORM.listpack && target.count > limits.entriesMax
    const settled = tooMany ? this.#unlisted(target as PackedFields, 0) : target
    this.didChange(expiring === undefined ? settled : expiring.moved(settled, this.#home))
    return isNew
  }

  override remove(field: string): boolean {
    const whole = this.contents
    if (!(whole instanceof ExpiringFields)) return super.remove(field)
    if (!whole.has(field)) return false
    this.willChange(whole)
    whole.delete(field)
    this.didChange(whole)
    return true
  }

  /** Unix ms at which a field expires; 0 for never, also when there is no such field. */
  expiryOf(field: string): number {
    const whole = this.contents
    return whole instanceof ExpiringFields ? whole.expiryOf(field) : 0
  }

  /** @param field one of the fields */
  setExpiry(field: string, atMs: number): void {
    const before = this.contents
    this.willChange(before)
    const whole = before instanceof ExpiringFields ? before : ExpiringFields.of(this.#plain, this.#home)
    whole.setExpiry(field, atMs)
    this.didChange(whole)
  }

  /** The field never expires from now on; whether it would have. */
  persist(field: string): boolean {
    const whole = this.contents
    if (!(whole instanceof ExpiringFields) || whole.expiryOf(field) === 0) return false
    this.willChange(whole)
    whole.persist(field)
    this.didChange(whole)
    return true
  }

  /** Unix ms of the first expiry of a field; 0 when none expires. */
  get soonestExpiryMs(): number {
    const whole = this.contents
    return whole instanceof ExpiringFields ? whole.soonestMs : 0
  }

  /** Up to `max` fields whose time has come, which are still there. */
  dueFields(nowMs: number, max: number): string[] {
    const whole = this.contents
    return whole instanceof ExpiringFields ? whole.due(nowMs, max) : []
  }

  protected override get fields(): Fields {
    const whole = this.contents
    return whole instanceof ExpiringFields ? whole.fields : whole
  }

  get #plain(): PackedFields | FieldTree {
    return this.fields as PackedFields | FieldTree
  }

  get #home(): TreeHome {
    return { rows: this.rows, object: this.object, touchHead: this.touchHead }
  }

  /** `fields`, or what they must become to take the field. */
  #formFor(fields: PackedFields, field: string, value: Content, limits: ListpackLimits): PackedFields | FieldTree {
    const { valueBytesMax } = limits
    if (fields.form === FORM.listpack && field.length <= valueBytesMax && value.length <= valueBytesMax) return fields
    return this.#unlisted(fields, field.length + value.length)
  }

  /** A hashtable in Redis' eyes, in the form that has room for another `bytes`. */
  #unlisted(fields: PackedFields, bytes: number): PackedFields | FieldTree {
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

  salvaged(step: () => void): HashValue | undefined {
    const whole = this.readableContents
    const fields = whole instanceof ExpiringFields ? whole.fields : whole
    if (!(fields instanceof FieldTree)) return undefined
    const twin = HashValue.create(this.rows)
    fields.eachWhole((field, value) => {
      twin.set(field, Buffer.from(value), LIMITS_DEFAULT)
      step()
    })
    if (!(whole instanceof ExpiringFields)) return twin
    whole.eachWholeExpiry((field, atMs) => {
      if (twin.has(field)) twin.setExpiry(field, atMs)
      step()
    })
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
      const expireAtMs = this.expiryOf(field)
      if (expireAtMs !== 0) feed(Buffer.from(`!!${expireAtMs}!!`))
    }
  }

  protected override copyOfTrees(fields: Fields): Fields {
    return fields instanceof ExpiringFields ? ExpiringFields.copyOf(fields, this.#home) : super.copyOfTrees(fields)
  }

  protected decodeOther(form: number, bytes: Buffer, what: string): Fields {
    if (form === FORM.expiringTree || form === FORM.expiringPacked || form === FORM.expiringListpack) {
      return ExpiringFields.decode(form as Form, bytes, this.#home, what)
    }
    throw new CorruptionError(`${what} has the unknown form ${form}`)
  }
}

export const hashType: TypeSpec = {
  name: 'hash',
  code: 5,
  load: (rows, objectId) => HashValue.stored(rows, objectId),
}
