// The bytes of a reply under way, as a list of pieces for one writev. Short data is written side by side into a chunk;
// long stored bytes are a piece of their own, by reference. Knows bytes, digits and headers, not the forms of RESP:
// those are in reply-writer.ts.
//
// Invariants: (1) the output is #pieces in order, then chunk[start, at); (2) nothing that was taken is written to
// again; (3) an open deferred header lies whole in one piece, the one its number names.

import { assert } from '../base/assert.js'
import { digitsOf, putDecimal } from './decimal.js'
import './request.js'

const CHUNK_BYTES_MIN = 1024
const CHUNK_BYTES_MAX = 16 * 1024
/**
 * Stored bytes from this length on go by reference. Below it, copying costs less than one more piece to send
 * (measured).
 */
export const BY_REFERENCE_BYTES = 2048
/** What a deferred header leaves room for: type, one digit, CR LF. A longer count becomes a piece of its own. */
const DEFERRED_BYTES = 4
/** Up to here a loop beats a call into the runtime. */
const LOOP_BYTES_MAX = 32
const CR = 13
const LF = 10
const ZERO = 48

export class OutputPieces {
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #chunk: Buffer = EMPTY
  #start = 0
  #at = 0
  #chunkBytes = CHUNK_BYTES_MIN
  /**
   * Open deferred headers, innermost last: the piece each lies in (#pieces.length: the one being written), and where.
   */
  readonly #deferredPieces: number[] = []
  readonly #deferredOffsets: number[] = []

  /** Bytes written and not taken. */
  get pendingBytes(): number {
    return this.#pieceBytes + this.#at - this.#start
  }

  /** The same, as a place to truncate to. */
  get position(): number {
    return this.pendingBytes
  }

