// A long argument as it arrives: in pieces of one size, so that no copy of the whole is ever made while it comes, and
// so that a value can have the pieces as they are. Used by: request-parser (fills), large-request, exec/large-requests
// (journals), commands that take pieces.

import { allocate, allocationFailure, PIECE_BYTES } from '../base/allocation.js'
import { hasRoomFor } from '../native/memory-room.js'

/** Where the journal has the bytes already. */
export interface StagedMark {
  readonly id: number
  /** Cuts of the store when the first of them was written: after another one they are not read again. */
  readonly cuts: number
}

export class LargeArgument {
  /** Each of PIECE_BYTES but the last. */
  readonly pieces: Buffer[] = []
  received = 0
  staged: StagedMark | undefined

  /** @param length bytes that are going to come */
  constructor(readonly length: number) {}

  get complete(): boolean {
    return this.received === this.length
  }

  /** Takes as much of chunk[from, to) as belongs to it (copied); returns where that ends. @throws what V8 throws */
  take(chunk: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.length - this.received)
    let at = from
    while (at < end) {
      const inPiece = this.received % PIECE_BYTES
      if (inPiece === 0) {
        const bytes = Math.min(PIECE_BYTES, this.length - this.received)
        if (!hasRoomFor(bytes)) throw allocationFailure()
        this.pieces.push(Buffer.allocUnsafeSlow(bytes))
      }
      const copied = chunk.copy(this.pieces[this.pieces.length - 1], inPiece, at, end)
      at += copied
      this.received += copied
    }
    return end
  }

  /** All bytes, copied. @throws ReplyError when there is no memory */
  whole(): Buffer {
    const bytes = allocate(this.length)
    for (let i = 0; i < this.pieces.length; i++) bytes.set(this.pieces[i], i * PIECE_BYTES)
    return bytes
  }
}
