// The small form of a list: one page of elements, all of it in the head row. Used by: list-value.

import { CorruptionError } from '../../base/errors.js'
import { elementBytes, ElementPage } from '../../pages/element-page.js'
import { LIST_FORM } from './list-contents.js'
import type { ListContents, PieceVisitor } from './list-contents.js'

/** The row fits one page of LMDB. */
const BYTES_MAX = 3_900
/** Bytes of the count before the elements. */
const COUNT_BYTES = 4

/** Page and tables around the elements in memory, as measured. */
const PAGE_OBJECT_BYTES = 380

export class PackedList implements ListContents {
  readonly form = LIST_FORM.packed

  constructor(readonly page: ElementPage) {}

  /** @throws CorruptionError */
  static decode(bytes: Buffer, what: string): PackedList {
    if (bytes.length < COUNT_BYTES) throw new CorruptionError(`${what} is cut off`)
    try {
      return new PackedList(ElementPage.decode(bytes.subarray(COUNT_BYTES), bytes.readUInt32BE(0)))
    } catch (error) {
      if (error instanceof CorruptionError) throw new CorruptionError(`${what}: ${error.message}`, { cause: error })
      throw error
    }
  }

  get count(): number {
    return this.page.count
  }

  get memoryBytes(): number {
    return PAGE_OBJECT_BYTES + this.page.memoryBytes
  }

  /** True when it stays small with another element of `length` bytes. */
  hasRoom(length: number): boolean {
    return this.page.bodyBytes + elementBytes(length) <= BYTES_MAX
  }

  at(index: number): Buffer {
    return this.page.at(index)
  }

  insert(index: number, value: Buffer): void {
    this.page.insert(index, value)
  }

  replace(index: number, value: Buffer): void {
    this.page.replace(index, value)
  }

  removeRange(from: number, to: number): void {
    this.page.removeRange(from, to)
  }

  visit(from: number, to: number, _backwards: boolean, visitor: PieceVisitor): void {
    if (from < to) visitor(this.page, from, to)
  }

  /** Four bytes of count, big-endian, then the elements as a page has them. */
  encode(): Buffer {
    const body = this.page.encodeBody()
    const bytes = Buffer.allocUnsafe(COUNT_BYTES + body.length)
    bytes.writeUInt32BE(this.page.count, 0)
    body.copy(bytes, COUNT_BYTES)
    return bytes
  }
}
