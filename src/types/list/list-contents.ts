// What the forms of a list have in common. Implemented by packed-list (small) and list-tree (large).
// Used by: list-value.

import type { ElementPage } from '../../pages/element-page.js'
import type { Contents } from '../collection-value.js'

/** Forms on disk. Frozen: add, never change. */
export const LIST_FORM = { tree: 0, packed: 1 } as const

/** Sees elements [from, to) of a page, which must not change meanwhile; true ends the visit. */
export type PieceVisitor = (page: ElementPage, from: number, to: number) => boolean

/** Indexes are those of present elements; an insert also takes `count`. Values handed in are copied. */
export interface ListContents extends Contents {
  /** Bytes that never change. */
  at(index: number): Buffer
  /** Adds an element before the one at `index`, or at the end. */
  insert(index: number, value: Buffer): void
  replace(index: number, value: Buffer): void
  removeRange(from: number, to: number): void
  /** Shows elements [from, to) page by page; `backwards` begins with the last page. */
  visit(from: number, to: number, backwards: boolean, visitor: PieceVisitor): void
}
