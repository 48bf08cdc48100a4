// One numbered database: its keys by name, with types, expiries and values. Keys are latin1 strings. Lazy expiry
// lives here: what find() and its kin give out is alive. Used by: keyspace, every command. Invariants: (1) an
// entry's row is touched before the entry changes; (2) an entry has a deadline exactly when its slot's heap holds
// it; (3) a removed entry is in no table and no heap, and its value was dropped or handed to the caller.

import { assert } from '../base/assert.js'
import { ReplyError, replyErrors, unlessDamaged } from '../base/errors.js'
import type { DirectoryRow } from './directory-row.js'
import { Deadline } from './expiry.js'
import type { HashValue } from './hash/hash-value.js'
import { KeyEntry } from './key-entry.js'
import type { KeyValue, TypeName } from './key-value.js'
import type { Keyspace } from './keyspace.js'
import type { Slot } from './slot.js'
import { specOf } from './types.js'

/** Expired keys that RANDOMKEY meets and removes before it gives up, so that one call stays short. */
const RANDOM_TRIES_MAX = 100

/** Objects of a value that are dropped by the command that removes it. */
const PIECES_AT_ONCE = 200

/** A value on its way to another key, with what goes with it. */
export interface Detached {
  readonly value: KeyValue
  readonly expireAtMs: number
  /** See access.ts. */
  readonly stamp: number
}

export class Database {
  readonly #keyspace: Keyspace
  #slot: Slot

  constructor(
    keyspace: Keyspace,
    readonly index: number,
    slot: Slot,
  ) {
    this.#keyspace = keyspace
    this.#slot = slot
  }

  /** Keys, those included that have expired and were not met yet. */
  get size(): number {
    return this.#slot.keys.size
  }

  /** Number of keys with an expiry. */
  get expiringCount(): number {
    return this.#slot.expiries.size
  }

  /** Mean time to live of the keys with an expiry, in ms; estimated from a sample. */
  averageTtlMs(): number {
    return this.#slot.expiries.meanTtlMs(this.#keyspace.nowMs)
  }

