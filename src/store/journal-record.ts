// Codec of journal records. RecordBuffer builds them one behind the other in one growing buffer, so that a tick's
// records leave with one write; readRecord reads one back. The layout is drawn in docs/format/journal.md.
// Used by: journal.ts, recovery.ts.
//
// Invariants of RecordBuffer: (1) bytes[0, used) are whole records except for their checksums, which the write fills
// in;
// (2) an open record lies behind them and is forgotten by abandon(); (3) sequence numbers are gapless.

import { assert } from '../base/assert.js'
import { copyBytes } from '../base/copy-bytes.js'
import { crc32c } from '../native/crc32c.js'
import { RECORD } from '../native/journal-write.js'

/** Offsets inside one effect of a record, version 1. On disk, so frozen. */
export const EFFECT = { DATABASE: 0, LENGTH: 1, BODY: 5 } as const

const BUFFER_BYTES_START = 1 << 20
/** Buffers that one huge record made larger than this are given back. */
const BUFFER_BYTES_KEPT_MAX = 16 << 20
/** A record is read back through one Buffer, and its length is an unsigned 32-bit number. */
export const RECORD_BYTES_MAX = 0x7fff_ffff
const TWO_32 = 4294967296
const MULTI_BULK = 42 // '*'
const BULK = 36 // '$'
/** A kind, a count, a line end. */
const HEADER_BYTES_MAX = 16

export interface Effect {
  readonly database: number
  /** The command as a complete RESP array. */
  readonly bytes: Buffer
}

export interface JournalRecord {
  readonly sequence: number
  /** The frozen clock of the command, Unix ms. */
  readonly nowMs: number
  readonly effects: readonly Effect[]
}

