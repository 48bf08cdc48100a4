// A page of stream entries kept as the RESP bytes a reader receives, so that a read is a slice and no work.
// bytes[start, used) holds the entries; behind `used` is room for more.
// Invariant, on which replies rest that hold slices of `bytes`: bytes in [0, used) of a buffer never change once they
// were written. Appends go into the room behind; removal from the front moves `start`; every other change makes a new
// buffer; removal from the end gives up the room behind.
// Used by: types/stream. Uses: wire-entry (bytes of an entry), wire-index (offsets and IDs, derived when needed).

import { assert } from '../base/assert.js'
import { copyBytes } from '../base/copy-bytes.js'
import { CorruptionError } from '../base/errors.js'
import { putId, type StreamId } from '../base/stream-id.js'
import { PAGE_KIND, type Page, type PageCodec } from './page.js'
import { bodyBytesFilling } from './page-row.js'
import { streamIdKey } from './stream-id-key.js'
import { ENTRY_HEADER_BYTES_MAX, putEntryHeader } from './wire-entry.js'
import { WireIndex } from './wire-index.js'

/** Four pages of LMDB: large enough for LZ4 to find the repetition, small enough to copy when an entry is deleted. */
export const WIRE_BODY_BYTES_MAX = bodyBytesFilling(4)
const CAPACITY_BYTES_MIN = 256
const OBJECT_BYTES = 200
const NO_BYTES = Buffer.alloc(0)

export class WirePage implements Page<StreamId> {
  bytes: Buffer
  /** Offset of the first entry. */
  start: number
  /** Offset behind the last entry. */
  used: number
  count: number
  #index: WireIndex | undefined = undefined

  constructor(bytes: Buffer, count: number) {
    this.bytes = bytes
    this.start = 0
    this.used = bytes.length
    this.count = count
  }

  get bodyBytes(): number {
    return this.used - this.start
  }

  /** The index is counted as a quarter of the capacity whether it is there or not: it comes and goes with reads. */
  get memoryBytes(): number {
    return this.bytes.length + (this.bytes.length >>> 2) + OBJECT_BYTES
  }

  get summary(): number {
    return 0
  }

  get visibleSummary(): number {
    return 0
  }

  /** Whether an entry whose fields take `fieldBytes` fits without the page growing over its maximum. */
  fits(fieldBytes: number): boolean {
    return this.used - this.start + ENTRY_HEADER_BYTES_MAX + fieldBytes <= WIRE_BODY_BYTES_MAX
  }

  /** Makes room for a full page at once, so that it is not copied from buffer to buffer while it grows. */
  reserve(): void {
    if (this.bytes.length < WIRE_BODY_BYTES_MAX) this.#grow(WIRE_BODY_BYTES_MAX - this.bodyBytes)
  }