  /** The live entry of a key; an expired one is removed first (not at replay). Counts hit or miss, notes the access. */
  find(key: string): KeyEntry | undefined {
    const entry = this.findUntouched(key)
    if (entry !== undefined && this.#keyspace.notesAccess) this.#keyspace.noteAccess(entry)
    return entry
  }

  /** As find(), without noting the access: TTL, EXISTS, TYPE. */
  findUntouched(key: string): KeyEntry | undefined {
    const entry = this.peek(key)
    if (entry === undefined) {
      this.#keyspace.misses++
      this.#keyspace.hooks.onMissed?.(this, key)
      return undefined
    }
    this.#keyspace.hits++
    return entry
  }

  /** As find(), without counting: Redis counts the look-ups of reading commands only. */
  findToWrite(key: string): KeyEntry | undefined {
    const entry = this.peek(key)
    if (entry !== undefined && this.#keyspace.notesAccess) this.#keyspace.noteAccess(entry)
    return entry
  }

  /** As find() without statistics and access time. */
  peek(key: string): KeyEntry | undefined {
    const entry = this.#slot.keys.find(key)
    if (entry !== undefined && entry.deadline !== undefined && this.#isDue(entry.deadline)) {
      if (!this.#keyspace.expiryHeld) this.#expire(entry)
      return undefined
    }
    if (entry === undefined || this.#slot.fieldDeadlines.size === 0) return entry
    return this.#expireFields(entry, Infinity) ? entry : undefined
  }

  /** See KeyTable.nameOf(). */
  nameOf(bytes: Buffer, from: number, length: number): string | undefined {
    return this.#slot.keys.nameOf(bytes, from, length)
  }

  /** The entry as it lies there: one whose time has come too. */
  held(key: string): KeyEntry | undefined {
    return this.#slot.keys.find(key)
  }

  /** The value if it has this type; found as by find(). @throws ReplyError WRONGTYPE */
  typed<T extends KeyValue>(key: string, type: TypeName): T | undefined {
    return valueOf<T>(this.find(key), type)
  }

  /** As typed(), found as by findToWrite(). */
  typedToWrite<T extends KeyValue>(key: string, type: TypeName): T | undefined {
    return valueOf<T>(this.findToWrite(key), type)
  }

  /** Puts a new or replacing value; the old one is dropped, its expiry goes. Not for changes inside a value. */
  put(key: string, value: KeyValue): KeyEntry {
    const spec = specOf(value)
    let entry = this.#slot.keys.find(key)
    if (entry === undefined) {
      entry = new KeyEntry(this.#slot, key, spec, value)
      this.#slot.rows.touchNew(entry)
      this.#slot.keys.insert(entry)
      this.#keyspace.noteCreation(entry)
      this.#keyspace.hooks.onCreated?.(this, key)
    } else {
      this.#slot.rows.touch(entry)
      this.#clearDeadline(entry)
      this.#clearFieldDeadline(entry)
      assert(entry.objectId !== value.object.id, 'a value is put once')
      this.#dropValue(entry)
      entry.replace(spec, value)
      this.#keyspace.noteReplacement(entry)
    }
    if (value.type === 'hash') this.noteFieldExpiry(entry, (value as HashValue).soonestExpiryMs)
    return entry
  }

  /** Removes a key and drops its value. False when there was none. */
  remove(key: string): boolean {
    const entry = this.#slot.keys.find(key)
    if (entry === undefined) return false
    this.#removeEntry(entry)
    this.#dropValue(entry)
    return true
  }

  /** Takes the value out without dropping it (RENAME, MOVE): the caller puts it elsewhere. */
  detach(key: string): Detached | undefined {
    const entry = this.#slot.keys.find(key)
    if (entry === undefined) return undefined
    const taken = { value: entry.value, expireAtMs: entry.expireAtMs, stamp: entry.stamp }
    this.#removeEntry(entry)
    return taken
  }

  /** @param atMs Unix ms, may be past: then the key goes when it is next met; 0 takes the expiry away */
  setExpiry(entry: KeyEntry, atMs: number): void {
    assert(entry.slot === this.#slot, 'the entry is of this database')
    this.#slot.rows.touch(entry)
    if (atMs === 0) {
      this.#clearDeadline(entry)
    } else if (entry.deadline === undefined) {
      const deadline = new Deadline(entry, atMs)
      entry.setDeadline(deadline)
      this.#slot.expiries.add(deadline)
    } else {
      this.#slot.expiries.move(entry.deadline, atMs)
    }
  }

  /** A field of the hash behind `entry` expires at `atMs`, maybe before all others; 0 is none. */
  noteFieldExpiry(entry: KeyEntry, atMs: number): void {
    const known = this.#slot.fieldDeadlines.get(entry)
    if (atMs !== 0 && (known === undefined || atMs < known.atMs)) this.#setFieldDeadline(entry, atMs)
  }

  /** Removes all keys; O(1) for the caller, objects are dropped in background slices. Returns how many there were. */
  flush(): number {
    const count = this.#slot.keys.size
    if (count > 0) this.#slot = this.#keyspace.renewSlot(this.index, this.#slot)
    return count
  }

  /** Every live key, in no order. The database must not change meanwhile. */
  *keys(): Iterable<KeyEntry> {
    for (const entry of this.#slot.keys.entries()) {
      if (entry.deadline === undefined || !this.#isDue(entry.deadline)) yield entry
    }
  }

  /** As scan(), but what has expired is left where it is and given as well: a look changes nothing. */
  look(cursor: bigint, count: number): { cursor: bigint; entries: KeyEntry[] } {
    const entries: KeyEntry[] = []
    return { cursor: BigInt(this.#slot.keys.scan(Number(cursor), count, entries)), entries }
  }

  /**
   * Stateless SCAN: a cursor (unsigned 64-bit; 0 begins and ends) to the next cursor and some entries, `count` or a few
   * more. A key that is there from the first call to the last is given at least once. Expired keys met are removed.
   */
  scan(cursor: bigint, count: number): { cursor: bigint; entries: KeyEntry[] } {
    const met: KeyEntry[] = []
    // A cursor beyond the hash space is none of ours; Redis too takes any number and goes on somewhere.
    const next = this.#slot.keys.scan(Number(cursor & 0xffffffffn), count, met)
    const entries = met.filter(entry => {
      if (entry.deadline === undefined || !this.#isDue(entry.deadline)) return true
      if (!this.#keyspace.expiryHeld) this.#expire(entry)
      return false
    })
    return { cursor: BigInt(next), entries }
  }

  /** A live key, each with the same chance; `pick` gives [0, 1). */
  random(pick: () => number): KeyEntry | undefined {
    for (let tries = 0; tries < RANDOM_TRIES_MAX; tries++) {
      const entry = this.#slot.keys.random(pick)
      if (entry === undefined || entry.deadline === undefined || !this.#isDue(entry.deadline)) return entry
      if (!this.#keyspace.expiryHeld) this.#expire(entry)
    }
    return undefined
  }

  /** A key as eviction draws it, which may have expired: of all, or of those with an expiry. */
  sample(volatile: boolean, pick: () => number): KeyEntry | undefined {
    const { keys, expiries } = this.#slot
    return volatile ? expiries.at(Math.floor(pick() * expiries.size))?.entry : keys.random(pick)
  }

  /** The key that expires first, or has already. */
  soonestToExpire(): KeyEntry | undefined {
    return this.#slot.expiries.soonest()?.entry
  }

  /** Whether the entry is still one of this database. */
  holds(entry: KeyEntry): boolean {
    return entry.slot === this.#slot && !entry.removed
  }

  /** Removes up to `max` expired keys; returns how many, and whether more are waiting. For the expire cycle. */
  expireSome(max: number): { removed: number; more: boolean } {
    let removed = 0
    for (;;) {
      const soonest = this.#slot.expiries.soonest()
      if (soonest === undefined || !this.#isDue(soonest)) return { removed, more: false }
      if (removed === max) return { removed, more: true }
      this.#expire(soonest.entry)
      removed++
    }
  }

  /** Removes up to `max` fields of hashes whose time has come; true when more may be waiting. For the expire cycle. */
  expireFieldsSome(max: number): boolean {
    const soonest = this.#slot.fieldExpiries.soonest()
    if (soonest === undefined || !this.#isFieldDue(soonest.atMs)) return false
    const done = unlessDamaged(() => {
      this.#expireFields(soonest.entry, max)
      return true
    }, false)
    // Of a damaged hash nothing expires before the next start; commands on it are refused.
    if (!done) this.#clearFieldDeadline(soonest.entry)
    return true
  }

  /** Hashes with fields that expire. */
  get expiringFieldsCount(): number {
    return this.#slot.fieldDeadlines.size
  }

  /** For Keyspace.swap. */
  exchangeSlots(other: Database): void {
    const slot = this.#slot
    this.#slot = other.#slot
    other.#slot = slot
  }

  /** For Keyspace.load: a key as its row has it, without touching anything. */
  adopt(entry: KeyEntry, { expireAtMs, fieldsExpireAtMs }: DirectoryRow): void {
    this.#slot.keys.insert(entry)
    if (fieldsExpireAtMs !== 0) this.#armFieldDeadline(entry, fieldsExpireAtMs)
    this.#keyspace.noteCreation(entry)
    if (expireAtMs === 0) return
    const deadline = new Deadline(entry, expireAtMs)
    entry.setDeadline(deadline)
    this.#slot.expiries.add(deadline)
  }

  /** For Keyspace.load. */
  reset(slot: Slot): void {
    this.#slot = slot
  }

  #isDue(deadline: Deadline): boolean {
    return this.#keyspace.nowMs > deadline.atMs && !this.#keyspace.replaying
  }

  #isFieldDue(atMs: number): boolean {
    const { nowMs, replaying, expiryHeld } = this.#keyspace
    return nowMs >= atMs && !replaying && !expiryHeld
  }

  /** Removes up to `max` due fields of a key; false when the key went with its last one. */
  #expireFields(entry: KeyEntry, max: number): boolean {
    const deadline = this.#slot.fieldDeadlines.get(entry)
    if (deadline === undefined || !this.#isFieldDue(deadline.atMs)) return true
    const hash = entry.value as HashValue
    const due = hash.dueFields(this.#keyspace.nowMs, max)
    for (const field of due) hash.remove(field)
    const emptied = hash.count === 0
    if (emptied) {
      this.#removeEntry(entry)
      this.#dropValue(entry)
    } else {
      this.#setFieldDeadline(entry, hash.soonestExpiryMs)
    }
    if (due.length > 0) this.#keyspace.hooks.onFieldsExpired?.(this, entry.name, due, emptied)
    return !emptied
  }

  /** Sets when a hash is looked at next for fields that are due; 0 for never. */
  #setFieldDeadline(entry: KeyEntry, atMs: number): void {
    const known = this.#slot.fieldDeadlines.get(entry)
    if (known?.atMs === atMs) return
    this.#slot.rows.touch(entry)
    if (atMs === 0) this.#clearFieldDeadline(entry)
    else if (known === undefined) this.#armFieldDeadline(entry, atMs)
    else this.#slot.fieldExpiries.move(known, atMs)
  }

  #armFieldDeadline(entry: KeyEntry, atMs: number): void {
    const deadline = new Deadline(entry, atMs)
    this.#slot.fieldDeadlines.set(entry, deadline)
    this.#slot.fieldExpiries.add(deadline)
  }

  #clearFieldDeadline(entry: KeyEntry): void {
    const deadline = this.#slot.fieldDeadlines.get(entry)
    if (deadline === undefined) return
    this.#slot.fieldExpiries.remove(deadline)
    this.#slot.fieldDeadlines.delete(entry)
  }

  #expire(entry: KeyEntry): void {
    this.#removeEntry(entry)
    this.#dropValue(entry)
    this.#keyspace.hooks.onExpired(this, entry.name)
  }

  #removeEntry(entry: KeyEntry): void {
    if (!this.#slot.rows.withdraw(entry)) this.#slot.rows.touch(entry)
    this.#slot.keys.remove(entry)
    this.#clearDeadline(entry)
    this.#clearFieldDeadline(entry)
    entry.leave()
  }

  /** Drops the value of an entry that has left, or gets another. What would take long is left to the background. */
  #dropValue(entry: KeyEntry): void {
    if (entry.dropPieces > PIECES_AT_ONCE) this.#keyspace.bury(entry.value)
    else entry.dropValue()
  }

  #clearDeadline(entry: KeyEntry): void {
    if (entry.deadline === undefined) return
    this.#slot.expiries.remove(entry.deadline)
    entry.setDeadline(undefined)
  }
}

function valueOf<T extends KeyValue>(entry: KeyEntry | undefined, type: TypeName): T | undefined {
  if (entry === undefined) return undefined
  if (entry.type !== type) throw new ReplyError(replyErrors.wrongType)
  return entry.value as T
}
