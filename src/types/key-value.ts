// What every value of a key has in common.

import type { Inspection } from '../pages/inspection.js'
import type { Rows } from '../store/rows.js'
import type { StoreObject } from '../store/row.js'

export type TypeName = 'string' | 'list' | 'set' | 'zset' | 'hash' | 'stream'

export interface KeyValue {
  readonly type: TypeName
  /** As OBJECT ENCODING says it. */
  readonly encoding: string
  readonly object: StoreObject
  /** How it comes back from the store, unless as its type's name says. */
  readonly spec?: TypeSpec
  /** Drops everything the value owns in the store, as far as it is not damaged. O(trees). */
  drop(): void
  /** About how many objects drop() has to see to, the value's own included; undefined is one. Quickly told. */
  readonly dropPieces?: number
  /**
   * Drops about `max` of those; true while there is more. Between two calls it may be written and read again, but
   * nobody uses it otherwise any more.
   */
  dropSome?(max: number): boolean
  /** A deep copy under a new object id, for COPY. */
  copy(): KeyValue
  /** Bytes of the value, in memory and on disk together, for MEMORY USAGE; an estimate from descriptors. */
  memoryUsage(): number
  /**
   * Feeds everything a client can see of the value, in pieces and an order that follow from the content alone (members
   * of a set sorted, say); for DEBUG DIGEST.
   */
  digest?(feed: (bytes: Uint8Array) => void): void
  /**
   * Reads all of the value and tells what it owns and what contradicts itself in it. The value must be clean.
   * @throws CorruptionError when nothing of it can be read
   */
  check(inspection: Inspection): void
  /**
   * A new value of what can be read of this one, for repair; undefined when that is nothing.
   * @param step called between two changes of it: what there is may be written then
   */
  salvaged(step: () => void): KeyValue | undefined
}

/** How a type, or a form of one, comes back from the store; registered in types/types.ts. */
export interface TypeSpec {
  readonly name: TypeName
  /** Code in directory rows. Frozen. */
  readonly code: number
  /** @param objectId key of its row in Heads */
  load(rows: Rows, objectId: number): KeyValue
  /** Drops a value that was never loaded. Given by types whose objects own nothing but their row in Heads. */
  dropUnloaded?(rows: Rows, objectId: number): void
}
