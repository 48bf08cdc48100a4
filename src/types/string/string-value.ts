// A string value that is not long: one row of Table.Heads that holds the bytes and nothing else (long ones:
// pieced-string). Resident while dirty, evictable when
// clean, read again on demand. Used by: commands, types (registry).
// Short contents are latin1 JS strings: a Buffer costs four times the memory and more time to make. Long ones are
// Buffers. Invariants: (1) bytes that were handed out (to a checkpoint, a reply, a copy) never change: appending writes
// behind them, everything else copies first; (2) without content the row is clean; (3) short content is never a Buffer.

import { allocate } from '../../base/allocation.js'
import { assert } from '../../base/assert.js'
import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import { readInt64 } from '../../base/numbers.js'
import type { Inspection } from '../../pages/inspection.js'
import { idKey, Row, StoreObject, Table } from '../../store/row.js'
import type { Evictable, Rows } from '../../store/rows.js'
import type { KeyValue, TypeName, TypeSpec } from '../key-value.js'

/** Content up to this length is a latin1 string. */
export const TEXT_BYTES_MAX = 1024
/** '-9223372036854775808'. */
const INT64_CHARS_MAX = 20
/** OBJECT ENCODING says embstr up to here. */
const EMBSTR_BYTES_MAX = 44
/** Room added behind a long value that grows: half of it, at most this. */
const SPARE_BYTES_MAX = 32 * 1024 * 1024
/** Objects around the content in memory, about. */
const VALUE_BYTES = 215
/** So many digits fit a double without loss. */
const SAFE_DIGITS = 15

/**
 * How the content came about, for OBJECT ENCODING alone: set by a client, computed as text (never 'int'), or changed in
 * place (always 'raw'). Not durable, as in Redis.
 */
export type StringForm = 'auto' | 'text' | 'raw'

export class StringValue extends Row implements KeyValue, Evictable {
  usedTick = 0
  cacheSlot = -1
  readonly object: StoreObject
  readonly #rows: Rows
  #content: string | Buffer | undefined
  /** Bytes behind a Buffer's end that are ours to append into. */
  #spareBytes = 0
  /** The Buffer was handed out: only what lies behind its end may be written. */
  #shared = false
  #admitted = false
  #form: StringForm = 'auto'

  private constructor(rows: Rows, id: number, content: string | Buffer | undefined) {
    super()
    this.#rows = rows
    this.object = new StoreObject(id)
    this.#content = content
  }

  /** A new value. Parameters as for assign(). */
  static create(rows: Rows, content: string | Buffer, form: StringForm = 'auto'): StringValue {
    const value = new StringValue(rows, rows.newId(), settle(content))
    value.#form = form
    rows.cache.heldBytes += value.cachedBytes
    rows.touchNew(value)
    return value
  }

  /** The value whose row is `objectId`; read when it is used. */
  static stored(rows: Rows, objectId: number): StringValue {
    rows.cache.heldBytes += VALUE_BYTES
    return new StringValue(rows, objectId, undefined)
  }

  get type(): TypeName {
    return 'string'
  }

  get encoding(): string {
    if (this.#form === 'raw') return 'raw'
    if (this.#form === 'auto' && this.length <= INT64_CHARS_MAX && this.int64() !== undefined) return 'int'
    return this.length <= EMBSTR_BYTES_MAX ? 'embstr' : 'raw'
  }

  get length(): number {
    return this.content().length
  }

  /** The bytes as a latin1 string when short, else as a Buffer; not to be changed, good until the next change. */
  content(): string | Buffer {
    this.usedTick = this.#rows.cache.tick
    return this.#content ?? this.#read()
  }

  /** The bytes, not to be changed; good until the next change of the value. */
  bytes(): Buffer {
    const content = this.content()
    return typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  }

  /** As bytes(), good for ever: the next change in place copies first. */
  lend(): Buffer {
    this.#shared = true
    return this.bytes()
  }

  /** The content as a signed 64-bit integer, a bigint beyond 2^53; undefined when it is not canonically one. */
  int64(): number | bigint | undefined {
    const content = this.content()
    if (typeof content !== 'string') return undefined
    return shortInteger(content) ?? readInt64(Buffer.from(content, 'latin1'), 0, content.length)
  }

  /**
   * Replaces everything.
   * @param content a latin1 string or a Buffer that is the value's own from now on
   */
  assign(content: string | Buffer, form: StringForm = 'auto'): void {
    this.#rows.touch(this)
    this.#put(settle(content), 0)
    this.#shared = false
    this.#form = form
  }

  /** Adds `tail` (copied) at the end; returns the new length. */
  append(tail: Buffer): number {
    const before = this.content()
    const length = before.length + tail.length
    if (length <= TEXT_BYTES_MAX) {
      this.#rows.touch(this)
      this.#put(before + tail.latin1Slice(), 0)
    } else this.#grow(before, length, tail.length).set(tail, before.length)
    this.#form = 'raw'
    return length
  }

  /** Writes `piece` (copied) at `offset`, with zeros up to there; returns the new length. */
  overwrite(offset: number, piece: Buffer): number {
    const bytes = this.#changeable(Math.max(this.length, offset + piece.length))
    piece.copy(bytes, offset)
    return this.#changed(bytes)
  }

  /** Sets one bit, counted from the most significant of the first byte; returns the old one. */
  setBit(offset: number, bit: number): number {
    const at = Math.floor(offset / 8)
    const mask = 0x80 >>> (offset % 8)
    const bytes = this.#changeable(Math.max(this.length, at + 1))
    const old = (bytes[at] & mask) === 0 ? 0 : 1
    if (bit === 1) bytes[at] |= mask
    else bytes[at] &= ~mask
    this.#changed(bytes)
    return old
  }

  /** A Buffer of `length` bytes, zeros behind the present ones, that may be written to. Ends with #changed(). */
  #changeable(length: number): Buffer {
    const before = this.content()
    if (typeof before === 'string' || before.length !== length) return this.#grow(before, length, 0, true)
    // First: a running checkpoint that has still to write the row takes the bytes as they are.
    this.#rows.touch(this)
    return this.#shared ? this.#grow(before, length, 0, true) : before
  }

  #changed(bytes: Buffer): number {
    if (bytes.length <= TEXT_BYTES_MAX) this.#put(bytes.latin1Slice(), 0)
    this.#form = 'raw'
    return bytes.length
  }

