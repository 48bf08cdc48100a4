// What one client is to receive and the kernel has not taken yet. Holds the pieces by reference. Used by: connection.
//
// Invariant: bytes leave in the order in which they were handed over, each once.

import { sendPieces } from '../native/socket-send.js'

/** Pieces that one system call takes. */
const PIECES_MAX = 64
const EAGAIN = 11
/** Sent pieces are cut from the front of the list when there are so many of them. */
const SENT_KEPT = 1024

export class OutputQueue {
  /** Bytes that wait. */
  bytes = 0
  #pieces: Buffer[] = []
  /** Pieces before this one were sent. */
  #first = 0

  constructor(readonly fd: number) {}

  get pieces(): number {
    return this.#pieces.length - this.#first
  }

  /** Sends what the kernel takes at once and keeps the rest. False when the connection is broken. */
  send(pieces: Buffer[], bytes: number): boolean {
    if (this.bytes === 0) {
      const sent = sendPieces(this.fd, pieces)
      if (sent === bytes) return true
      if (sent < 0 && sent !== -EAGAIN) return false
      this.#keep(pieces)
      this.bytes = bytes
      this.#sent(Math.max(sent, 0))
      return sent < 0 || this.flush()
    }
    this.#keep(pieces)
    this.bytes += bytes
    return true
  }

  /** Sends more of what waits. False when the connection is broken. */
  flush(): boolean {
    while (this.bytes > 0) {
      const sent = sendPieces(this.fd, this.#pieces.slice(this.#first, this.#first + PIECES_MAX))
      if (sent === -EAGAIN) return true
      if (sent < 0) return false
      this.#sent(sent)
    }
    return true
  }

  clear(): void {
    this.bytes = 0
    this.#pieces = []
    this.#first = 0
  }

  #keep(pieces: Buffer[]): void {
    for (const piece of pieces) if (piece.length > 0) this.#pieces.push(piece)
  }

  #sent(bytes: number): void {
    this.bytes -= bytes
    if (this.bytes === 0) return this.clear()
    const pieces = this.#pieces
    let rest = bytes
    while (rest >= pieces[this.#first].length) rest -= pieces[this.#first++].length
    if (rest > 0) pieces[this.#first] = pieces[this.#first].subarray(rest)
    if (this.#first > SENT_KEPT) {
      pieces.splice(0, this.#first)
      this.#first = 0
    }
  }
}
