// The large form of a hash or set: ordered pages of items by (hash of the field, field). Every operation costs O(log
// n); what is resident are descriptors and the pages the cache keeps. Used by: fields-value. Uses: pages, field-hash.

import { randomBytes } from 'node:crypto'
import { assert } from '../../base/assert.js'
import { CorruptionError } from '../../base/errors.js'
import { itemCodec } from '../../pages/item-page.js'
import type { ItemPage } from '../../pages/item-page.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import type { Position } from '../../pages/ordered-pages.js'
import { PAGE_KIND } from '../../pages/page.js'
import { checkTree } from '../../pages/tree-check.js'
import { wholePages } from '../../pages/whole-pages.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { Trees } from '../collection-value.js'
import { TreeRead } from '../long-read.js'
import type { LongRead } from '../long-read.js'
import { copyPages } from '../stream/tree-copy.js'
import { fieldIn, FieldHash, HASH_BYTES, keyAtPlace, PLACE_END, placeOf, SEED_BYTES } from './field-hash.js'
import { FORM } from './fields.js'
import type { Content, Fields } from './fields.js'

export type VisitField = (field: string, value: Content) => void

const CODEC = itemCodec(PAGE_KIND.fields)
const number = Buffer.alloc(8)

export class FieldTree implements Fields, Trees {
  readonly form = FORM.tree
  readonly #hash: FieldHash
  readonly #pages: OrderedPages<Buffer, ItemPage>
  /** What was looked up last, and where it is: a change mostly follows a look-up. Void after every change. */
  #lastField: string | undefined
  #last: Position<Buffer, ItemPage> | undefined

  private constructor(
    rows: Rows,
    owner: StoreObject,
    readonly seed: Buffer,
    touchHead: () => void,
    root?: Buffer,
  ) {
    this.#hash = new FieldHash(seed)
    this.#pages = new OrderedPages(rows, owner, CODEC, touchHead, root)
  }

  /** A new, empty tree. @param touchHead called before every change of what encode() gives */
  static create(rows: Rows, owner: StoreObject, touchHead: () => void): FieldTree {
    return new FieldTree(rows, owner, randomBytes(SEED_BYTES), touchHead)
  }

  /** @param bytes what encode() gave. @throws CorruptionError */
  static decode(rows: Rows, owner: StoreObject, touchHead: () => void, bytes: Buffer): FieldTree {
    if (bytes.length < SEED_BYTES) throw new CorruptionError(`head of object ${owner.id} is cut off`)
    return new FieldTree(rows, owner, bytes.subarray(0, SEED_BYTES), touchHead, bytes.subarray(SEED_BYTES))
  }