  /**
   * Touches the row and makes its content `length` bytes that begin with `before`; the last `fresh` bytes are left for
   * the caller to fill. @throws ReplyError when there is no memory; then nothing was changed
   */
  #grow(before: string | Buffer, length: number, fresh: number, rewrite = false): Buffer {
    this.#rows.touch(this)
    const more = length - before.length
    if (typeof before !== 'string' && this.#spareBytes >= more && !(rewrite && this.#shared)) {
      const bytes = Buffer.from(before.buffer, before.byteOffset, length)
      bytes.fill(0, before.length, length - fresh)
      this.#put(bytes, this.#spareBytes - more)
      return bytes
    }
    const spare = more === 0 || before.length === 0 ? 0 : Math.min(length >>> 1, SPARE_BYTES_MAX)
    const room = allocate(length + spare)
    const bytes = Buffer.from(room.buffer, 0, length)
    if (typeof before === 'string') bytes.latin1Write(before, 0)
    else bytes.set(before, 0)
    bytes.fill(0, before.length, length - fresh)
    this.#put(bytes, spare)
    this.#shared = false
    return bytes
  }

  #put(content: string | Buffer, spareBytes: number): void {
    const delta = content.length - (this.#content?.length ?? 0)
    if (this.#admitted) this.#rows.cache.resized(this, delta)
    else this.#rows.cache.heldBytes += delta
    this.#content = content
    this.#spareBytes = spareBytes
  }

  #read(): string | Buffer {
    assert(this.dirtyEpoch === 0, 'a dirty value is resident')
    const bytes = this.#rows.read(Table.Heads, idKey(this.object.id))
    if (bytes === undefined) throw new CorruptionError(`string object ${this.object.id} has no row in heads`)
    const content = settle(bytes)
    this.#content = content
    this.#spareBytes = 0
    this.#shared = false
    // A small cache that many were admitted to in one go may take it back at once.
    this.#admit(VALUE_BYTES)
    return content
  }

  /** From the bytes held to the items of the cache. `heldBytes` of them were counted there. */
  #admit(heldBytes: number): void {
    if (this.#admitted) return
    this.#admitted = true
    this.#rows.cache.heldBytes -= heldBytes
    this.#rows.cache.admit(this)
  }

  drop(): void {
    if (this.#admitted) this.#rows.cache.forget(this)
    else this.#rows.cache.heldBytes -= this.cachedBytes
    this.#admitted = false
    this.#rows.withdraw(this)
    this.#rows.drop(this.object, [])
    // The list of changed rows keeps the value until the next checkpoint; the bytes need not wait for it, unless a
    // running one has still to write them.
    if (this.dirtyEpoch === 0 || this.dirtyEpoch === this.object.droppedEpoch) this.#content = undefined
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    feed(this.bytes())
  }

  copy(): StringValue {
    const content = this.content()
    const twin = StringValue.create(this.#rows, content)
    twin.#form = this.#form
    this.#shared = true
    twin.#shared = true
    return twin
  }

  /** It is one row: whole or lost. */
  salvaged(): KeyValue | undefined {
    return unlessDamaged(() => this.copy(), undefined)
  }

  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    this.content()
  }

  memoryUsage(): number {
    return this.cachedBytes
  }

  get cachedBytes(): number {
    return VALUE_BYTES + (this.#content?.length ?? 0)
  }

  evict(): boolean {
    if (this.dirtyEpoch !== 0) return false
    this.#content = undefined
    this.#admitted = false
    this.#rows.cache.heldBytes += VALUE_BYTES
    return true
  }

  override get table(): Table {
    return Table.Heads
  }

  override get owner(): StoreObject {
    return this.object
  }

  override rowKey(): Buffer {
    return idKey(this.object.id)
  }

  override encodeRow(): Buffer {
    return this.lend()
  }

  override rowBytes(): number {
    return this.cachedBytes
  }

  override onClean(): void {
    if (this.#content !== undefined && this.object.droppedEpoch === 0) this.#admit(this.cachedBytes)
  }
}

/** A short Buffer as a latin1 string; everything else as it is. */
function settle(content: string | Buffer): string | Buffer {
  if (typeof content === 'string') return content.length <= TEXT_BYTES_MAX ? content : Buffer.from(content, 'latin1')
  return content.length <= TEXT_BYTES_MAX ? content.latin1Slice() : content
}

/** A canonical integer of up to SAFE_DIGITS digits; undefined for anything else. */
function shortInteger(text: string): number | undefined {
  const negative = text.charCodeAt(0) === 45
  const first = negative ? 1 : 0
  const digits = text.length - first
  if (digits < 1 || digits > SAFE_DIGITS) return undefined
  if (text.charCodeAt(first) === 48) return digits === 1 && !negative ? 0 : undefined
  let value = 0
  for (let i = first; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return negative ? -value : value
}

export const stringType: TypeSpec = {
  name: 'string',
  code: 1,
  load: (rows, objectId) => StringValue.stored(rows, objectId),
  dropUnloaded: (rows, objectId) => rows.drop(new StoreObject(objectId), []),
}