  /**
   * Adds an entry behind all others; its ID must be above theirs. `fields[from, to)` is the RESP of its fields and
   * values ('$1\r\nf\r\n$1\r\nv\r\n…'), copied.
   */
  append(id: StreamId, pairs: number, fields: Buffer, from: number, to: number): void {
    const length = to - from
    if (this.used + ENTRY_HEADER_BYTES_MAX + length > this.bytes.length) this.#grow(ENTRY_HEADER_BYTES_MAX + length)
    const bytes = this.bytes
    const fieldsAt = putEntryHeader(bytes, this.used, id, pairs)
    if (this.#index !== undefined) this.#index.push(this.used, id)
    this.used = copyBytes(fields, from, to, bytes, fieldsAt)
    this.count++
  }

  lowerBound(id: StreamId): number {
    return this.index().lowerBound(id)
  }

  keyAt(index: number): StreamId {
    return this.index().idAt(index)
  }

  isAt(index: number, id: StreamId): boolean {
    return this.compareAt(index, id) === 0
  }

  /** Sign of (the ID of entry `index`) minus `id`. */
  compareAt(index: number, id: StreamId): number {
    return this.index().compareAt(index, id)
  }

  /** Where entry `index` begins in `bytes`; `used` for the count. */
  offsetOf(index: number): number {
    if (index === 0) return this.start // asked for by every read of whole pages, which need no index
    return index < this.count ? this.index().offsetAt(index) : this.used
  }

  /** Where entry `index` ends in `bytes`. */
  endOf(index: number): number {
    return this.offsetOf(index + 1)
  }

  /** Writes the ID of entry `index` as 16 bytes. */
  idBytesAt(index: number, target: Uint8Array, at: number): void {
    putId(target, at, this.index().idAt(index))
  }

  /** @throws CorruptionError when the page was read from disk and its bytes are no entries */
  index(): WireIndex {
    return (this.#index ??= WireIndex.scan(this.bytes, this.start, this.used, this.count))
  }

  indexAtBytes(bytes: number): number {
    const limit = this.start + bytes
    return this.used <= limit ? this.count : Math.max(0, this.index().indexAtOffset(limit + 1) - 1)
  }

  removeRange(from: number, to: number): void {
    assert(from >= 0 && to <= this.count, 'the entries to remove are there')
    if (from >= to) return
    const removed = to - from
    if (from === 0) {
      this.start = this.offsetOf(to)
      this.#index?.dropFirst(removed)
    } else if (to === this.count) {
      this.used = this.offsetOf(from)
      this.bytes = this.bytes.subarray(0, this.used)
      this.#index?.dropLast(removed)
    } else {
      this.#cut(from, to)
    }
    this.count -= removed
    if (this.count === 0) this.#empty()
  }

  splitOff(at: number): WirePage {
    const offset = this.offsetOf(at)
    const right = new WirePage(copyOf(this.bytes, offset, this.used), this.count - at)
    right.#index = this.#index?.slice(at, this.count, -offset)
    this.removeRange(at, this.count)
    return right
  }

  absorb(next: WirePage): void {
    const index = this.#index !== undefined ? next.index() : undefined
    if (this.used + next.bodyBytes > this.bytes.length) this.#grow(next.bodyBytes)
    next.bytes.copy(this.bytes, this.used, next.start, next.used)
    if (index !== undefined) this.#index?.append(index, this.used - next.start)
    this.used += next.bodyBytes
    this.count += next.count
  }

  encodeBody(): Buffer {
    return this.bytes.subarray(this.start, this.used)
  }

  /** Takes entries out of the middle. */
  #cut(from: number, to: number): void {
    const index = this.index()
    const head = index.offsetAt(from)
    const tail = index.offsetAt(to)
    const bytes = Buffer.allocUnsafe(this.bodyBytes - (tail - head))
    const kept = this.bytes.copy(bytes, 0, this.start, head)
    this.bytes.copy(bytes, kept, tail, this.used)
    this.#index = index.slice(0, from, -this.start)
    this.#index.append(index.slice(to, this.count, 0), kept - tail)
    this.bytes = bytes
    this.start = 0
    this.used = bytes.length
  }

  #empty(): void {
    this.bytes = NO_BYTES
    this.start = 0
    this.used = 0
    this.#index = undefined
  }

  /** Moves the entries to a buffer with room for at least `bytes` more. */
  #grow(bytes: number): void {
    const needed = this.bodyBytes + bytes
    const doubled = Math.max(needed, Math.min(needed * 2, WIRE_BODY_BYTES_MAX), CAPACITY_BYTES_MIN)
    const grown = Buffer.allocUnsafe(doubled)
    this.bytes.copy(grown, 0, this.start, this.used)
    if (this.start > 0) this.#index?.shift(-this.start)
    this.used -= this.start
    this.start = 0
    this.bytes = grown
  }
}

function copyOf(bytes: Buffer, from: number, to: number): Buffer {
  const copy = Buffer.allocUnsafe(to - from)
  bytes.copy(copy, 0, from, to)
  return copy
}

export const wireCodec: PageCodec<StreamId, WirePage> = {
  kind: PAGE_KIND.wire,
  bodyBytesMax: WIRE_BODY_BYTES_MAX,
  ...streamIdKey,
  empty: () => new WirePage(NO_BYTES, 0),
  /** The entries are checked when they are looked for one by one; whole pages are served as the checksum found them. */
  decode(body, count) {
    if (count === 0 || body.length === 0) throw new CorruptionError('wire page without entries')
    return new WirePage(body, count)
  },
}
