// A hash or a set: a collection of fields. Used by: hash/hash-value, set/set-value. Uses: collection-value (residency),
// the forms (packed-fields, field-tree).

import { assert } from '../../base/assert.js'
import { CollectionValue } from '../collection-value.js'
import type { LongRead } from '../long-read.js'
import { FieldTree } from './field-tree.js'
import type { VisitField } from './field-tree.js'
import { FORM } from './fields.js'
import type { Content, Fields } from './fields.js'
import { PackedFields } from './packed-fields.js'

export abstract class FieldsValue extends CollectionValue<Fields> {
  /** Decodes a form other than those that both types have. @throws CorruptionError */
  protected abstract decodeOther(form: number, bytes: Buffer, what: string): Fields

  has(field: string): boolean {
    return this.fields.has(field)
  }

  /** Removes a field; false when there is none. The caller removes the key of a value that becomes empty. */
  remove(field: string): boolean {
    const fields = this.fields
    if (fields instanceof FieldTree) return fields.delete(field)
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

  /** All fields as they are now, in the order of each(); undefined while they are few. */
  longRead(): LongRead<VisitField> | undefined {
    const fields = this.fields
    return fields instanceof FieldTree ? fields.longRead() : undefined
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
    return this.contents
  }

  protected makeTree(): FieldTree {
    return FieldTree.create(this.rows, this.object, this.touchHead)
  }

  protected copyOfTrees(fields: Fields): Fields {
    assert(fields instanceof FieldTree, 'of these forms one is a tree')
    return FieldTree.copyOf(fields, this.rows, this.object, this.touchHead)
  }

  protected decode(form: number, bytes: Buffer, what: string): Fields {
    if (form === FORM.tree) return FieldTree.decode(this.rows, this.object, this.touchHead, bytes)
    if (form === FORM.packed || form === FORM.listpack) return PackedFields.decode(form, bytes, what)
    return this.decodeOther(form, bytes, what)
  }
}
