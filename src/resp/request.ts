// One command as it was received: the bytes of the connection's buffer plus where each argument lies. A view: valid
// until the parser is fed again. Scripts and the journal's replay fill the same structure.

import type { LargeArgument } from './large-argument.js'
import { shortText } from './short-text.js'

declare global {
  // Node has these since ever; its type package names only the slower toString() and write().
  interface Buffer {
    latin1Slice(from?: number, to?: number): string
    latin1Write(text: string, at?: number, length?: number): number
  }
}

export class Request {
  /** Bytes that hold the command. */
  buffer: Buffer = EMPTY
  /** Where the whole command begins and ends in `buffer`: always a complete, canonical RESP array of bulk strings. */
  from = 0
  to = 0
  /** Number of arguments, the command's name included. */
  argc = 0
  /** Start offset of each argument's bytes (not of its '$' header). Entries past argc are stale. */
  readonly starts: number[] = []
  /** Length in bytes of each argument. */
  readonly lengths: number[] = []
  /** Arguments that were received in pieces, by index: see LargeRequest. Undefined in nearly all requests. */
  readonly large: ReadonlyMap<number, LargeArgument> | undefined = undefined

  /** A view of argument `i`. Copy it before keeping it. */
  bytes(i: number): Buffer {
    const start = this.starts[i]
    return this.buffer.subarray(start, start + this.lengths[i])
  }

  /** Argument `i` as a latin1 string: one character per byte, lossless. */
  text(i: number): string {
    return shortText(this.buffer, this.starts[i], this.lengths[i])
  }

  /** A copy of argument `i` that may be kept. */
  copy(i: number): Buffer {
    return Buffer.from(this.bytes(i))
  }

  /** True when argument `i` is `word` in any case. `word` must be upper-case ASCII. */
  is(i: number, word: string): boolean {
    if (this.lengths[i] !== word.length) return false
    const start = this.starts[i]
    for (let k = 0; k < word.length; k++) {
      let c = this.buffer[start + k]
      if (c >= 97 && c <= 122) c -= 32
      if (c !== word.charCodeAt(k)) return false
    }
    return true
  }

  /** Offset of the '$' header of argument `i`; for copying "the rest of the command" in one piece. */
  headerOf(i: number): number {
    // '$' digits CR LF lies right before the bytes; the digits' count follows from the length.
    return this.starts[i] - 3 - decimalDigits(this.lengths[i])
  }

  /** An independent copy of this request, for commands that wait. */
  detach(): Request {
    const copy = new Request()
    copy.buffer = Buffer.from(this.buffer.subarray(this.from, this.to))
    copy.to = this.to - this.from
    copy.argc = this.argc
    for (let i = 0; i < this.argc; i++) {
      copy.starts.push(this.starts[i] - this.from)
      copy.lengths.push(this.lengths[i])
    }
    return copy
  }
}

const EMPTY = Buffer.alloc(0)

export function decimalDigits(n: number): number {
  let digits = 1
  while (n >= 10) {
    n = Math.floor(n / 10)
    digits++
  }
  return digits
}

/** Builds a request from arguments; for tests, replay tools and inline commands. Strings are latin1. */
export function requestOf(args: readonly (Buffer | string | number | bigint)[]): Request {
  const request = new Request()
  const pieces: Buffer[] = []
  let at = 0
  const push = (piece: Buffer) => {
    pieces.push(piece)
    at += piece.length
  }
  push(Buffer.from(`*${args.length}\r\n`))
  for (const arg of args) {
    const bytes = Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg), 'latin1')
    push(Buffer.from(`$${bytes.length}\r\n`))
    request.starts.push(at)
    request.lengths.push(bytes.length)
    push(bytes)
    push(CRLF)
  }
  request.buffer = Buffer.concat(pieces)
  request.to = at
  request.argc = args.length
  return request
}

const CRLF = Buffer.from('\r\n')
