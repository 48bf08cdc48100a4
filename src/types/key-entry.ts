// One key: its name, type, expiry and object. The Row of the directory. There may be tens of millions of them, so it
// has few fields and no closures; what only some keys have (an expiry, a loaded value) lies behind one reference.
// Used by: database, key-table, expiry.

import { assert } from '../base/assert.js'
import { unlessDamaged } from '../base/errors.js'
import { Row, StoreObject, Table } from '../store/row.js'
import { stampMs, stampOf } from './access.js'
import { encodeDirectoryKey, encodeDirectoryValue } from './directory-row.js'
import type { Deadline } from './expiry.js'
import type { KeyValue, TypeName, TypeSpec } from './key-value.js'
import type { Slot } from './slot.js'

/** Object header, fields and name of one entry in memory, about. */
const ENTRY_BYTES = 165
const DEADLINE_BYTES = 56

export class KeyEntry extends Row {
  /** Its expiry; set by Database, through setDeadline(). */
  deadline: Deadline | undefined = undefined
  /** When or how often it was used, see access.ts. */
  stamp = 0
  #spec: TypeSpec
  /** The value, or the object's id while the value is not loaded. */
  #held: KeyValue | number

  constructor(
    readonly slot: Slot,
    readonly name: string,
    spec: TypeSpec,
    held: KeyValue | number,
  ) {
    super()
    this.#spec = spec
    this.#held = held
    slot.rows.cache.heldBytes += ENTRY_BYTES + name.length
  }

  get type(): TypeName {
    return this.#spec.name
  }

  /** Unix ms, or 0 for none. */
  get expireAtMs(): number {
    return this.deadline === undefined ? 0 : this.deadline.atMs
  }

  setDeadline(deadline: Deadline | undefined): void {
    const before = this.deadline === undefined ? 0 : DEADLINE_BYTES
    this.slot.rows.cache.heldBytes += (deadline === undefined ? 0 : DEADLINE_BYTES) - before
    this.deadline = deadline
  }

  /** It leaves the directory. The row has been touched. */
  leave(): void {
    this.setDeadline(undefined)
    this.removed = true
    this.slot.rows.cache.heldBytes -= ENTRY_BYTES + this.name.length
  }

  /** Unix ms of the last access, in whole seconds, for OBJECT IDLETIME and LRU. */
  get accessMs(): number {
    return stampMs(this.stamp)
  }
  set accessMs(ms: number) {
    this.stamp = stampOf(ms)
  }

  /** The object behind the key; loaded from the store on first use. */
  get value(): KeyValue {
    const held = this.#held
    return typeof held === 'number' ? this.#load(held) : held
  }

  /** False while only the object's id is in memory. */
  get loaded(): boolean {
    return typeof this.#held !== 'number'
  }

  get objectId(): number {
    return typeof this.#held === 'number' ? this.#held : this.#held.object.id
  }

  /** Another value behind the same key. The caller has touched the row and settles what becomes of the old value. */
  replace(spec: TypeSpec, value: KeyValue): void {
    this.#spec = spec
    this.#held = value
  }

  /** Drops the value, damaged or not; without loading it where its type can. */
  dropValue(): void {
    if (typeof this.#held === 'number' && this.#spec.dropUnloaded !== undefined) {
      this.#spec.dropUnloaded(this.slot.rows, this.#held)
    } else {
      // Of a value whose head is damaged no tree is known: its pages stay behind, and `millrace check` tells of them.
      const value = unlessDamaged(() => this.value, undefined)
      if (value === undefined) this.slot.rows.drop(new StoreObject(this.objectId), [])
      else value.drop()
    }
  }

  /** See KeyValue.dropPieces. Loads the value unless its type can do without. */
  get dropPieces(): number {
    if (!this.loaded && this.#spec.dropUnloaded !== undefined) return 1
    return unlessDamaged(() => this.value, undefined)?.dropPieces ?? 1
  }

  /** Drops about `max` pieces of a value that has more than that; true while there is more. */
  dropSome(max: number): boolean {
    const { value } = this
    assert(value.dropSome !== undefined, 'a value of many pieces is dropped in pieces')
    return value.dropSome(max)
  }

  #load(objectId: number): KeyValue {
    const value = this.#spec.load(this.slot.rows, objectId)
    this.#held = value
    return value
  }

  override get table(): Table {
    return Table.Directory
  }

  /** None: a key outlives the object it names, and its row must be deleted when the object is dropped. */
  override get owner(): StoreObject | undefined {
    return undefined
  }

  override rowKey(): Buffer {
    return encodeDirectoryKey(this.slot.number, this.name)
  }

  override encodeRow(): Buffer {
    return encodeDirectoryValue({
      name: this.name,
      typeCode: this.#spec.code,
      objectId: this.objectId,
      expireAtMs: this.expireAtMs,
      fieldsExpireAtMs: this.slot.fieldDeadlines.get(this)?.atMs ?? 0,
    })
  }

  override rowBytes(): number {
    return ENTRY_BYTES + this.name.length
  }
}
