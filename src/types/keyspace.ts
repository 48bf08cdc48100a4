// The key directory: every key of every database, in memory, with its type, expiry and object; persisted row by row in
// Table.Directory. Used by: exec, commands. Uses: database (keys of one number), slot (what SWAPDB and FLUSHDB move),
// database-map (the row that says which slot is whose), lazy-free (what is left of flushed databases, and of values
// that take long to drop).

import { assert } from '../base/assert.js'
import type { Clock } from '../base/clock.js'
import { Table } from '../store/row.js'
import type { Rows } from '../store/rows.js'
import type { Frequencies } from './access.js'
import { DatabaseMap } from './database-map.js'
import { Database } from './database.js'
import { damaged, decodeBorrowed, directoryPrefix } from './directory-row.js'
import type { DirectoryRow } from './directory-row.js'
import { KeyEntry } from './key-entry.js'
import type { KeyValue } from './key-value.js'
import { LazyFree } from './lazy-free.js'
import { Libraries } from './libraries.js'
import { Slot } from './slot.js'
import { specOf, typeByCode } from './types.js'

export { Database } from './database.js'
export { KeyEntry } from './key-entry.js'

/** Keys between two steps of a load. */
const LOAD_KEYS_PER_STEP = 512

export interface KeyspaceHooks {
  /** A key was found expired and has been removed: journal a DEL, notify 'expired', count it. */
  onExpired(db: Database, key: string): void
  /**
   * Fields of a hash were found expired and have been removed, with the key when they were its last: journal an HDEL,
   * notify 'hexpired', count them.
   */
  onFieldsExpired?(db: Database, key: string, fields: readonly string[], emptied: boolean): void
  /** A key appeared; for the 'new' notification. */
  onCreated?(db: Database, key: string): void
  /** find() met no key; for the 'keymiss' notification. */
  onMissed?(db: Database, key: string): void
}

export class Keyspace {
  hooks: KeyspaceHooks = { onExpired: () => undefined }
  /** The frozen clock of the running command; the executor sets it. */
  nowMs: number
  /** True during CLIENT PAUSE: what has expired is not seen, but not removed either. */
  expiryHeld = false
  /** True at replay: nothing expires by itself. */
  replaying = false
  readonly databases: readonly Database[]
  /** False while an access shall leave no trace in access times (CLIENT NO-TOUCH). */
  notesAccess = true
  /** Set under the LFU policies: then it is counted how often keys are used, instead of noted when. */
  frequencies: Frequencies | undefined
  /** Look-ups by find() and typed() that met a key, and that met none; for INFO. */
  hits = 0
  misses = 0

  /** Where values are made: `StringValue.create(keyspace.rows, …)`. */
  readonly rows: Rows
  /** The function libraries, which belong to no database. */
  readonly libraries: Libraries
  readonly #map: DatabaseMap
  readonly #lazyFree: LazyFree

  constructor(options: { rows: Rows; databases: number; clock: Clock }) {
    this.rows = options.rows
    this.libraries = new Libraries(options.rows)
    this.nowMs = options.clock.nowMs()
    this.#map = new DatabaseMap(options.rows, options.databases)
    this.#lazyFree = new LazyFree(slot => this.#map.buried(slot.number))
    const databases: Database[] = []
    for (let i = 0; i < options.databases; i++) {
      databases.push(new Database(this, i, new Slot(this.#map.slotOf(i), options.rows)))
    }
    this.databases = databases
  }

  /** The index must be one of the configured databases' (asserted). */
  database(index: number): Database {
    const db = this.databases[index]
    assert(db !== undefined, `database ${index} exists`)
    return db
  }

  noteAccess(entry: KeyEntry): void {
    if (this.frequencies === undefined) entry.accessMs = this.nowMs
    else this.frequencies.count(entry, this.nowMs)
  }

  noteCreation(entry: KeyEntry): void {
    if (this.frequencies === undefined) entry.accessMs = this.nowMs
    else this.frequencies.begin(entry, this.nowMs)
  }

  /** Another value under the same key, which stays as frequent as it was. */
  noteReplacement(entry: KeyEntry): void {
    if (this.frequencies === undefined) entry.accessMs = this.nowMs
  }

  /** SWAPDB. O(1). */
  swap(a: number, b: number): void {
    if (a === b) return
    this.#map.swap(a, b)
    this.database(a).exchangeSlots(this.database(b))
  }

  /** As loading(), in one go. */
  load(): void {
    for (const keys of this.loading()) void keys
  }

  /**
   * Reads the directory from the store, a few keys in each step; a step gives the number of keys so far.
   * @throws CorruptionError when a row contradicts itself or names a type that this version does not know
   */
  *loading(): Generator<number, void, undefined> {
    this.#map.load(this.databases.length)
    this.libraries.load()
    let keys = 0
    for (const db of this.databases) {
      const slot = new Slot(this.#map.slotOf(db.index), this.rows)
      db.reset(slot)
      keys = yield* this.#loadSlot(slot, keys, (entry, row) => db.adopt(entry, row))
    }
    for (const number of this.#map.deadSlots) {
      const slot = new Slot(number, this.rows)
      keys = yield* this.#loadSlot(slot, keys, entry => slot.keys.insert(entry))
      this.#lazyFree.add(slot)
    }
  }

  *#loadSlot(
    slot: Slot,
    keysBefore: number,
    take: (entry: KeyEntry, row: DirectoryRow) => void,
  ): Generator<number, number, undefined> {
    let keys = keysBefore
    for (const borrowed of this.rows.scanBorrowed(Table.Directory, directoryPrefix(slot.number))) {
      const row = decodeBorrowed(borrowed)
      const spec = typeByCode(row.typeCode)
      if (spec === undefined) throw damaged(borrowed, `type code ${row.typeCode} is unknown`)
      take(new KeyEntry(slot, row.name, spec, row.objectId), row)
      if (++keys % LOAD_KEYS_PER_STEP === 0) yield keys
    }
    return keys
  }

  /** For Database.flush: a fresh slot for the database; the old one is worked off by lazyFreeSome. */
  renewSlot(index: number, old: Slot): Slot {
    const slot = new Slot(this.#map.renew(index), this.rows)
    this.#lazyFree.add(old)
    return slot
  }

  /** What becomes of a value that no key names any more and that takes long to drop: a dead slot of its own. */
  bury(value: KeyValue): void {
    const slot = new Slot(this.#map.grave(), this.rows)
    const entry = new KeyEntry(slot, String(value.object.id), specOf(value), value)
    this.rows.touch(entry)
    slot.keys.insert(entry)
    this.#lazyFree.add(slot)
  }

  /** Objects dropped by flush() or buried whose slices are still to be worked off. */
  get lazyFreePending(): number {
    return this.#lazyFree.pending
  }

  /** Works off a bounded slice of it; true while there is more. */
  lazyFreeSome(max: number): boolean {
    return this.#lazyFree.some(max)
  }
}
