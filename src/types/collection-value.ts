// A collection behind a key: one head row that holds all of it while it is small, and the roots of trees of pages
// afterwards. Small contents are evictable like strings: resident while dirty, read again on demand; of trees the head
// stays. Extended by: hashed/fields-value, zset/zset-value.
// Invariants: (1) the head is touched before any change; (2) contents are resident while the row is dirty; (3) the
// cache is told of every change of `cachedBytes`; (4) no value is empty between commands: its key goes with its last
// item.

import { CorruptionError, unlessDamaged } from '../base/errors.js'
import type { Inspection } from '../pages/inspection.js'
import { idKey, Row, StoreObject, Table } from '../store/row.js'
import type { Evictable, Rows } from '../store/rows.js'
import type { KeyValue, TypeName } from './key-value.js'

/** Row: version, form, then what the form's encode() gives. */
const VERSION = 1
const HEADER_BYTES = 2
/** Objects around the contents in memory, as measured. */
const VALUE_BYTES = 500

/** What a collection holds, in one of the forms of its type. */
export interface Contents {
  /** Frozen on disk, per type. */
  readonly form: number
  readonly count: number
  /** Bytes it holds in memory, or for trees in their pages; an estimate. */
  readonly memoryBytes: number
  /** The trees it is kept in; of a form that is all in the head row, undefined. */
  readonly trees?: Trees
  /** What follows the form in the head row. */
  encode(): Buffer
}

export interface Trees {
  readonly ids: readonly number[]
  /** Their pages leave the cache; the trees are not used afterwards. */
  release(): void
  /** As KeyValue.check(), of the trees; true when they are whole. */
  check(inspection: Inspection): boolean
}

export abstract class CollectionValue<C extends Contents> extends Row implements KeyValue, Evictable {
  abstract readonly type: TypeName
  usedTick = 0
  cacheSlot = -1
  cachedBytes = VALUE_BYTES
  readonly object: StoreObject
  #contents: C | undefined
  #admitted = false
  /** What of it the cache counts as held. */
  #heldBytes = 0

  /** @param contents undefined for a stored value, which is read when it is used */
  protected constructor(
    readonly rows: Rows,
    objectId: number,
    contents: C | undefined,
  ) {
    super()
    this.object = new StoreObject(objectId)
    this.#contents = contents
    this.#hold(VALUE_BYTES)
  }

  abstract get encoding(): string
  abstract copy(): KeyValue
  abstract salvaged(step: () => void): KeyValue | undefined
  abstract digest(feed: (bytes: Uint8Array) => void): void
  /** @param bytes what encode() gave. @throws CorruptionError */
  protected abstract decode(form: number, bytes: Buffer, what: string): C
  /** New trees with what `trees` holds. */
  protected abstract copyOfTrees(trees: C): C

  get count(): number {
    return this.contents.count
  }

  /** Bytes of what it holds, about; of trees those in their pages. */
  get contentBytes(): number {
    return this.contents.memoryBytes
  }

  /** Undefined when the head cannot be read. */
  protected get readableContents(): C | undefined {
    return unlessDamaged(() => this.contents, undefined)
  }

  protected get contents(): C {
    this.usedTick = this.rows.cache.tick
    return this.#contents ?? this.#read()
  }

  /** Before a change of `contents`, which are those of this value. */
  protected willChange(contents: C): void {
    this.rows.touch(this)
    this.#contents = contents // a full cache may have taken them back before they were dirty
  }

  /** After a change: `contents` are those of the value from now on, in this form or another. */
  protected didChange(contents: C): void {
    this.#contents = contents
    if (contents.trees !== undefined) return this.#leaveCache()
    const bytes = VALUE_BYTES + contents.memoryBytes
    if (this.#admitted) this.rows.cache.resized(this, bytes - this.cachedBytes)
    else this.#hold(bytes)
    this.cachedBytes = bytes
  }

  /** The contents of another value copied into this new one. */
  protected copyFrom(other: CollectionValue<C>): void {
    const source = other.contents
    this.rows.touch(this)
    this.didChange(
      source.trees === undefined ? this.decode(source.form, source.encode(), 'a copy') : this.copyOfTrees(source),
    )
  }

  /** For trees: called before a change of their roots. */
  protected readonly touchHead = () => this.rows.touch(this)

  #read(): C {
    const what = `head of ${this.type} ${this.object.id}`
    const row = this.rows.read(Table.Heads, this.rowKey())
    if (row === undefined) throw new CorruptionError(`${what} is missing`)
    if (row.length < HEADER_BYTES) throw new CorruptionError(`${what} is cut off`)
    if (row[0] !== VERSION) throw new CorruptionError(`${what} has version ${row[0]}, not ${VERSION}`)
    const contents = this.decode(row[1], row.subarray(HEADER_BYTES), what)
    this.#contents = contents
    if (contents.trees === undefined) {
      this.cachedBytes = VALUE_BYTES + contents.memoryBytes
      this.#admit()
    }
    return contents
  }

  #admit(): void {
    if (this.#admitted) return
    this.#admitted = true
    this.#hold(0)
    this.rows.cache.admit(this)
  }

  #leaveCache(): void {
    if (this.#admitted) this.rows.cache.forget(this)
    this.#admitted = false
    this.cachedBytes = VALUE_BYTES
    this.#hold(VALUE_BYTES)
  }

  #hold(bytes: number): void {
    this.rows.cache.heldBytes += bytes - this.#heldBytes
    this.#heldBytes = bytes
  }

  drop(): void {
    const trees = unlessDamaged(() => this.contents.trees, undefined)
    this.#leaveCache()
    trees?.release()
    this.#hold(0)
    this.rows.withdraw(this)
    this.rows.drop(this.object, trees?.ids ?? [])
    // As for strings: what no running checkpoint has to write is free at once.
    if (this.dirtyEpoch === 0 || this.dirtyEpoch === this.object.droppedEpoch) this.#contents = undefined
  }

  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    const { count, trees } = this.contents
    if (count === 0) inspection.found(`head of ${this.type} ${this.object.id} is empty`)
    trees?.check(inspection)
  }

  memoryUsage(): number {
    return VALUE_BYTES + this.contents.memoryBytes
  }

  evict(): boolean {
    if (this.dirtyEpoch !== 0) return false
    this.#contents = undefined
    this.#admitted = false
    this.#hold(VALUE_BYTES)
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
    const contents = this.contents
    return Buffer.concat([Buffer.from([VERSION, contents.form]), contents.encode()])
  }

  override rowBytes(): number {
    return this.cachedBytes
  }

  override onClean(): void {
    const contents = this.#contents
    if (contents !== undefined && contents.trees === undefined && this.object.droppedEpoch === 0) this.#admit()
  }
}
