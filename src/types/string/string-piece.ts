// A piece of a long string: a row of Table.Pages that holds some of its bytes and nothing else. Resident while dirty,
// evictable when clean. Used by: pieced-string.
// Invariants: (1) bytes that were handed out (to a checkpoint, a reply, a copy) never change: appending writes behind
// them, everything else copies first; (2) the cache counts the piece either as held or as an item of its own.

import { allocate } from '../../base/allocation.js'
import { numberedKey, Row, Table } from '../../store/row.js'
import type { StoreObject } from '../../store/row.js'
import type { Evictable, Rows } from '../../store/rows.js'

/** Objects around the bytes in memory, about. */
export const PIECE_OBJECT_BYTES = 260

/** The string that it is a piece of. */
export interface PieceOwner {
  readonly rows: Rows
  readonly object: StoreObject
  readonly treeId: number
  /** The piece was clean, and is not in memory any more. */
  evicted(piece: StringPiece): void
}

export class StringPiece extends Row implements Evictable {
  usedTick = 0
  cacheSlot = -1
  #content: Buffer
  /** The bytes were handed out: only what lies behind their end may be written. */
  #shared: boolean
  /** Bytes behind the end that are ours to append into. */
  #spareBytes = 0
  #counted: 'no' | 'held' | 'admitted' = 'no'

  private constructor(
    private readonly of: PieceOwner,
    readonly number: number,
    content: Buffer,
    shared: boolean,
  ) {
    super()
    this.#content = content
    this.#shared = shared
  }

  /**
   * A piece that is not stored yet.
   * @param shared others have these bytes as well
   */
  static create(owner: PieceOwner, number: number, content: Buffer, shared: boolean): StringPiece {
    const piece = new StringPiece(owner, number, content, shared)
    piece.#hold()
    owner.rows.touchNew(piece)
    return piece
  }

  /** One that was read just now; admit() follows when its string has it. */
  static stored(owner: PieceOwner, number: number, content: Buffer): StringPiece {
    return new StringPiece(owner, number, content, false)
  }

  /** One that is stored but was not read, because touch() and replace() follow. */
  static unread(owner: PieceOwner, number: number): StringPiece {
    return new StringPiece(owner, number, NOTHING, false)
  }

  /** Not to be changed; good until the next change. */
  get content(): Buffer {
    this.usedTick = this.of.rows.cache.tick
    return this.#content
  }

  /** As `content`, good for ever: the next change in place copies first. */
  lend(): Buffer {
    this.#shared = true
    return this.content
  }

  /** Before a change of any kind, of a piece that may have been evicted since it was looked up. */
  touch(): void {
    this.of.rows.touch(this)
    if (this.#counted === 'no') this.#hold()
  }

  /** Its bytes, which may be written to. It was touched. @throws ReplyError when there is no memory */
  writable(): Buffer {
    if (this.#shared) {
      const copy = allocate(this.#content.length)
      copy.set(this.#content)
      this.#put(copy, 0)
      this.#shared = false
    }
    return this.#content
  }

  /**
   * Adds `more` bytes and returns them for the caller to fill. It was touched.
   * @param capacity bytes that a piece may have; room for all of them is made
   * @throws ReplyError when there is no memory
   */
  extend(more: number, capacity: number): Buffer {
    const before = this.#content
    const length = before.length + more
    if (more <= this.#spareBytes) {
      this.#put(Buffer.from(before.buffer, before.byteOffset, length), this.#spareBytes - more)
    } else {
      const room = allocate(capacity)
      room.set(before)
      this.#put(room.subarray(0, length), capacity - length)
      this.#shared = false
    }
    return this.#content.subarray(before.length)
  }

  /** Puts other bytes, its own from now on, in place of these. It was touched. */
  replace(content: Buffer): void {
    this.#put(content, 0)
    this.#shared = false
  }

  #put(content: Buffer, spareBytes: number): void {
    const delta = content.length - this.#content.length
    if (this.#counted === 'admitted') this.of.rows.cache.resized(this, delta)
    else this.of.rows.cache.heldBytes += delta
    this.#content = content
    this.#spareBytes = spareBytes
  }

  /** Its string is dropped. What a running checkpoint has still to write stays until it has. */
  release(): void {
    const { cache } = this.of.rows
    if (this.#counted === 'admitted') cache.forget(this)
    else if (this.#counted === 'held') cache.heldBytes -= this.cachedBytes
    this.#counted = 'no'
    if (this.dirtyEpoch === 0 || this.dirtyEpoch === this.of.object.droppedEpoch) this.#content = NOTHING
  }

  #hold(): void {
    this.#counted = 'held'
    this.of.rows.cache.heldBytes += this.cachedBytes
  }

  /** Clean: the cache may take it back, maybe at once. */
  admit(): void {
    const { cache } = this.of.rows
    if (this.#counted === 'held') cache.heldBytes -= this.cachedBytes
    this.#counted = 'admitted'
    cache.admit(this)
  }

  get cachedBytes(): number {
    return PIECE_OBJECT_BYTES + this.#content.length
  }

  evict(): boolean {
    if (this.dirtyEpoch !== 0) return false
    this.#counted = 'no'
    this.of.evicted(this)
    return true
  }

  override get table(): Table {
    return Table.Pages
  }

  override get owner(): StoreObject {
    return this.of.object
  }

  override rowKey(): Buffer {
    return numberedKey(this.of.treeId, this.number)
  }

  override encodeRow(): Buffer {
    return this.lend()
  }

  override rowBytes(): number {
    return this.cachedBytes
  }

  override onClean(): void {
    if (this.#counted === 'held') this.admit()
  }
}

const NOTHING = Buffer.alloc(0)
