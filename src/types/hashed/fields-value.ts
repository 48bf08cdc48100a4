// A hash or a set: one head row that holds all fields while they are small, and the root of a tree of pages afterwards.
// Small contents are evictable like strings: resident while dirty, read again on demand; of a tree the head stays.
// Used by: hash/hash-value, set/set-value. Uses: the forms (packed-fields, field-tree).
// Invariants: (1) the head is touched before any change; (2) content is resident while the row is dirty; (3) the cache is
// told of every change of `cachedBytes`; (4) no value is empty between commands: its key goes with its last field.

import { CorruptionError } from '../../base/errors.js'
import { idKey, Row, StoreObject, Table } from '../../store/row.js'
import type { Evictable, Rows } from '../../store/rows.js'
import type { KeyValue, TypeName } from '../key-value.js'
import { FieldTree } from './field-tree.js'
import { FORM } from './fields.js'
import type { Content, Fields, Form } from './fields.js'
import { PackedFields } from './packed-fields.js'

/** Row: version, form, then what the form's encode() gives. */
const VERSION = 1
const HEADER_BYTES = 2
/** Objects around the content in memory, about. */
const VALUE_BYTES = 200

export abstract class FieldsValue extends Row implements KeyValue, Evictable {
  abstract readonly type: TypeName
  usedTick = 0
  cachedBytes = VALUE_BYTES
  readonly object: StoreObject
  #fields: Fields | undefined
  #admitted = false

  /** @param fields undefined for a stored value, which is read when it is used */
  protected constructor(
    readonly rows: Rows,
    objectId: number,
    fields: Fields | undefined,
  ) {
    super()
    this.object = new StoreObject(objectId)
    this.#fields = fields
  }

  abstract get encoding(): string
  abstract copy(): KeyValue
  abstract digest(feed: (bytes: Uint8Array) => void): void
  /** Decodes a form other than those that both types have. @throws CorruptionError */
  protected abstract decodeOther(form: number, bytes: Buffer, what: string): Fields

  get count(): number {
    return this.fields.count
  }

  has(field: string): boolean {
    return this.fields.has(field)
  }

  /** Removes a field; false when there is none. The caller removes the key of a value that becomes empty. */
  remove(field: string): boolean {
    const fields = this.fields
    if (!fields.has(field)) return false
    this.willChange(fields)
    fields.delete(field)
    this.didChange(fields)
    return true
  }

  /** The field at `rank` (0 to count - 1), in the order of each(). */
  at(rank: number): string {
    return this.fields.at(rank)
  }

  /** The fields at these ranks. */
  atRanks(ranks: readonly number[]): string[] {
    const fields = this.fields
    if (fields.form === FORM.tree || ranks.length === 1) return ranks.map(rank => fields.at(rank))
    const all: string[] = []
    fields.some(field => {
      all.push(field)
      return false
    })
    return ranks.map(rank => all[rank])
  }

  /** Calls `visit` with each field; the value must not change meanwhile. */
  each(visit: (field: string, value: Content) => void): void {
    this.fields.some((field, value) => {
      visit(field, value)
      return false
    })
  }

  /** Calls `test` with each field until it says true; whether it did. */
  some(test: (field: string, value: Content) => boolean): boolean {
    return this.fields.some(test)
  }

  /** One step of a stateless scan; see Fields.scan. */
  scan(cursor: number, count: number, visit: (field: string, value: Content) => void): number {
    return this.fields.scan(cursor, count, visit)
  }

  protected get fields(): Fields {
    this.usedTick = this.rows.cache.tick
    return this.#fields ?? this.#read()
  }

  /** Before a change of `fields`, which are those of this value. */
  protected willChange(fields: Fields): void {
    this.rows.touch(this)
    this.#fields = fields // a full cache may have taken them back before they were dirty
  }

  /** After a change: `fields` are those of the value from now on, in this form or another. */
  protected didChange(fields: Fields): void {
    this.#fields = fields
    if (fields.form === FORM.tree) return this.#leaveCache()
    const bytes = VALUE_BYTES + fields.memoryBytes
    if (this.#admitted) this.rows.cache.resized(this, bytes - this.cachedBytes)
    this.cachedBytes = bytes
  }

  protected makeTree(): FieldTree {
    return FieldTree.create(this.rows, this.object, this.#touch)
  }

  /** The fields of another value copied into this new one. */
  protected copyFrom(other: FieldsValue): void {
    const source = other.fields
    this.rows.touch(this)
    this.didChange(
      source instanceof FieldTree
        ? FieldTree.copyOf(source, this.rows, this.object, this.#touch)
        : this.#decode(source.form, source.encode(), 'a copy'),
    )
  }

  readonly #touch = () => this.rows.touch(this)

  #read(): Fields {
    const what = `head of ${this.type} ${this.object.id}`
    const row = this.rows.read(Table.Heads, this.rowKey())
    if (row === undefined) throw new CorruptionError(`${what} is missing`)
    if (row.length < HEADER_BYTES) throw new CorruptionError(`${what} is cut off`)
    if (row[0] !== VERSION) throw new CorruptionError(`${what} has version ${row[0]}, not ${VERSION}`)
    const fields = this.#decode(row[1], row.subarray(HEADER_BYTES), what)
    this.#fields = fields
    if (fields.form !== FORM.tree) {
      this.cachedBytes = VALUE_BYTES + fields.memoryBytes
      this.#admit()
    }
    return fields
  }

  #decode(form: Form | number, bytes: Buffer, what: string): Fields {
    if (form === FORM.tree) return FieldTree.decode(this.rows, this.object, this.#touch, bytes)
    if (form === FORM.packed || form === FORM.listpack) return PackedFields.decode(form, bytes, what)
    return this.decodeOther(form, bytes, what)
  }

  #admit(): void {
    if (this.#admitted) return
    this.#admitted = true
    this.rows.cache.admit(this)
  }

  #leaveCache(): void {
    if (this.#admitted) this.rows.cache.forget(this)
    this.#admitted = false
    this.cachedBytes = VALUE_BYTES
  }

  drop(): void {
    const fields = this.fields
    this.#leaveCache()
    if (fields instanceof FieldTree) {
      fields.release()
      this.rows.drop(this.object, [fields.treeId])
    } else {
      this.rows.drop(this.object, [])
    }
  }

  memoryUsage(): number {
    return VALUE_BYTES + this.fields.memoryBytes
  }

  evict(): boolean {
    if (this.dirtyEpoch !== 0) return false
    this.#fields = undefined
    this.#admitted = false
    return true
  }

  override get table(): Table {
    return Table.Heads
  }

  override get owner(): StoreObject {
    return this.object
  }

  override rowKey(): Buffer {
    return idKey(this.object.id)
  }

  override encodeRow(): Buffer {
    const fields = this.fields
    return Buffer.concat([Buffer.from([VERSION, fields.form]), fields.encode()])
  }

  override rowBytes(): number {
    return this.cachedBytes
  }

  override onClean(): void {
    const fields = this.#fields
    if (fields !== undefined && fields.form !== FORM.tree && this.object.droppedEpoch === 0) this.#admit()
  }
}
