// What the forms of a hash or set have in common: field names with values. A set is a hash whose values are empty.
// Implemented by packed-fields (small), field-tree (large) and set/integer-set. Used by: fields-value.

import type { Contents } from '../collection-value.js'

/** A value: a latin1 string or bytes that do not change. */
export type Content = string | Buffer

/** Forms on disk. Frozen: add, never change. */
export const FORM = {
  tree: 0,
  packed: 1,
  listpack: 2,
  integers: 3,
  expiringTree: 4,
  expiringPacked: 5,
  expiringListpack: 6,
} as const
export type Form = (typeof FORM)[keyof typeof FORM]

/** Names are latin1 strings, one character per byte. */
export interface Fields extends Contents {
  readonly form: Form
  has(field: string): boolean
  get(field: string): Content | undefined
  /**
   * Adds the field or replaces its value; says whether it is new. `value` is taken over. A tree touches its head
   * itself.
   */
  set(field: string, value: Content): boolean
  /** False when there is no such field. */
  delete(field: string): boolean
  /** The field at `rank` (0 to count - 1) of the order that some() has. */
  at(rank: number): string
  /** Calls `test` with each field until it says true; whether it did. Nothing may change meanwhile. */
  some(test: (field: string, value: Content) => boolean): boolean
  /**
   * Gives at least `count` fields from `cursor` on (fewer at the end) and returns the next cursor, 0 at the end. A
   * field that is there from the first call to the last is given at least once, whatever else happens.
   */
  scan(cursor: number, count: number, visit: (field: string, value: Content) => void): number
}