  /** A new tree with the fields of `other`, page by page. */
  static copyOf(other: FieldTree, rows: Rows, owner: StoreObject, touchHead: () => void): FieldTree {
    const copy = new FieldTree(rows, owner, other.seed, touchHead)
    copyPages(CODEC, other.#pages, copy.#pages)
    return copy
  }

  get count(): number {
    return this.#pages.count
  }

  get memoryBytes(): number {
    return this.#pages.bodyBytes
  }

  get trees(): Trees {
    return this
  }

  get ids(): readonly number[] {
    return [this.#pages.treeId]
  }

  has(field: string): boolean {
    return this.#find(field) !== undefined
  }

  get(field: string): Buffer | undefined {
    const found = this.#find(field)
    return found === undefined ? undefined : this.#pages.page(found.node).valueAt(found.index)
  }

  /** The value as a number, of a tree whose values putNumber() writes. */
  numberOf(field: string): number | undefined {
    const found = this.#find(field)
    return found === undefined ? undefined : this.#pages.page(found.node).numberAt(found.index)
  }

  set(field: string, value: Content): boolean {
    const found = this.#find(field)
    if (found === undefined) {
      this.#insert(field, value)
      return true
    }
    // The same value again makes nothing dirty: a member added twice, say.
    if (!this.#pages.page(found.node).holds(found.index, value)) {
      this.#lastField = undefined
      this.#pages.willChange(found.node).replace(found.index, value)
      this.#pages.changed(found.node)
    }
    return false
  }

  /** As set(), of a number that numberOf() gives: eight bytes, big-endian, changed in place. */
  putNumber(field: string, value: number): void {
    const found = this.#find(field)
    if (found === undefined) {
      number.writeDoubleBE(value)
      this.#insert(field, number)
    } else this.#pages.willChange(found.node).putNumber(found.index, value)
  }

  delete(field: string): boolean {
    const found = this.#find(field)
    if (found === undefined) return false
    this.#lastField = undefined
    this.#pages.willChange(found.node).removeRange(found.index, found.index + 1)
    this.#pages.changed(found.node)
    return true
  }

  #find(field: string): Position<Buffer, ItemPage> | undefined {
    if (field === this.#lastField) return this.#last
    this.#last = this.#pages.find(this.#hash.keyOf(field))
    this.#lastField = field
    return this.#last
  }

  #insert(field: string, value: Content): void {
    this.#lastField = undefined
    const key = this.#hash.keyOf(field)
    const node = this.#pages.nodeForInsert(key)
    this.#pages.page(node).set(key, value)
    this.#pages.changed(node)
  }

  at(rank: number): string {
    const found = this.#pages.at(rank)
    assert(found !== undefined, 'a rank lies below the count')
    return fieldIn(this.#pages.page(found.node).keyAt(found.index))
  }

  some(test: (field: string, value: Content) => boolean): boolean {
    for (let node = this.#pages.first(); node !== undefined; node = this.#pages.next(node)) {
      const page = this.#pages.page(node, Infinity)
      for (let i = 0; i < page.count; i++) if (test(fieldIn(page.keyAt(i)), page.valueAt(i))) return true
    }
    return false
  }

  scan(cursor: number, count: number, visit: (field: string, value: Content) => void): number {
    if (cursor >= PLACE_END) return 0
    let at: Position<Buffer, ItemPage> | undefined = this.#pages.seek(keyAtPlace(cursor), count)
    let given = 0
    let last = -1
    while (at !== undefined) {
      const page: ItemPage = this.#pages.page(at.node)
      for (let i: number = at.index; i < page.count; i++) {
        const key = page.keyAt(i)
        const place = placeOf(key)
        // Fields that share a place are given together: a cursor cannot point between them.
        if (given >= count && place !== last) return place
        visit(fieldIn(key), page.valueAt(i))
        given++
        last = place
      }
      const next = this.#pages.next(at.node)
      if (next !== undefined && given >= count && !mayContinue(next.firstKey, last)) return last + 1
      at = next === undefined ? undefined : { node: next, index: 0 }
    }
    return 0
  }

  /** All fields as they are now, in the order of some(). */
  longRead(): LongRead<VisitField> {
    return new TreeRead(this.#pages.snapshot(0, this.count), showFields)
  }

  encode(): Buffer {
    return Buffer.concat([this.seed, this.#pages.encodeRoot()])
  }

  /** The pages leave the cache; the tree is not used afterwards. */
  release(): void {
    this.#pages.release()
  }

  /** Visits the fields on pages that can be read. */
  eachWhole(visit: (field: string, value: Buffer) => void): void {
    for (const page of wholePages(this.#pages)) {
      for (let i = 0; i < page.count; i++) visit(fieldIn(page.keyAt(i)), page.valueAt(i))
    }
  }

  check(inspection: Inspection): boolean {
    return checkTree(this.#pages, inspection, {
      items: 'fields',
      each: (page, { what }) => {
        for (let i = 0; i < page.count; i++) {
          const key = page.keyAt(i)
          if (!key.equals(this.#hash.keyOf(fieldIn(key)))) inspection.found(`${what} has item ${i} at a wrong place`)
        }
      },
    })
  }
}

function showFields(page: ItemPage, from: number, to: number, visit: VisitField): void {
  for (let i = from; i < to; i++) visit(fieldIn(page.keyAt(i)), page.valueAt(i))
}

/**
 * A page behind place `last` may begin at that very place; its separator, a prefix of its first key, may be shorter.
 */
function mayContinue(separator: Buffer, last: number): boolean {
  const low = Buffer.alloc(HASH_BYTES)
  separator.copy(low)
  return placeOf(low) <= last
}
