// A long string: its bytes in pieces of one size (the last one may be shorter), each a row of its own, so that a change
// costs the pieces it concerns, and a checkpoint, a copy or a reply lends pieces instead of copying the whole. The head
// is a row of Table.Heads (string-head). Used by: commands, types (registry).
// Neighbours: string-value (short strings), string-piece, pieces-read (replies that go on after their command).
//
// Invariants: (1) it never becomes shorter in place; (2) pieces that are not in memory are clean; (3) what a change
// needs is read before anything is touched.

import { allocate, PIECE_BYTES } from '../../base/allocation.js'
import { ReplyError, replyErrors, unlessDamaged } from '../../base/errors.js'
import { hasRoomFor } from '../../native/memory-room.js'
import type { Inspection } from '../../pages/inspection.js'
import type { RowRef } from '../../store/page-misses.js'
import { idKey, numberedKey, Row, StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { KeyValue, TypeName, TypeSpec } from '../key-value.js'
import { PiecesRead } from './pieces-read.js'
import { checkedPiece, decodeStringHead, encodeStringHead } from './string-head.js'
import { PIECE_OBJECT_BYTES, StringPiece } from './string-piece.js'
import type { PieceOwner } from './string-piece.js'

/** Code of the type in rows of the directory. Frozen. */
const PIECED_STRING = 7
/** Objects around the pieces in memory, about. */
const VALUE_BYTES = 400
/** Pieces that are fetched with one that is missed. */
const PIECES_AHEAD = 32

interface Contents {
  length: number
  readonly pieceBytes: number
  readonly treeId: number
  /** Those in memory. */
  readonly pieces: (StringPiece | undefined)[]
}

export class PiecedString extends Row implements KeyValue, PieceOwner {
  readonly object: StoreObject
  readonly rows: Rows
  #contents: Contents | undefined

  private constructor(rows: Rows, id: number, contents: Contents | undefined) {
    super()
    this.rows = rows
    this.object = new StoreObject(id)
    this.#contents = contents
    rows.cache.heldBytes += VALUE_BYTES
  }

  /**
   * A new string of `pieces`, each of `pieceBytes` but the last.
   * @param shared others have these bytes as well; else they are the string's own from now on
   */
  static create(rows: Rows, pieces: readonly Buffer[], pieceBytes: number, shared = false): PiecedString {
    const value = new PiecedString(rows, rows.newId(), { length: 0, pieceBytes, treeId: rows.newId(), pieces: [] })
    rows.touchNew(value)
    for (const piece of pieces) value.#push(piece, shared)
    return value
  }

  /** A new string with a copy of `bytes`. @throws ReplyError when there is no memory */
  static of(rows: Rows, bytes: Buffer, pieceBytes: number): PiecedString {
    return PiecedString.create(rows, cut(bytes, pieceBytes), pieceBytes)
  }

  /** A new string of `length` zeros, which take no memory before they are written to. */
  static zeros(rows: Rows, length: number, pieceBytes: number): PiecedString {
    const value = PiecedString.create(rows, [], pieceBytes)
    value.#pushZeros(length)
    return value
  }

  /** The string whose head is the row `objectId`; read when it is used. */
  static stored(rows: Rows, objectId: number): PiecedString {
    return new PiecedString(rows, objectId, undefined)
  }

  get type(): TypeName {
    return 'string'
  }

  get spec(): TypeSpec {
    return piecedStringType
  }

  get encoding(): string {
    return 'raw'
  }

  get length(): number {
    return this.#loaded.length
  }

  get pieceBytes(): number {
    return this.#loaded.pieceBytes
  }

  get treeId(): number {
    return this.#loaded.treeId
  }

  /** No integer is as long. */
  int64(): undefined {
    return undefined
  }

  /** A copy of bytes [from, to). @throws ReplyError when there is no memory */
  bytes(from = 0, to = this.length): Buffer {
    const bytes = allocate(to - from)
    this.visit(from, to, (part, at) => {
      bytes.set(part, at - from)
      return false
    })
    return bytes
  }

  /** As bytes(), all of them. */
  content(): Buffer {
    return this.bytes()
  }

  /** Shows bytes [from, to) in order, as they lie in memory, not to be changed; `visit` returns true to end it. */
  visit(from: number, to: number, visit: (part: Buffer, at: number) => boolean): void {
    this.#each(from, to, (piece, begin) =>
      visit(within(piece.content, from - begin, to - begin), Math.max(from, begin)),
    )
  }

  /** Bytes [from, to), good for ever. */
  lend(from: number, to: number): Buffer[] {
    const parts: Buffer[] = []
    this.#each(from, to, (piece, begin) => {
      parts.push(within(piece.lend(), from - begin, to - begin))
      return false
    })
    return parts
  }

  #each(from: number, to: number, visit: (piece: StringPiece, begin: number) => boolean): void {
    if (from >= to) return
    const { pieceBytes } = this.#loaded
    const last = Math.floor((to - 1) / pieceBytes)
    for (let number = Math.floor(from / pieceBytes); number <= last; number++) {
      if (visit(this.#piece(number, last), number * pieceBytes)) return
    }
  }

  /** Bytes [from, to) as they are now, when some of them would have to be read; undefined when lend() reads nothing. */
  longRead(from: number, to: number): PiecesRead | undefined {
    const { pieceBytes, pieces, treeId, length } = this.#loaded
    const first = Math.floor(from / pieceBytes)
    const end = Math.ceil(to / pieceBytes)
    let isResident = true
    for (let number = first; number < end && isResident; number++) isResident = pieces[number] !== undefined
    if (isResident) return undefined
    const held: (Buffer | undefined)[] = []
    for (let number = first; number < end; number++) held.push(pieces[number]?.lend())
    return new PiecesRead(this.rows.view(), { treeId, pieceBytes, length }, from, to, held)
  }

  /** Adds `tail` (copied) at the end; returns the new length. @throws ReplyError when there is no memory */
  append(tail: Buffer): number {
    const contents = this.#loaded
    const { pieceBytes, pieces } = contents
    const room = pieces.length * pieceBytes - contents.length
    const first = tail.subarray(0, Math.min(room, tail.length))
    const last = first.length === 0 ? undefined : this.#piece(pieces.length - 1)
    const rest = cut(tail.subarray(first.length), pieceBytes)
    this.rows.touch(this)
    if (last !== undefined) this.#extend(last, first.length).set(first)
    for (const piece of rest) this.#push(piece, false)
    return contents.length
  }

  /**
   * Writes `bytes` (copied) at `offset`, with zeros up to there; returns the new length.
   * @throws ReplyError OOM when there is no memory for it; then nothing was changed
   */
  overwrite(offset: number, bytes: Buffer): number {
    if (!hasRoomFor(bytes.length)) throw new ReplyError(replyErrors.noMemory)
    const end = offset + bytes.length
    this.#reach(offset, end)
    const { pieceBytes } = this.#loaded
    for (let at = offset; at < end;) {
      const number = Math.floor(at / pieceBytes)
      const begin = number * pieceBytes
      const to = Math.min(end, begin + this.#sizeOf(number))
      const part = bytes.subarray(at - offset, to - offset)
      if (part.length === this.#sizeOf(number)) this.#replace(number, part)
      else
        this.#touched(number)
          .writable()
          .set(part, at - begin)
      at = to
    }
    return this.length
  }

  /** Sets one bit, counted from the most significant of the first byte; returns the old one. */
  setBit(offset: number, bit: number): number {
    const at = Math.floor(offset / 8)
    const mask = 0x80 >>> (offset % 8)
    this.#reach(at, at + 1)
    const number = Math.floor(at / this.pieceBytes)
    const inPiece = at - number * this.pieceBytes
    const bytes = this.#touched(number).writable()
    const old = (bytes[inPiece] & mask) === 0 ? 0 : 1
    if (bit === 1) bytes[inPiece] |= mask
    else bytes[inPiece] &= ~mask
    return old
  }

  /** The byte at `offset`; 0 behind the end. */
  byteAt(offset: number): number {
    const { length, pieceBytes } = this.#loaded
    if (offset >= length) return 0
    const number = Math.floor(offset / pieceBytes)
    return this.#piece(number).content[offset - number * pieceBytes]
  }

  /** Reads what is needed to write bytes [from, to), and makes the string at least `to` long. */
  #reach(from: number, to: number): void {
    const contents = this.#loaded
    const { pieceBytes, pieces } = contents
    const before = pieces.length
    for (let number = Math.floor(from / pieceBytes); number * pieceBytes < to && number < before; number++) {
      const begin = number * pieceBytes
      if (from > begin || to < begin + this.#sizeOf(number)) this.#piece(number)
    }
    if (to <= contents.length) return
    const room = Math.min(before * pieceBytes, to) - contents.length
    const last = room === 0 ? undefined : this.#piece(before - 1)
    this.rows.touch(this)
    if (last !== undefined) this.#extend(last, room).fill(0)
    this.#pushZeros(to - contents.length)
  }

  #sizeOf(number: number): number {
    const { length, pieceBytes } = this.#loaded
    return Math.min(pieceBytes, length - number * pieceBytes)
  }

  /** Adds `more` bytes, for the caller to fill, to the last piece. The head was touched. */
  #extend(last: StringPiece, more: number): Buffer {
    const contents = this.#loaded
    this.#touch(last)
    const bytes = last.extend(more, contents.pieceBytes)
    contents.length += more
    return bytes
  }

  #push(content: Buffer, shared: boolean): void {
    const contents = this.#loaded
    contents.pieces.push(StringPiece.create(this, contents.pieces.length, content, shared))
    contents.length += content.length
  }

  #pushZeros(bytes: number): void {
    const { pieceBytes } = this.#loaded
    for (let left = bytes; left > 0; left -= pieceBytes) this.#push(ZEROS.subarray(0, Math.min(pieceBytes, left)), true)
  }

  /** Puts a copy of `bytes` in place of a whole piece, which need not be in memory for that. */
  #replace(number: number, bytes: Buffer): void {
    const content = allocate(bytes.length)
    content.set(bytes)
    const piece = this.#loaded.pieces[number] ?? StringPiece.unread(this, number)
    this.#touch(piece)
    piece.replace(content)
  }

  #touched(number: number): StringPiece {
    const piece = this.#piece(number)
    this.#touch(piece)
    return piece
  }

  #touch(piece: StringPiece): void {
    piece.touch()
    // A full cache may have taken it back before it was dirty.
    this.#loaded.pieces[piece.number] = piece
  }

  /** @param last the last piece that is going to be wanted */
  #piece(number: number, last = number): StringPiece {
    const resident = this.#loaded.pieces[number]
    if (resident !== undefined) return resident
    const { misses } = this.rows
    if (misses.armed && last > number) misses.expect(this.#ahead(number + 1, last), () => this.#loadIfWanted(number))
    return this.#load(number)
  }

  #load(number: number): StringPiece {
    const piece = StringPiece.stored(this, number, this.#read(number))
    this.#loaded.pieces[number] = piece
    piece.admit()
    return piece
  }

  #ahead(first: number, last: number): RowRef[] {
    const { pieces, treeId } = this.#loaded
    const refs: RowRef[] = []
    for (let number = first; number <= last && refs.length < PIECES_AHEAD; number++) {
      if (pieces[number] !== undefined) continue
      refs.push({ table: Table.Pages, key: numberedKey(treeId, number), load: () => this.#loadIfWanted(number) })
    }
    return refs
  }

  /** Meanwhile the string may have been dropped, or the piece been read. */
  #loadIfWanted(number: number): void {
    if (this.object.droppedEpoch === 0 && this.#loaded.pieces[number] === undefined) this.#load(number)
  }

  #read(number: number): Buffer {
    const contents = this.#loaded
    return checkedPiece(this.rows.read(Table.Pages, numberedKey(contents.treeId, number)), contents, number)
  }

  get #loaded(): Contents {
    return this.#contents ?? this.#readHead()
  }

  #readHead(): Contents {
    const shape = decodeStringHead(this.rows.read(Table.Heads, this.rowKey()), this.object.id)
    const count = Math.ceil(shape.length / shape.pieceBytes)
    this.#contents = { ...shape, pieces: Array.from({ length: count }, () => undefined) }
    return this.#contents
  }

  evicted(piece: StringPiece): void {
    const { pieces } = this.#loaded
    if (pieces[piece.number] === piece) pieces[piece.number] = undefined
  }

  drop(): void {
    const contents = unlessDamaged(() => this.#loaded, undefined)
    this.rows.cache.heldBytes -= VALUE_BYTES
    this.rows.withdraw(this)
    this.rows.drop(this.object, contents === undefined ? [] : [contents.treeId])
    for (const piece of contents?.pieces ?? []) piece?.release()
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    this.visit(0, this.length, part => {
      feed(part)
      return false
    })
  }

  /** Both have the same bytes in memory, until one changes a piece. */
  copy(): PiecedString {
    return PiecedString.create(this.rows, this.lend(0, this.length), this.pieceBytes, true)
  }

  /** Whole or lost. */
  salvaged(): KeyValue | undefined {
    return unlessDamaged(() => this.copy(), undefined)
  }

  check(inspection: Inspection): void {
    inspection.owns(this.object.id)
    const { pieces, treeId } = this.#loaded
    inspection.ownsTree(treeId, { pages: pieces.length, blocks: 0 })
    for (let number = 0; number < pieces.length; number++) {
      inspection.attempt(() => void this.#read(number), '; the string is lost')
      inspection.pageRead()
    }
  }

  memoryUsage(): number {
    const { length, pieces } = this.#loaded
    return VALUE_BYTES + length + pieces.length * PIECE_OBJECT_BYTES
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
    return encodeStringHead(this.#loaded)
  }

  override rowBytes(): number {
    return VALUE_BYTES
  }
}

/** Pieces with copies of the bytes. @throws ReplyError OOM when there is no memory for them and for what others need */
export function cut(bytes: Buffer, pieceBytes: number): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const part = bytes.subarray(at, at + pieceBytes)
    if (!hasRoomFor(part.length)) throw new ReplyError(replyErrors.noMemory)
    const piece = allocate(part.length)
    piece.set(part)
    pieces.push(piece)
  }
  return pieces
}

/** Bytes [from, to) of a piece, as far as it has them. */
function within(bytes: Buffer, from: number, to: number): Buffer {
  return from <= 0 && to >= bytes.length ? bytes : bytes.subarray(Math.max(from, 0), Math.min(to, bytes.length))
}

/** What every piece of nothing but zeros is until it is written to. */
const ZEROS = Buffer.alloc(PIECE_BYTES)

export const piecedStringType: TypeSpec = {
  name: 'string',
  code: PIECED_STRING,
  load: (rows, objectId) => PiecedString.stored(rows, objectId),
}