  /** Hands over everything written. The bytes never change afterwards; the list is the caller's. */
  take(): Buffer[] {
    assert(this.#deferredPieces.length === 0, 'output taken in the middle of a deferred array')
    this.#closePiece()
    const pieces = this.#pieces
    this.#pieces = []
    this.#pieceBytes = 0
    return pieces
  }

  /** Takes back everything written since `position`, deferred headers included. */
  truncate(position: number): void {
    let excess = this.pendingBytes - position
    assert(excess >= 0, 'truncate beyond the end of the output')
    const written = Math.min(excess, this.#at - this.#start)
    this.#at -= written
    excess -= written
    while (excess > 0) {
      const last = this.#pieces.pop()
      assert(last !== undefined)
      const kept = Math.max(last.length - excess, 0)
      if (kept > 0) this.#pieces.push(last.subarray(0, kept))
      this.#pieceBytes -= last.length - kept
      excess -= last.length - kept
    }
    while (this.#deferredPieces.length > 0 && !this.#innermostIsKept()) {
      this.#deferredPieces.pop()
      this.#deferredOffsets.pop()
    }
  }

  #innermostIsKept(): boolean {
    const piece = this.#deferredPieces[this.#deferredPieces.length - 1]
    const offset = this.#deferredOffsets[this.#deferredOffsets.length - 1]
    if (piece > this.#pieces.length) return false
    return offset < (piece === this.#pieces.length ? this.#at - this.#start : this.#pieces[piece].length)
  }

  /** `type`, a count or length in [0, 2^53], CR LF. */
  protected header(type: number, value: number): void {
    const digits = value < 10 ? 1 : digitsOf(value)
    this.#room(digits + 3)
    const chunk = this.#chunk
    let at = this.#at
    chunk[at] = type
    if (digits === 1) {
      chunk[at + 1] = ZERO + value
      at += 2
    } else at = putDecimal(chunk, at + 1, value, digits)
    chunk[at] = CR
    chunk[at + 1] = LF
    this.#at = at + 2
  }

  /** `type`, latin1 text, CR LF. */
  protected line(type: number, text: string): void {
    this.#room(text.length + 3)
    this.#chunk[this.#at++] = type
    this.#text(text)
    this.#lineEnd()
  }

  /** Latin1 text, CR LF. */
  protected textBody(text: string): void {
    this.#room(text.length + 2)
    this.#text(text)
    this.#lineEnd()
  }

  /** A copy of the bytes, CR LF. */
  protected bytesBody(bytes: Uint8Array): void {
    this.#room(bytes.length + 2)
    this.#copy(bytes, 0, bytes.length)
    this.#lineEnd()
  }

  /** Two numbers with '-' between, CR LF; their digits were counted by the caller. */
  protected pairBody(left: number, leftDigits: number, right: number, rightDigits: number): void {
    this.#room(leftDigits + rightDigits + 3)
    const at = putDecimal(this.#chunk, this.#at, left, leftDigits)
    this.#chunk[at] = 45
    this.#at = putDecimal(this.#chunk, at + 1, right, rightDigits)
    this.#lineEnd()
  }

  /** bytes[from, to) as they are; by reference when long: then they must never change. */
  wire(bytes: Buffer, from: number, to: number): void {
    const length = to - from
    if (length < BY_REFERENCE_BYTES) {
      this.#room(length)
      this.#copy(bytes, from, to)
      return
    }
    this.#closePiece()
    this.#pieces.push(length === bytes.length ? bytes : bytes.subarray(from, to))
    this.#pieceBytes += length
  }

  /** Starts over in `chunk`, forgetting everything written: for output that is read where it was written. */
  restartIn(chunk: Buffer): void {
    if (this.#pieces.length > 0) this.#pieces = []
    this.#pieceBytes = 0
    // Setting a length costs a call into the runtime even when it changes nothing.
    if (this.#deferredPieces.length > 0) this.#deferredPieces.length = this.#deferredOffsets.length = 0
    this.#chunk = chunk
    this.#start = 0
    this.#at = 0
  }

  /** Bytes from the start of the chunk given to restartIn, or -1 when the output did not stay in it. */
  get contiguousBytes(): number {
    return this.#pieces.length === 0 && this.#start === 0 ? this.#at : -1
  }

  /** Leaves room for a header that is written by endDeferred. To be closed in reverse order; returns its token. */
  protected defer(): number {
    this.#room(DEFERRED_BYTES)
    this.#deferredOffsets.push(this.#at - this.#start)
    this.#at += DEFERRED_BYTES
    return this.#deferredPieces.push(this.#pieces.length) - 1
  }

  protected endDeferred(token: number, type: number, count: number): void {
    const piece = this.#deferredPieces.pop()
    const offset = this.#deferredOffsets.pop()
    assert(
      piece !== undefined && offset !== undefined && token === this.#deferredPieces.length,
      'deferred out of order',
    )
    if (count < 10) {
      const current = piece === this.#pieces.length
      putHeader(current ? this.#chunk : this.#pieces[piece], current ? this.#start + offset : offset, type, count, 1)
      return
    }
    // The body stays where it is: the piece is split around the room, and the header comes between the halves.
    const digits = digitsOf(count)
    const header = Buffer.allocUnsafe(digits + 3)
    putHeader(header, 0, type, count, digits)
    if (piece === this.#pieces.length) this.#splitCurrent(offset, header)
    else this.#splitClosed(piece, offset, header)
  }

  #splitCurrent(offset: number, header: Buffer): void {
    if (offset > 0) this.#pieces.push(this.#chunk.subarray(this.#start, this.#start + offset))
    this.#pieces.push(header)
    this.#pieceBytes += offset + header.length
    this.#start += offset + DEFERRED_BYTES
  }

  #splitClosed(piece: number, offset: number, header: Buffer): void {
    const whole = this.#pieces[piece]
    const parts = [whole.subarray(0, offset), header, whole.subarray(offset + DEFERRED_BYTES)]
    this.#pieces.splice(piece, 1, ...parts.filter(part => part.length > 0))
    this.#pieceBytes += header.length - DEFERRED_BYTES
  }

  #text(text: string): void {
    const length = text.length
    if (length > LOOP_BYTES_MAX) this.#chunk.latin1Write(text, this.#at, length)
    else {
      const chunk = this.#chunk
      const at = this.#at
      for (let i = 0; i < length; i++) chunk[at + i] = text.charCodeAt(i)
    }
    this.#at += length
  }

  #copy(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from
    if (length > LOOP_BYTES_MAX) {
      this.#chunk.set(length === bytes.length ? bytes : bytes.subarray(from, to), this.#at)
    } else {
      const chunk = this.#chunk
      const at = this.#at
      for (let i = 0; i < length; i++) chunk[at + i] = bytes[from + i]
    }
    this.#at += length
  }

  #lineEnd(): void {
    this.#chunk[this.#at] = CR
    this.#chunk[this.#at + 1] = LF
    this.#at += 2
  }

  #room(bytes: number): void {
    if (this.#at + bytes > this.#chunk.length) this.#newChunk(bytes)
  }

  #newChunk(bytes: number): void {
    // Grows for those who write much at once, and shrinks for those whose chunk was used up by small replies.
    const factor = this.pendingBytes > 0 ? 2 : 0.5
    this.#chunkBytes = Math.min(Math.max(this.#chunkBytes * factor, CHUNK_BYTES_MIN), CHUNK_BYTES_MAX)
    this.#closePiece()
    this.#chunk = Buffer.allocUnsafe(Math.max(this.#chunkBytes, bytes))
    this.#start = 0
    this.#at = 0
  }

  #closePiece(): void {
    if (this.#start === this.#at) return
    this.#pieces.push(this.#chunk.subarray(this.#start, this.#at))
    this.#pieceBytes += this.#at - this.#start
    this.#start = this.#at
  }
}

function putHeader(bytes: Buffer, at: number, type: number, count: number, digits: number): void {
  bytes[at] = type
  const end = putDecimal(bytes, at + 1, count, digits)
  bytes[end] = CR
  bytes[end + 1] = LF
}

const EMPTY = Buffer.alloc(0)
