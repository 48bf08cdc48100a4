// The fields of a hash of which some expire: one of the two forms of a hash, and beside it the expiries, in the form of
// a sorted set of the same size: by field for look-ups, by time for what is due. Made at the first expiry a hash is
// given, so that hashes without pay nothing. Used by: hash-value.
// Invariants: (1) every field with an expiry is one of the fields; (2) expiries are packed exactly while fields are.

import { CorruptionError } from '../../base/errors.js'
import { ByteReader } from '../../pages/byte-reader.js'
import { ByteWriter } from '../../pages/byte-writer.js'
import type { Inspection } from '../../pages/inspection.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { Trees } from '../collection-value.js'
import { FieldTree } from '../hashed/field-tree.js'
import { FORM } from '../hashed/fields.js'
import type { Content, Fields, Form } from '../hashed/fields.js'
import { PackedFields } from '../hashed/packed-fields.js'
import { PackedScores } from '../zset/packed-scores.js'
import { ScoreTree } from '../zset/score-tree.js'
import { ZSET_FORM } from '../zset/scored-members.js'
import type { ScoredMembers } from '../zset/scored-members.js'

/** Where trees of a hash are made. */
export interface TreeHome {
  readonly rows: Rows
  readonly object: StoreObject
  readonly touchHead: () => void
}

export class ExpiringFields implements Fields {
  readonly #expiries: ScoredMembers & { encode(): Buffer }

  private constructor(
    readonly fields: PackedFields | FieldTree,
    expiries: PackedScores | ScoreTree,
  ) {
    this.#expiries = expiries
  }

  /** Fields of which none expires yet. */
  static of(fields: PackedFields | FieldTree, home: TreeHome): ExpiringFields {
    if (fields instanceof PackedFields) return new ExpiringFields(fields, new PackedScores(ZSET_FORM.packed))
    return new ExpiringFields(fields, ScoreTree.create(home.rows, home.object, home.touchHead))
  }

  /** @param bytes what encode() gave. @throws CorruptionError */
  static decode(form: Form, bytes: Buffer, home: TreeHome, what: string): ExpiringFields {
    const { rows, object, touchHead } = home
    const reader = new ByteReader(bytes, what)
    const fieldBytes = reader.sized()
    const expiryBytes = reader.sized()
    reader.end()
    const whole =
      form === FORM.expiringTree
        ? new ExpiringFields(
            FieldTree.decode(rows, object, touchHead, fieldBytes),
            ScoreTree.decode(rows, object, touchHead, expiryBytes, what),
          )
        : new ExpiringFields(
            PackedFields.decode(form === FORM.expiringListpack ? FORM.listpack : FORM.packed, fieldBytes, what),
            PackedScores.decode(ZSET_FORM.packed, expiryBytes, what),
          )
    if (whole.#expiries.count > whole.count) throw new CorruptionError(`${what} has more expiries than fields`)
    return whole
  }

  /** New trees with what those of `other` hold, page by page. */
  static copyOf(other: ExpiringFields, { rows, object, touchHead }: TreeHome): ExpiringFields {
    const fields = FieldTree.copyOf(other.fields as FieldTree, rows, object, touchHead)
    return new ExpiringFields(fields, ScoreTree.copyOf(other.#expiries as ScoreTree, rows, object, touchHead))
  }

  /** These expiries beside the same fields in another form. */
  moved(fields: PackedFields | FieldTree, home: TreeHome): ExpiringFields {
    if (fields === this.fields || fields instanceof PackedFields) return this
    const moved = ExpiringFields.of(fields, home)
    this.#expiries.some((field, atMs) => {
      moved.#expiries.set(field, atMs, undefined)
      return false
    })
    return moved
  }

  /** Visits the expiries that can be read, some of them twice. */
  eachWholeExpiry(visit: (field: string, atMs: number) => void): void {
    if (this.#expiries instanceof ScoreTree) this.#expiries.eachWhole(visit)
  }

  /** Unix ms at which the field expires; 0 for never. */
  expiryOf(field: string): number {
    return this.#expiries.scoreOf(field) ?? 0
  }

  /** @param field one of the fields */
  setExpiry(field: string, atMs: number): void {
    this.#expiries.set(field, atMs, this.#expiries.scoreOf(field))
  }

  /** The field, if it is one, never expires from now on; whether it would have. */
  persist(field: string): boolean {
    const atMs = this.#expiries.scoreOf(field)
    if (atMs === undefined) return false
    this.#expiries.delete(field, atMs)
    return true
  }

  /** Unix ms of the first expiry; 0 when there is none. */
  get soonestMs(): number {
    let soonest = 0
    if (this.#expiries.count > 0) this.#expiries.each(0, 1, (_field, atMs) => (soonest = atMs))
    return soonest
  }

  /** Up to `max` fields whose time has come, the first due first. */
  due(nowMs: number, max: number): string[] {
    const due: string[] = []
    this.#expiries.some((field, atMs) => {
      if (atMs > nowMs || due.length === max) return true
      due.push(field)
      return false
    })
    return due
  }

  get form(): Form {
    if (this.fields instanceof FieldTree) return FORM.expiringTree
    return this.fields.form === FORM.listpack ? FORM.expiringListpack : FORM.expiringPacked
  }

  get count(): number {
    return this.fields.count
  }

  get memoryBytes(): number {
    return this.fields.memoryBytes + this.#expiries.memoryBytes
  }

  get trees(): Trees | undefined {
    const { trees } = this.fields as Fields
    const others = this.#expiries.trees
    if (trees === undefined || others === undefined) return undefined
    return {
      ids: [...trees.ids, ...others.ids],
      release() {
        trees.release()
        others.release()
      },
      check: inspection => this.#check(trees, others, inspection),
    }
  }

  #check(trees: Trees, others: Trees, inspection: Inspection): boolean {
    const fieldsWhole = trees.check(inspection)
    const expiriesWhole = others.check(inspection)
    const strange = (field: string) => !this.fields.has(field)
    if (!fieldsWhole || !expiriesWhole || !this.#expiries.some(strange)) return fieldsWhole && expiriesWhole
    inspection.found('a field expires that the hash does not have')
    return false
  }

  has(field: string): boolean {
    return this.fields.has(field)
  }

  get(field: string): Content | undefined {
    return this.fields.get(field)
  }

  set(field: string, value: Content): boolean {
    return this.fields.set(field, value)
  }

  delete(field: string): boolean {
    if (!this.fields.has(field)) return false
    this.persist(field)
    return this.fields.delete(field)
  }

  at(rank: number): string {
    return this.fields.at(rank)
  }

  some(test: (field: string, value: Content) => boolean): boolean {
    return this.fields.some(test)
  }

  scan(cursor: number, count: number, visit: (field: string, value: Content) => void): number {
    return this.fields.scan(cursor, count, visit)
  }

  /** Fields and expiries, each behind its length, as their forms encode themselves. */
  encode(): Buffer {
    const fields = this.fields.encode()
    const expiries = this.#expiries.encode()
    const writer = new ByteWriter(16 + fields.length + expiries.length)
    writer.sized(fields)
    writer.sized(expiries)
    return writer.done()
  }
}
