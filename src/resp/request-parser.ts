// Bytes of one connection in, Requests out. A command that lies whole in the received chunk is a view of that chunk;
// only what is unfinished at a chunk's end is copied, into a carry buffer that grows with what has really arrived; of a
// long argument into pieces of its own (large-argument), so that it need not be copied again.
// Accepts and refuses what redis-server 7.0 does, with its texts. Neighbours: request.ts (the view), inline-request.ts
// (text commands).
//
// Invariants: [from, end) of the buffer are the bytes received and not yet returned by next(); a command that is being
// read starts at `from`, and `at` is how far it was read. A fed chunk belongs to the parser, which may write to it,
// until settle().

import { readInt64 } from '../base/numbers.js'
import { splitInline } from './inline-request.js'
import { LargeArgument } from './large-argument.js'
import { LargeRequest } from './large-request.js'
import { Request, requestOf } from './request.js'

const CR = 13
const LF = 10
const ZERO = 48
const DOLLAR = 36
const STAR = 42

/** A header or inline command that has not ended after so many bytes is refused. */
const LINE_BYTES_MAX = 64 * 1024
const ARGS_MAX = 2 ** 31 - 1
const UNAUTHENTICATED_ARGS_MAX = 10
const UNAUTHENTICATED_BULK_BYTES_MAX = 16384
/** An argument of so many bytes that is not all there is received in pieces. */
export const LARGE_BYTES_MIN = 1024 * 1024
const CARRY_BYTES_MIN = 512
/** A carry buffer above this is given up when it is mostly empty. */
const CARRY_BYTES_KEPT = 1024 * 1024
/** Offsets of a request with more arguments are given up afterwards, so that one huge command is not paid for ever. */
const ARGS_KEPT = 4096
/** Lengths with more digits are left to the slow path, which knows all limits. */
const FAST_LENGTH_MAX = 2 ** 30

export class RequestParser {
  /** proto-max-bulk-len; may be changed at any time. */
  bulkBytesMax: number
  /** True applies Redis' small limits for clients that have not authenticated. */
  unauthenticated = false
  /**
   * Set when the client broke the protocol: the text to answer after '-ERR ', then to close. Nothing more is parsed.
   */
  fault: string | undefined = undefined

  readonly #request = new Request()
  #buffer: Buffer = EMPTY
  /** True when #buffer was allocated here, so that there may be room behind #end. */
  #carried = false
  #from = 0
  #end = 0
  #at = 0
  /** How far the line at #at was searched for its end; saves slow senders from being searched again and again. */
  #searched = 0
  /** Announced and already read arguments of the command that is being read; 0 announced between commands. */
  #argsAnnounced = 0
  #argsRead = 0
  /** Announced length of the argument whose bytes are awaited, or -1. */
  #bulkBytes = -1
  /** The argument that is being received in pieces, and those of the command that were. */
  #coming: LargeArgument | undefined
  #large: Map<number, LargeArgument> | undefined
  #largeBytes = 0

  constructor(bulkBytesMax: number) {
    this.bulkBytesMax = bulkBytesMax
  }

  /** Bytes received that no returned request covers. */
  get bufferedBytes(): number {
    return this.#end - this.#from + this.#largeBytes + (this.#coming?.received ?? 0)
  }

  /** Room behind those bytes in the parser's own buffer. */
  get freeBytes(): number {
    return this.#carried ? this.#buffer.length - this.#end : 0
  }

  /** Takes what arrived, chunk[from, to), which is the parser's from now on. Ends the life of the last request. */
  feed(chunk: Buffer, from = 0, to = chunk.length): void {
    if (this.#from !== this.#end) {
      const rest = this.#coming === undefined ? from : this.#coming.take(chunk, from, to)
      if (rest < to) this.#append(chunk, rest, to)
      return
    }
    this.#buffer = chunk
    this.#carried = false
    this.#from = from
    this.#at = from
    this.#searched = 0
    this.#end = to
  }

