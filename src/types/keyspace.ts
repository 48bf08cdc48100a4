// Contract; the implementation replaces this file.
//
// The key directory: every key of every database, in memory, with its type, expiry and object; persisted row by row in
// Table.Directory. Keys are latin1 strings (one character per byte).

import type { Row } from '../store/row.js'
import type { Rows } from '../store/rows.js'
import type { Clock } from '../base/clock.js'
import type { KeyValue, TypeName } from './key-value.js'

export interface KeyEntry extends Row {
  readonly name: string
  readonly type: TypeName
  /** Unix ms, or 0 for none. */
  readonly expireAtMs: number
  /** Clock reading of the last access, for OBJECT IDLETIME and LRU. */
  accessMs: number
  /** The object behind the key; loaded from the store on first use (its head only). */
  readonly value: KeyValue
}

export interface KeyspaceHooks {
  /** A key was found expired and has been removed: journal a DEL, notify 'expired', count it. */
  onExpired(db: Database, key: string): void
}

export declare class Database {
  readonly index: number
  readonly size: number
  /** Number of keys with an expiry, and their mean time to live in ms. */
  readonly expiringCount: number
  averageTtlMs(): number
  /** The live entry of a key; an expired one is removed first (not at replay). Counts hit or miss, notes the access. */
  find(key: string): KeyEntry | undefined
  /** As find() without statistics and access time. */
  peek(key: string): KeyEntry | undefined
  /** The value if it has this type. @throws ReplyError WRONGTYPE */
  typed<T extends KeyValue>(key: string, type: TypeName): T | undefined
  /** Puts a new or replacing value; the old one is dropped, its expiry goes. Not for changes inside a value. */
  put(key: string, value: KeyValue): KeyEntry
  /** Removes a key and drops its value. False when there was none. */
  remove(key: string): boolean
  /** Takes the value out without dropping it (RENAME, MOVE): the caller puts it elsewhere. */
  detach(key: string): { value: KeyValue; expireAtMs: number } | undefined
  setExpiry(entry: KeyEntry, atMs: number): void
  /** Removes all keys; O(1) for the caller, objects are dropped in background slices. Returns how many there were. */
  flush(): number
  keys(): Iterable<KeyEntry>
  /** Stateless SCAN: a cursor (unsigned 64-bit as decimal text) to the next cursor and some entries; complete under change. */
  scan(cursor: bigint, count: number): { cursor: bigint; entries: KeyEntry[] }
  random(pick: () => number): KeyEntry | undefined
  /** Removes up to `max` expired keys; returns how many, and whether more are waiting. For the expire cycle. */
  expireSome(max: number): { removed: number; more: boolean }
}

export declare class Keyspace {
  constructor(options: { rows: Rows; databases: number; clock: Clock })
  hooks: KeyspaceHooks
  /** The frozen clock of the running command; the executor sets it. */
  nowMs: number
  /** True at replay: nothing expires by itself. */
  replaying: boolean
  database(index: number): Database
  readonly databases: readonly Database[]
  swap(a: number, b: number): void
  /** Reads the directory from the store; calls `progress` now and then with the number of keys so far. */
  load(progress?: (keys: number) => void): void
  /** Objects dropped by flush() whose slices are still to be worked off. */
  readonly lazyFreePending: number
  /** Works off a bounded slice of it; true while there is more. */
  lazyFreeSome(max: number): boolean
}
