// A list: elements in an order that clients give. Used by: commands, types.
// Its form changes in one direction only: packed while it is small, then a tree. OBJECT ENCODING does not show it.

import { CorruptionError } from '../../base/errors.js'
import { ElementPage } from '../../pages/element-page.js'
import type { Rows } from '../../store/rows.js'
import { CollectionValue } from '../collection-value.js'
import type { TypeSpec } from '../key-value.js'
import { LIST_FORM } from './list-contents.js'
import type { ListContents, PieceVisitor } from './list-contents.js'
import type { LongRead } from '../long-read.js'
import { ListTree } from './list-tree.js'
import type { VisitElement } from './list-tree.js'
import { PackedList } from './packed-list.js'

export class ListValue extends CollectionValue<ListContents> {
  readonly type = 'list'

  /** A new, empty list, for a caller who adds to it at once. */
  static create(rows: Rows): ListValue {
    const list = new ListValue(rows, rows.newId(), new PackedList(ElementPage.empty()))
    rows.touchNew(list)
    return list
  }

  static stored(rows: Rows, objectId: number): ListValue {
    return new ListValue(rows, objectId, undefined)
  }

  get encoding(): string {
    return 'quicklist'
  }

  /** The element at `index` (0 to count - 1): bytes that never change. */
  at(index: number): Buffer {
    return this.contents.at(index)
  }

  pushFirst(value: Buffer): void {
    this.insert(0, value)
  }

  pushLast(value: Buffer): void {
    this.insert(this.count, value)
  }

  /** Adds an element (copied) before the one at `index`; at the end when that is `count`. */
  insert(index: number, value: Buffer): void {
    const contents = this.contents
    this.willChange(contents)
    const target = this.#withRoom(contents, value.length)
    target.insert(index, value)
    this.didChange(target)
  }

  /** Puts `value` (copied) in place of the element at `index`. */
  replace(index: number, value: Buffer): void {
    const contents = this.contents
    this.willChange(contents)
    const target = this.#withRoom(contents, value.length)
    target.replace(index, value)
    this.didChange(target)
  }

  /** Removes elements [from, to). The caller removes the key of a list that becomes empty. */
  removeRange(from: number, to: number): void {
    if (from >= to) return
    const contents = this.contents
    this.willChange(contents)
    contents.removeRange(from, to)
    this.didChange(contents)
  }

  /** Shows elements [from, to) page by page, see PieceVisitor; `backwards` begins with the last page. */
  visit(from: number, to: number, backwards: boolean, visitor: PieceVisitor): void {
    this.contents.visit(from, to, backwards, visitor)
  }

  /** Elements [from, to), of which there are some, as they are now; undefined while the list is small. */
  longRead(from: number, to: number): LongRead<VisitElement> | undefined {
    const contents = this.contents
    return contents instanceof ListTree ? contents.longRead(from, to) : undefined
  }

  /** Index of the first element that is `value`, or -1. */
  indexOf(value: Buffer): number {
    let before = 0
    let found = -1
    this.visit(0, this.count, false, (page, from, to) => {
      for (let i = from; i < to; i++) {
        if (!page.is(i, value)) continue
        found = before + i - from
        return true
      }
      before += to - from
      return false
    })
    return found
  }

  /** Removes the first `max` elements that are `value`, `backwards` the last ones; returns how many there were. */
  removeEqual(value: Buffer, max: number, backwards: boolean): number {
    const runs = this.#runsOf(value, max, backwards)
    let removed = 0
    // From the back to the front, so that the runs before stay where they are.
    for (let i = 0; i < runs.length; i += 2) {
      const at = backwards ? i : runs.length - 2 - i
      this.removeRange(runs[at], runs[at + 1])
      removed += runs[at + 1] - runs[at]
    }
    return removed
  }

  /** Where the first or last `max` elements are that are `value`: begin and end of each run, in the order met. */
  #runsOf(value: Buffer, max: number, backwards: boolean): number[] {
    const runs: number[] = []
    const step = backwards ? -1 : 1
    let at = backwards ? this.count - 1 : 0
    let left = max
    this.visit(0, this.count, backwards, (page, from, to) => {
      const end = backwards ? from - 1 : to
      for (let i = backwards ? to - 1 : from; i !== end && left > 0; i += step, at += step) {
        if (!page.is(i, value)) continue
        left--
        const open = runs.length - 2
        if (backwards && open >= 0 && runs[open] === at + 1) runs[open] = at
        else if (!backwards && open >= 0 && runs[open + 1] === at) runs[open + 1] = at + 1
        else runs.push(at, at + 1)
      }
      return left === 0
    })
    return runs
  }

  copy(): ListValue {
    const twin = ListValue.create(this.rows)
    twin.copyFrom(this)
    return twin
  }

  salvaged(step: () => void): ListValue | undefined {
    const contents = this.readableContents
    if (!(contents instanceof ListTree)) return undefined
    const twin = ListValue.create(this.rows)
    for (const page of contents.wholePages()) {
      for (let i = 0; i < page.count; i++) twin.pushLast(page.at(i))
      step()
    }
    return twin
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    this.visit(0, this.count, false, (page, from, to) => {
      for (let i = from; i < to; i++) {
        const value = page.at(i)
        feed(Buffer.from(`${value.length} `))
        feed(value)
      }
      return false
    })
  }

  protected decode(form: number, bytes: Buffer, what: string): ListContents {
    if (form === LIST_FORM.packed) return PackedList.decode(bytes, what)
    if (form !== LIST_FORM.tree) throw new CorruptionError(`${what} has the unknown form ${form}`)
    return new ListTree(this.rows, this.object, this.touchHead, bytes)
  }

  protected copyOfTrees(trees: ListContents): ListContents {
    const copy = new ListTree(this.rows, this.object, this.touchHead)
    copy.fillFrom(trees as ListTree)
    return copy
  }

  /** `contents`, or the tree they must become to take an element of `length` bytes. */
  #withRoom(contents: ListContents, length: number): ListContents {
    if (!(contents instanceof PackedList) || contents.hasRoom(length)) return contents
    const tree = new ListTree(this.rows, this.object, this.touchHead)
    if (contents.count > 0) tree.fillWith(contents.page)
    return tree
  }
}

export const listType: TypeSpec = {
  name: 'list',
  code: 2,
  load: (rows, objectId) => ListValue.stored(rows, objectId),
}