  /** Gives the chunk back: what is left of it is copied. Ends the life of the last request. */
  settle(): void {
    if (this.#carried) return
    const kept = this.#end - this.#from
    if (kept > 0) this.#makeRoom(kept, kept)
    else this.#buffer = EMPTY
  }

  /**
   * The next complete command, or undefined when more bytes are needed (or `fault` is set). Valid until the next call.
   */
  next(): Request | undefined {
    if (this.#from === this.#end) return undefined
    // What lies whole in a buffer below the limit cannot exceed it, so the fast path need not know the limits.
    if (this.#argsAnnounced === 0 && !this.unauthenticated && this.#end - this.#from <= this.bulkBytesMax) {
      const end = parseOne(this.#buffer, this.#from, this.#request, this.#end)
      if (end > 0) {
        this.#consume(end)
        return this.#request
      }
    }
    return this.#nextSlowly()
  }

  #nextSlowly(): Request | undefined {
    while (this.fault === undefined && this.#from < this.#end) {
      if (this.#argsAnnounced > 0) return this.#readArguments() ? this.#finish() : undefined
      if (this.#buffer[this.#from] === STAR) {
        if (!this.#readCount()) return undefined
      } else {
        const args = this.#readInline()
        if (args === undefined) return undefined
        if (args.length > 0) return requestOf(args)
      }
    }
    return undefined
  }

  /** Reads '*<count>'; false when it is incomplete or wrong. A count below one is a command of nothing: skipped. */
  #readCount(): boolean {
    const cr = this.#lineEnd(CR, 'too big mbulk count string')
    if (cr < 0) return false
    const count = readInt64(this.#buffer, this.#at + 1, cr)
    if (count === undefined || count > ARGS_MAX) return this.#fail('invalid multibulk length')
    if (count > UNAUTHENTICATED_ARGS_MAX && this.unauthenticated) return this.#fail('unauthenticated multibulk length')
    this.#buffer[cr + 1] = LF // not checked by Redis; what goes to the journal must be canonical
    if (count <= 0) {
      this.#consume(cr + 2)
      return true
    }
    const { starts, lengths } = this.#request
    if (starts.length > ARGS_KEPT) starts.length = lengths.length = 0
    this.#argsAnnounced = Number(count)
    this.#argsRead = 0
    this.#at = cr + 2
    return true
  }

  /** Reads on in the command's arguments; true when all are there. */
  #readArguments(): boolean {
    const { starts, lengths } = this.#request
    while (this.#argsRead < this.#argsAnnounced) {
      if (this.#bulkBytes < 0 && !this.#readBulkHeader()) return false
      if (this.#bulkBytes >= LARGE_BYTES_MIN && this.#at + this.#bulkBytes > this.#end) this.#receiveInPieces()
      if (this.#coming?.complete === false) return false
      const after = this.#at + (this.#coming === undefined ? this.#bulkBytes : 0)
      if (after + 2 > this.#end) return false
      this.#buffer[after] = CR
      this.#buffer[after + 1] = LF
      starts[this.#argsRead] = this.#at
      lengths[this.#argsRead] = after - this.#at
      if (this.#coming !== undefined) this.#keepLarge(this.#coming)
      this.#argsRead++
      this.#at = after + 2
      this.#bulkBytes = -1
    }
    return true
  }

  #readBulkHeader(): boolean {
    const cr = this.#lineEnd(CR, 'too big bulk count string')
    if (cr < 0) return false
    const kind = this.#buffer[this.#at]
    if (kind !== DOLLAR) return this.#fail(`expected '$', got '${String.fromCharCode(kind)}'`)
    const bytes = readInt64(this.#buffer, this.#at + 1, cr)
    if (bytes === undefined || bytes < 0 || bytes > this.bulkBytesMax) return this.#fail('invalid bulk length')
    if (bytes > UNAUTHENTICATED_BULK_BYTES_MAX && this.unauthenticated) return this.#fail('unauthenticated bulk length')
    this.#buffer[cr + 1] = LF
    this.#at = cr + 2
    this.#bulkBytes = Number(bytes)
    return true
  }

  /** What is there of the argument, and what comes, goes into pieces; it is empty in the buffer. */
  #receiveInPieces(): void {
    if (this.#coming !== undefined) return
    const coming = new LargeArgument(this.#bulkBytes)
    coming.take(this.#buffer, this.#at, this.#end)
    this.#coming = coming
    this.#end = this.#at
  }

  #keepLarge(argument: LargeArgument): void {
    this.#large ??= new Map()
    this.#large.set(this.#argsRead, argument)
    this.#largeBytes += argument.length
    this.#coming = undefined
  }

  #finish(): Request {
    const large = this.#large
    if (large === undefined) return this.#finishWhole()
    this.#large = undefined
    this.#largeBytes = 0
    return new LargeRequest(this.#finishWhole(), large)
  }

  #finishWhole(): Request {
    const request = this.#request
    request.buffer = this.#buffer
    request.from = this.#from
    request.to = this.#at
    request.argc = this.#argsAnnounced
    this.#argsAnnounced = 0
    this.#consume(this.#at)
    return request
  }

  /** The words of a line; empty for a blank one, undefined when it is incomplete or wrong. */
  #readInline(): string[] | undefined {
    const lf = this.#lineEnd(LF, 'too big inline request')
    if (lf < 0) return undefined
    const end = lf > this.#from && this.#buffer[lf - 1] === CR ? lf - 1 : lf
    const args = splitInline(this.#buffer.latin1Slice(this.#from, end))
    if (args === undefined) this.#fail('unbalanced quotes in request')
    else this.#consume(lf + 1)
    return args
  }

  /**
   * Offset of the byte that ends the line at #at, or -1 when it is not there yet. After a CR one more byte must be
   * there. A NUL hides everything behind it, as it does from Redis: such a line never ends and becomes too big.
   */
  #lineEnd(terminator: number, tooBig: string): number {
    const buffer = this.#buffer
    const last = terminator === CR ? this.#end - 1 : this.#end
    let i = Math.max(this.#at, this.#searched)
    for (; i < last && buffer[i] !== 0; i++) if (buffer[i] === terminator) return i
    this.#searched = i
    if (this.#end - this.#at > LINE_BYTES_MAX) this.#fail(tooBig)
    return -1
  }

  #consume(to: number): void {
    this.#from = to
    this.#at = to
  }

  #fail(what: string): false {
    this.fault = `Protocol error: ${what}`
    return false
  }

  #append(chunk: Buffer, from: number, to: number): void {
    const kept = this.#end - this.#from
    const length = to - from
    if (!this.#carried || this.#end + length > this.#buffer.length) this.#makeRoom(kept, kept + length)
    this.#end += chunk.copy(this.#buffer, this.#end, from, to)
  }

  /** Moves the kept bytes to the front of a buffer with room for `needed`. */
  #makeRoom(kept: number, needed: number): void {
    const wasteful = this.#buffer.length > Math.max(CARRY_BYTES_KEPT, 4 * needed)
    const reused = this.#carried && needed <= this.#buffer.length && this.#from >= kept && !wasteful
    const target = reused ? this.#buffer : Buffer.allocUnsafeSlow(this.#capacityFor(kept, needed))
    this.#buffer.copy(target, 0, this.#from, this.#end)
    const moved = this.#from
    const { starts } = this.#request
    if (this.#argsAnnounced > 0) for (let i = 0; i < this.#argsRead; i++) starts[i] -= moved
    this.#buffer = target
    this.#carried = true
    this.#from = 0
    this.#at -= moved
    this.#searched = Math.max(this.#searched - moved, 0)
    this.#end = kept
  }

  /**
   * Doubles while one command keeps arriving in pieces, so that each byte is copied a bounded number of times; but
   * never far beyond its announced end, nor to the announced length before half of it is there.
   */
  #capacityFor(kept: number, needed: number): number {
    let bytes = kept < needed - kept ? needed : needed * 2
    if (this.#bulkBytes >= 0 && this.#coming === undefined) {
      const announced = this.#at - this.#from + this.#bulkBytes + 2
      bytes = Math.max(needed, Math.min(bytes, announced + LINE_BYTES_MAX))
    }
    return Math.max(bytes, CARRY_BYTES_MIN)
  }
}

/**
 * Reads the canonical command at `from` of buffer[0, end) into `request` and returns where it ends. -1 when it is
 * incomplete or not canonical; the request is then garbage.
 */
export function parseOne(buffer: Buffer, from: number, request: Request, end = buffer.length): number {
  if (from + 4 > end || buffer[from] !== STAR) return -1
  const { starts, lengths } = request
  let at = from + 1
  let argc = buffer[at] - ZERO
  if (argc < 1 || argc > 9) return -1
  let c = buffer[++at]
  while (c >= ZERO && c < ZERO + 10 && at + 1 < end && argc < FAST_LENGTH_MAX) {
    argc = argc * 10 + c - ZERO
    c = buffer[++at]
  }
  if (c !== CR || at + 1 >= end || buffer[at + 1] !== LF) return -1
  at += 2
  for (let i = 0; i < argc; i++) {
    if (at + 6 > end || buffer[at] !== DOLLAR) return -1
    let length = buffer[at + 1] - ZERO
    if (length < 0 || length > 9) return -1
    at += 2
    c = buffer[at]
    if (length > 0) {
      while (c >= ZERO && c < ZERO + 10 && at + 1 < end && length < FAST_LENGTH_MAX) {
        length = length * 10 + c - ZERO
        c = buffer[++at]
      }
    }
    const start = at + 2
    at = start + length
    if (c !== CR || at + 2 > end || buffer[start - 1] !== LF || buffer[at] !== CR || buffer[at + 1] !== LF) return -1
    starts[i] = start
    lengths[i] = length
    at += 2
  }
  request.buffer = buffer
  request.from = from
  request.to = at
  request.argc = argc
  return at
}

const EMPTY = Buffer.alloc(0)
