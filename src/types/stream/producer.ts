// What a stream remembers of one producer: the idempotent IDs it used lately and the entries they stand for. A Row of
// its own, so that a window that moved costs the rows of the producers that moved it. Used by: idempotence.
// Invariants: (1) entries are in the order in which they were added, and so are their times; (2) a producer has a
// number that no other of the stream ever has, and a row only while it has entries.
//
// Row in Table.Parts, key: stream's object id, 'p', number in 4 bytes. Version 1; frozen, see docs/format/stream.md.
// offset  size  field                          Entry, of 40 bytes: digest of the idempotent ID (16), ID of the stream's
//      0     1  version                        entry (16), when it was added, Unix ms (8). The first one is the oldest.
//      1     .  section: producer ID
//      .     .  section: entries

import { CorruptionError } from '../../base/errors.js'
import { getId, putId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { Row, Table } from '../../store/row.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { getCount, putCount } from './count.js'
import { numberedPartKey, PART, partNumberOf, partPrefix } from './part-key.js'
import { checkVersion, joinSections, splitSections } from './row-sections.js'

export const PRODUCER_VERSION = 1
export const PRODUCER = { VERSION: 0, SECTIONS: 1 } as const
/** Bytes of the digest that stands for an idempotent ID. */
export const DIGEST_BYTES = 16
export const IDEMPOTENT_ENTRY = { DIGEST: 0, ID: 16, ADDED_MS: 32, BYTES: 40 } as const
/** What a producer and an entry of its take in memory, about. */
const PRODUCER_BYTES = 400
const ENTRY_BYTES = 220

interface Remembered {
  readonly id: StreamId
  readonly addedMs: number
}

export class Producer extends Row {
  /** By digest (latin1), the oldest first. */
  readonly #entries = new Map<string, Remembered>()
  #lastMs = 0

  constructor(
    readonly rows: Rows,
    /** The stream's. */
    readonly object: StoreObject,
    readonly number: number,
    /** latin1. */
    readonly name: string,
  ) {
    super()
    rows.cache.heldBytes += PRODUCER_BYTES + name.length
  }

  /** @throws CorruptionError */
  static decode(rows: Rows, object: StoreObject, key: Buffer, value: Buffer): Producer {
    const what = `producer row ${key.toString('hex')}`
    checkVersion(value, PRODUCER.SECTIONS, PRODUCER_VERSION, what)
    const [name, entries] = splitSections(value, PRODUCER.SECTIONS, 2, what)
    const producer = new Producer(rows, object, partNumberOf(key), name.toString('latin1'))
    for (let at = 0; at < entries.length; at += IDEMPOTENT_ENTRY.BYTES) {
      if (at + IDEMPOTENT_ENTRY.BYTES > entries.length) throw new CorruptionError(`${what} ends within an entry`)
      const digest = entries.toString('latin1', at, at + DIGEST_BYTES)
      const id = getId(entries, at + IDEMPOTENT_ENTRY.ID)
      producer.#put(digest, id, Number(getCount(entries, at + IDEMPOTENT_ENTRY.ADDED_MS)))
    }
    if (producer.#entries.size === 0) throw new CorruptionError(`${what} has no entries`)
    return producer
  }

  /** What the keys of all producers of a stream begin with. */
  static keyPrefix(object: StoreObject): Buffer {
    return partPrefix(object, PART.producer)
  }

  get table(): Table {
    return Table.Parts
  }

  get owner(): StoreObject {
    return this.object
  }

  rowKey(): Buffer {
    return numberedPartKey(this.object, PART.producer, this.number)
  }

  encodeRow(): Buffer {
    const entries = Buffer.allocUnsafe(this.#entries.size * IDEMPOTENT_ENTRY.BYTES)
    let at = 0
    for (const [digest, { id, addedMs }] of this.#entries) {
      entries.latin1Write(digest, at)
      putId(entries, at + IDEMPOTENT_ENTRY.ID, id)
      putCount(entries, at + IDEMPOTENT_ENTRY.ADDED_MS, addedMs)
      at += IDEMPOTENT_ENTRY.BYTES
    }
    return joinSections(Buffer.from([PRODUCER_VERSION]), [Buffer.from(this.name, 'latin1'), entries])
  }

  rowBytes(): number {
    return 16 + this.name.length + this.#entries.size * IDEMPOTENT_ENTRY.BYTES
  }

  get size(): number {
    return this.#entries.size
  }

  /** When its youngest entry was added, Unix ms. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** The entry that `digest` stands for, unless it was added before `addedMsMin`. */
  find(digest: string, addedMsMin: number): StreamId | undefined {
    const entry = this.#entries.get(digest)
    return entry !== undefined && entry.addedMs >= addedMsMin ? entry.id : undefined
  }

  /** Entries that were added at `addedMsMin` or later. Costs those that were not. */
  countFrom(addedMsMin: number): number {
    let old = 0
    for (const { addedMs } of this.#entries.values()) {
      if (addedMs >= addedMsMin) break
      old++
    }
    return this.#entries.size - old
  }

  /** Adds an entry, and lets go of those added before `addedMsMin` and of the oldest beyond `sizeMax`. */
  add(digest: string, id: StreamId, nowMs: number, addedMsMin: number, sizeMax: number): void {
    this.rows.touch(this)
    this.#delete(digest)
    for (const [old, { addedMs }] of this.#entries) {
      if (addedMs >= addedMsMin && this.#entries.size < sizeMax) break
      this.#delete(old)
    }
    this.#put(digest, id, nowMs)
  }

  /** Its row is to be deleted. */
  remove(): void {
    this.rows.touch(this)
    this.removed = true
    this.release()
  }

  /** It counts no more: it is removed, or the stream dropped. */
  release(): void {
    this.rows.cache.heldBytes -= PRODUCER_BYTES + this.name.length + this.#entries.size * ENTRY_BYTES
    this.#entries.clear()
  }

  copyFrom(source: Producer): void {
    this.rows.touch(this)
    for (const [digest, { id, addedMs }] of source.#entries) this.#put(digest, id, addedMs)
  }

  memoryUsage(): number {
    return PRODUCER_BYTES + this.name.length + this.#entries.size * ENTRY_BYTES
  }

  /** What clients can tell of it, oldest first. */
  *contents(): Generator<{ digest: string; id: StreamId; addedMs: number }> {
    for (const [digest, { id, addedMs }] of this.#entries) yield { digest, id, addedMs }
  }

  #put(digest: string, id: StreamId, addedMs: number): void {
    // A clock that stepped back must not put what is young behind what is old.
    this.#lastMs = Math.max(this.#lastMs, addedMs)
    this.#entries.set(digest, { id, addedMs: this.#lastMs })
    this.rows.cache.heldBytes += ENTRY_BYTES
  }

  #delete(digest: string): void {
    if (this.#entries.delete(digest)) this.rows.cache.heldBytes -= ENTRY_BYTES
  }
}
