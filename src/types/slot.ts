// A slot: the keys of one database under a number that stands in their directory rows. Databases point to slots, so
// SWAPDB exchanges two numbers, and FLUSHDB gives the database a fresh slot and leaves the old one to the lazy-free
// queue: rows of a dead slot can never be mistaken for those of a key made later.
// Used by: database, key-entry, lazy-free, database-map.

import type { Rows } from '../store/rows.js'
import { ExpiryHeap } from './expiry.js'
import type { Deadline } from './expiry.js'
import type { KeyEntry } from './key-entry.js'
import { KeyTable } from './key-table.js'

export class Slot {
  readonly keys = new KeyTable()
  readonly expiries = new ExpiryHeap()
  /** Of the hashes with fields that expire: no field of the key expires before. Few keys have one. */
  readonly fieldDeadlines = new Map<KeyEntry, Deadline>()
  readonly fieldExpiries = new ExpiryHeap()
  constructor(
    /** Unsigned 32-bit; never used twice in a data folder. */
    readonly number: number,
    readonly rows: Rows,
  ) {}
}
