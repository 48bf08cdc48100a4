// What the layers above need of the store; implemented by store.ts (LMDB, journal, checkpoint) and, for unit tests, by
// memory-rows.ts (a Map).

import type { PageMisses, RowRef } from './page-misses.js'
import type { Row, StoreObject, Table } from './row.js'

export interface Rows {
  /** Nothing may be changed: touch() and its like are not to be called. */
  readonly readOnly?: boolean
  /** A new id for an object or a tree; never given out twice in a data folder. */
  newId(): number
  /** Says that `row` is about to change. Cheap when the row is already dirty in this epoch. */
  touch(row: Row): void
  /** As touch(), of a row that was made just now, of which no checkpoint knows. */
  touchNew(row: Row): void
  /**
   * Forgets a row that is not needed any more, if it was added a moment ago: keys that come and go then leave nothing
   * behind. False when a checkpoint may know of it, or it was too long ago: the caller removes it as ever.
   */
  withdraw(row: Row): boolean
  /**
   * Reads a row as of the last committed checkpoint. Only right for rows that are not dirty in memory: the caller keeps
   * dirty rows resident. The bytes are the caller's own. Undefined when there is none.
   * @throws CorruptionError when its checksum does not hold; PageMiss when `misses` is armed
   */
  read(table: Table, key: Buffer): Buffer | undefined
  /** Asked at each read whether the command should come back when the row is in memory. */
  readonly misses: PageMisses
  /** Has rows read into memory off the main thread. Never rejects. */
  fetch(rows: readonly RowRef[]): Promise<void>
  /** Keeps the rows that are clean now readable as they are, until its close(). */
  view(): RowsView
  /**
   * All rows of `table` whose key begins with `prefix`, in key order; as read().
   * @param behind only those whose key is above this one
   */
  scan(table: Table, prefix: Buffer, behind?: Buffer): Iterable<{ key: Buffer; value: Buffer }>
  /** As scan(), without a copy of any row: whoever reads millions of them saves as many. */
  scanBorrowed(table: Table, prefix: Buffer): Iterable<BorrowedRow>
  /**
   * Drops `object` with every row that belongs to it: its head, its parts, and all pages and blocks of the trees named.
   * O(trees) for the caller; space is reclaimed in bounded background slices that survive restart.
   */
  drop(object: StoreObject, treeIds: readonly number[]): void
  /** Tells the page cache of bytes of clean, evictable memory. */
  readonly cache: PageCache
}

/** The store as it was at one moment. */
export interface RowsView {
  /** As Rows.read(), of rows that were clean when the view was opened. */
  read(table: Table, key: Buffer): Buffer | undefined
  /** Has these rows read off the main thread, so that read() need not wait for the disk. Never rejects for a row. */
  fetch(table: Table, keys: readonly Buffer[]): Promise<void>
  /** True when a row that was clean at that moment has not changed since: what is in memory may stand for it. */
  isUnchanged(row: Row): boolean
  close(): void
}

/** Something the page cache may throw away when it is clean. */
export interface Evictable {
  /** Set by the cache at each use; the cache evicts by second chance. */
  usedTick: number
  /** Its place among the cache's items, -1 while it is none of them. Owned by the cache. */
  cacheSlot: number
  /** Bytes it occupies. */
  readonly cachedBytes: number
  /** Frees the memory if it is clean, and says whether it did. */
  evict(): boolean
}

/** Bytes that are good until the next row is asked for, or anything is read: key[keyFrom, keyTo), value[0, valueTo). */
export interface BorrowedRow {
  readonly key: Buffer
  readonly keyFrom: number
  readonly keyTo: number
  /** May say another length. */
  readonly value: Buffer
  readonly valueTo: number
}

export interface PageCache {
  /** Adds something that was just read or has just become resident. */
  admit(item: Evictable): void
  /** Notes a use. Inlined by callers as `item.usedTick = cache.tick`. */
  readonly tick: number
  /** Corrects the byte count of an item that grew or shrank by `delta`. */
  resized(item: Evictable, delta: number): void
  /** Takes an item out whose memory is gone (its page was removed or its object dropped). */
  forget(item: Evictable): void
  readonly bytesUsed: number
  /**
   * Bytes in memory that are no item's: the directory, changed values, what stays of a value that was evicted. Whoever
   * holds them counts them, in place.
   */
  heldBytes: number
  /**
   * Evicts until so many bytes are free, or nothing clean is left, whatever the budget is. Between commands only.
   * Returns the bytes freed.
   */
  shed(bytes: number): number
  bytesMax: number
}