export class RecordBuffer {
  bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES_START)
  #view = viewOf(this.bytes)
  /** End of the whole records. */
  used = 0
  /** Start of the open record's header is `used`; this is its end so far. 0 when none is open. */
  #at = 0
  #effects = 0

  get open(): boolean {
    return this.#at !== 0
  }

  begin(sequence: number, nowMs: number): void {
    assert(this.#at === 0, 'a journal record is open already')
    const start = this.used
    this.#reserve(start, RECORD.BODY)
    const view = this.#view
    view.setUint32(start + RECORD.SEQUENCE, sequence % TWO_32, true)
    view.setUint32(start + RECORD.SEQUENCE + 4, sequence / TWO_32, true)
    view.setUint32(start + RECORD.NOW_MS, nowMs % TWO_32, true)
    view.setUint32(start + RECORD.NOW_MS + 4, nowMs / TWO_32, true)
    this.#at = start + RECORD.BODY
    this.#effects = 0
  }

  add(database: number, bytes: Buffer, from: number, to: number): void {
    this.#openEffect(database, to - from)
    this.#copy(bytes, from, to)
  }

  addSpliced(
    database: number,
    bytes: Buffer,
    from: number,
    to: number,
    cutFrom: number,
    cutTo: number,
    piece: Buffer,
    pieceBytes: number,
  ): void {
    this.#openEffect(database, to - from - (cutTo - cutFrom) + pieceBytes)
    this.#copy(bytes, from, cutFrom)
    this.#copy(piece, 0, pieceBytes)
    this.#copy(bytes, cutTo, to)
  }

  addArguments(database: number, args: readonly (Buffer | string | number | bigint)[]): void {
    const lengthAt = this.#at + EFFECT.LENGTH
    this.#openEffect(database, 0)
    const from = this.#at
    this.#header(MULTI_BULK, args.length)
    for (let i = 0; i < args.length; i++) {
      const arg = args[i]
      if (typeof arg === 'object') {
        this.#header(BULK, arg.length)
        this.#reserve(this.#at, arg.length + 2)
        this.#copy(arg, 0, arg.length)
      } else {
        const text = typeof arg === 'string' ? arg : String(arg)
        this.#header(BULK, text.length)
        this.#reserve(this.#at, text.length + 2)
        this.#text(text)
      }
      this.#lineEnd()
    }
    this.#view.setUint32(lengthAt, this.#at - from, true)
  }

  /** True when the record had effects and is kept. */
  end(): boolean {
    assert(this.#at !== 0, 'no journal record is open')
    const kept = this.#effects > 0
    if (kept) {
      this.#view.setUint32(this.used + RECORD.LENGTH, this.#at - this.used, true)
      this.#view.setUint32(this.used + RECORD.EFFECTS, this.#effects, true)
      this.used = this.#at
    }
    this.#at = 0
    return kept
  }

  abandon(): void {
    this.#at = 0
  }

  /** Moves the records from `from` on to the end of `target`; none may be open in either. */
  moveTail(from: number, target: RecordBuffer): void {
    assert(this.#at === 0, 'a journal record is open')
    const length = this.used - from
    if (length === 0) return
    target.#reserve(target.used, length)
    this.bytes.copy(target.bytes, target.used, from, this.used)
    target.used += length
    this.used = from
  }

  /** Forgets the whole records; an open one must not exist. */
  clear(): void {
    assert(this.#at === 0, 'a journal record is open')
    this.used = 0
    if (this.bytes.length > BUFFER_BYTES_KEPT_MAX) {
      this.bytes = Buffer.allocUnsafeSlow(BUFFER_BYTES_START)
      this.#view = viewOf(this.bytes)
    }
  }

  #openEffect(database: number, length: number): void {
    assert(this.#at !== 0, 'no journal record is open')
    this.#reserve(this.#at, EFFECT.BODY + length)
    this.bytes[this.#at + EFFECT.DATABASE] = database
    this.#view.setUint32(this.#at + EFFECT.LENGTH, length, true)
    this.#at += EFFECT.BODY
    this.#effects++
  }

  #copy(source: Buffer, from: number, to: number): void {
    this.#at = copyBytes(source, from, to, this.bytes, this.#at)
  }

  #header(kind: number, count: number): void {
    this.#reserve(this.#at, HEADER_BYTES_MAX)
    this.bytes[this.#at++] = kind
    this.#text(String(count))
    this.#lineEnd()
  }

  #text(latin1: string): void {
    const target = this.bytes
    let at = this.#at
    for (let i = 0; i < latin1.length; i++) target[at++] = latin1.charCodeAt(i)
    this.#at = at
  }

  #lineEnd(): void {
    this.bytes[this.#at++] = 13
    this.bytes[this.#at++] = 10
  }

  #reserve(at: number, more: number): void {
    if (at + more > this.bytes.length) this.#grow(at, more)
  }

  #grow(at: number, more: number): void {
    assert(at + more - this.used <= RECORD_BYTES_MAX, 'a journal record of 2 GiB')
    const larger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, at + more))
    this.bytes.copy(larger, 0, 0, at)
    this.bytes = larger
    this.#view = viewOf(larger)
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/**
 * Length of the good record at `at`, or 0 when there is none: cut short, wrong checksum, or lengths that do not fit.
 */
export function recordBytesAt(bytes: Buffer, at: number): number {
  if (bytes.length - at < RECORD.BODY) return 0
  const length = bytes.readUInt32LE(at + RECORD.LENGTH)
  if (length <= RECORD.BODY || length > bytes.length - at) return 0
  return bytes.readUInt32LE(at + RECORD.CRC) === crc32c(bytes, at + RECORD.SEQUENCE, at + length) ? length : 0
}

export function sequenceAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + RECORD.SEQUENCE) + bytes.readUInt32LE(at + RECORD.SEQUENCE + 4) * TWO_32
}

/** The record at `at`, whose checksum holds; undefined when its effects do not fill it exactly. Slices, not copies. */
export function readRecord(bytes: Buffer, at: number, length: number): JournalRecord | undefined {
  const end = at + length
  const count = bytes.readUInt32LE(at + RECORD.EFFECTS)
  const effects: Effect[] = []
  let position = at + RECORD.BODY
  for (let i = 0; i < count; i++) {
    if (end - position < EFFECT.BODY) return undefined
    const database = bytes[position + EFFECT.DATABASE]
    const from = position + EFFECT.BODY
    position = from + bytes.readUInt32LE(position + EFFECT.LENGTH)
    if (position > end) return undefined
    effects.push({ database, bytes: bytes.subarray(from, position) })
  }
  if (position !== end) return undefined
  const nowMs = bytes.readUInt32LE(at + RECORD.NOW_MS) + bytes.readUInt32LE(at + RECORD.NOW_MS + 4) * TWO_32
  return { sequence: sequenceAt(bytes, at), nowMs, effects }
}
