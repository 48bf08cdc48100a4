// Which slot each database has, and which slots are dead: the meta row behind SWAPDB and FLUSHDB.
// Bytes: docs/format/directory.md. Used by: keyspace. Invariant: a slot number is given out once.

import { assert } from '../base/assert.js'
import { CorruptionError } from '../base/errors.js'
import { Row, Table } from '../store/row.js'
import type { StoreObject } from '../store/row.js'
import type { Rows } from '../store/rows.js'

const DATABASE_MAP_KEY = Buffer.from('databases')
const VERSION = 1
/** Version (1 byte), number of databases, number of dead slots, next slot (4 bytes each), then the slots. */
const HEAD_BYTES = 13
const SLOT_MAX = 0xffffffff

export class DatabaseMap extends Row {
  readonly #rows: Rows
  readonly #slots: number[] = []
  readonly #dead = new Set<number>()
  #nextSlot = 0

  /** Numbers the databases in order, as those of a new data folder are; load() corrects it. */
  constructor(rows: Rows, databases: number) {
    super()
    this.#rows = rows
    this.#number(databases)
  }

  /**
   * Reads what the data folder says. Databases beyond those it knows get new slots, in order, so that it does not
   * matter whether that was written before the next start.
   * @throws CorruptionError when the row contradicts itself
   */
  load(databases: number): void {
    const bytes = this.#rows.read(Table.Meta, DATABASE_MAP_KEY)
    if (bytes === undefined) return
    const count = bytes.length < HEAD_BYTES ? 0 : bytes.readUInt32BE(1)
    const dead = bytes.length < HEAD_BYTES ? 0 : bytes.readUInt32BE(5)
    if (bytes[0] !== VERSION || bytes.length !== HEAD_BYTES + (count + dead) * 4) {
      throw new CorruptionError('meta row "databases": its version or length is wrong')
    }
    this.#slots.length = 0
    for (let i = 0; i < count; i++) this.#slots.push(bytes.readUInt32BE(HEAD_BYTES + i * 4))
    for (let i = count; i < count + dead; i++) this.#dead.add(bytes.readUInt32BE(HEAD_BYTES + i * 4))
    this.#nextSlot = bytes.readUInt32BE(9)
    this.#number(databases)
  }

  slotOf(database: number): number {
    return this.#slots[database]
  }

  /** Slots of the databases, in their order. */
  get slots(): readonly number[] {
    return this.#slots
  }

  get deadSlots(): Iterable<number> {
    return this.#dead
  }

  swap(a: number, b: number): void {
    this.#rows.touch(this)
    const slot = this.#slots[a]
    this.#slots[a] = this.#slots[b]
    this.#slots[b] = slot
  }

  /** Declares the database's slot dead and returns the new one. */
  renew(database: number): number {
    this.#rows.touch(this)
    this.#dead.add(this.#slots[database])
    this.#slots[database] = this.#take()
    return this.#slots[database]
  }

  /** A new slot that is dead from the beginning. */
  grave(): number {
    this.#rows.touch(this)
    const slot = this.#take()
    this.#dead.add(slot)
    return slot
  }

  /** No row of this dead slot is left. */
  buried(slot: number): void {
    assert(this.#dead.has(slot), 'only a dead slot is buried')
    this.#rows.touch(this)
    this.#dead.delete(slot)
  }

  #number(databases: number): void {
    while (this.#slots.length < databases) this.#slots.push(this.#take())
  }

  #take(): number {
    assert(this.#nextSlot <= SLOT_MAX, 'slot numbers are used up')
    return this.#nextSlot++
  }

  override get table(): Table {
    return Table.Meta
  }

  override get owner(): StoreObject | undefined {
    return undefined
  }

  override rowKey(): Buffer {
    return DATABASE_MAP_KEY
  }

  override encodeRow(): Buffer {
    const bytes = Buffer.alloc(this.rowBytes())
    bytes[0] = VERSION
    bytes.writeUInt32BE(this.#slots.length, 1)
    bytes.writeUInt32BE(this.#dead.size, 5)
    bytes.writeUInt32BE(this.#nextSlot, 9)
    let at = HEAD_BYTES
    for (const slot of this.#slots) at = bytes.writeUInt32BE(slot, at)
    for (const slot of this.#dead) at = bytes.writeUInt32BE(slot, at)
    return bytes
  }

  override rowBytes(): number {
    return HEAD_BYTES + (this.#slots.length + this.#dead.size) * 4
  }
}
