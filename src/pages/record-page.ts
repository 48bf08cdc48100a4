// A page of fixed-size records sorted by stream ID: 16 bytes of ID, big-endian, then a payload the owner defines. PELs.
// Records lie side by side in one buffer and are changed in place; no reply ever refers to them.
// Used by: types/stream. The summary, if the codec has one, is a lower bound of a 64-bit field of the payload.
//
// A record can be hidden: firstVisible() passes over it until it is written again. Nobody else minds, and the disk does
// not know: the mark is the top bit of the field summed up, which no value needs, and lives as long as the page does.

import { assert } from '../base/assert.js'
import { CorruptionError } from '../base/errors.js'
import { compareIdAt, getId, getU32, putId, STREAM_ID_BYTES, type StreamId } from '../base/stream-id.js'
import type { Page, PageCodec } from './page.js'
import { bodyBytesFilling } from './page-row.js'
import { GUESSED_MIN, placeGuess } from './place-guess.js'
import { streamIdKey } from './stream-id-key.js'

export const RECORD_BODY_BYTES_MAX = bodyBytesFilling(2)
const RECORDS_MIN = 8
/** What a page more than half full has in memory, whatever its records: a full one takes a record, then splits. */
const FULL_BYTES = RECORD_BODY_BYTES_MAX + 64
/** Buffers of emptied pages, to be filled again: a group that keeps up empties its pages as fast as it fills them. */
const SPARE_BUFFERS_MAX = 64
const spares: Buffer[] = []
const OBJECT_BYTES = 200
const TWO_32 = 4294967296
/** Of the first byte of the field summed up. */
const HIDDEN = 0x80
const VALUE_MASK = 0x7fffffff
const NO_BYTES = Buffer.alloc(0)
/** Summary of a page without records: no bound is below it. */
const SUMMARY_NONE: number = Number.MAX_SAFE_INTEGER

export class RecordPage implements Page<StreamId> {
  /** Record i is bytes[i * recordBytes, (i + 1) * recordBytes). */
  bytes: Buffer
  count: number
  /** Lower bound of the field at `summaryAt` over all records; 0 without such a field. */
  summary: number
  /** As `summary`, over the records that are not hidden. */
  visibleSummary: number
  /** Whether any record may be hidden. */
  #hides = false
  /**
   * The one record whose field is `summary`, as long as that is known, else -1; then no other's is below #othersMin.
   * So a page of which one record after another grows old and is made young again is not read through for each.
   */
  #lowestAt = -1
  #othersMin: number = SUMMARY_NONE

  constructor(
    bytes: Buffer,
    count: number,
    readonly recordBytes: number,
    /** Offset in the record of the field that is summed up; 0 for none (the ID lies there). */
    readonly summaryAt: number,
  ) {
    this.bytes = bytes
    this.count = count
    this.summary = summaryAt === 0 ? 0 : SUMMARY_NONE
    this.visibleSummary = this.summary
  }

  get bodyBytes(): number {
    return this.count * this.recordBytes
  }

  get memoryBytes(): number {
    return this.bytes.length + OBJECT_BYTES
  }

  lowerBound(id: StreamId): number {
    const { bytes, recordBytes } = this
    let low = 0
    let high = this.count
    // Deliveries come behind the last record.
    if (high > 0 && compareIdAt(bytes, (high - 1) * recordBytes, id) < 0) return high
    if (high > GUESSED_MIN) {
      let at = this.#guess(id)
      let sign = compareIdAt(bytes, at * recordBytes, id)
      if (sign === 0) return at
      if (sign < 0) {
        low = at + 1
        for (let step = 1; (at += step) < high; step *= 2) {
          sign = compareIdAt(bytes, at * recordBytes, id)
          if (sign === 0) return at
          if (sign > 0) high = at
          else low = at + 1
        }
      } else {
        high = at
        for (let step = 1; (at -= step) >= low; step *= 2) {
          sign = compareIdAt(bytes, at * recordBytes, id)
          if (sign === 0) return at
          if (sign < 0) low = at + 1
          else high = at
        }
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareIdAt(bytes, middle * recordBytes, id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** By the milliseconds, or by the sequence numbers when all are of one. There are records. */
  #guess(id: StreamId): number {
    const { bytes, count } = this
    const last = (count - 1) * this.recordBytes
    const firstMs = getU64(bytes, 0)
    const lastMs = getU64(bytes, last)
    if (firstMs < lastMs) return placeGuess(firstMs, lastMs, id.msHi * TWO_32 + id.msLo, count)
    return placeGuess(getU64(bytes, 8), getU64(bytes, last + 8), id.seqHi * TWO_32 + id.seqLo, count)
  }

  /** The record with this ID, or -1. */
  indexOf(id: StreamId): number {
    const index = this.lowerBound(id)
    return index < this.count && this.compareAt(index, id) === 0 ? index : -1
  }

  isAt(index: number, id: StreamId): boolean {
    return this.compareAt(index, id) === 0
  }

  /** Sign of (the ID of record `index`) minus `id`. */
  compareAt(index: number, id: StreamId): number {
    return compareIdAt(this.bytes, index * this.recordBytes, id)
  }

  keyAt(index: number): StreamId {
    return getId(this.bytes, index * this.recordBytes)
  }

  /** Where the ID of record `index` begins in `bytes`; right until the next insert or removal. */
  keyOffsetAt(index: number): number {
    return index * this.recordBytes
  }

  /** Where the payload of record `index` begins in `bytes`; right until the next insert or removal. */
  payloadAt(index: number): number {
    return index * this.recordBytes + STREAM_ID_BYTES
  }

  /**
   * Adds a record with this ID, which must be new, and a payload of zeros; then write the payload and call written().
   */
  insert(id: StreamId): number {
    const { recordBytes } = this
    const index = this.lowerBound(id)
    assert(index === this.count || this.compareAt(index, id) !== 0, 'a record is inserted once')
    if ((this.count + 1) * recordBytes > this.bytes.length) this.#grow(1)
    const at = index * recordBytes
    if (index < this.count) this.bytes.copyWithin(at + recordBytes, at, this.count * recordBytes)
    if (index <= this.#lowestAt) this.#lowestAt++
    putId(this.bytes, at, id)
    for (let i = at + STREAM_ID_BYTES; i < at + recordBytes; i++) this.bytes[i] = 0
    this.count++
    return index
  }

  /** Must be called when the payload of record `index` was written: keeps the summaries right. */
  written(index: number): void {
    if (this.summaryAt === 0) return
    const at = index * this.recordBytes + this.summaryAt
    const high = this.bytes.readUInt32BE(at)
    const value = (high & VALUE_MASK) * TWO_32 + this.bytes.readUInt32BE(at + 4)
    if (this.#hides) {
      if (value < this.summary) this.summary = value
      if (value < this.visibleSummary && high <= VALUE_MASK) this.visibleSummary = value
    } else {
      this.#summarize(index, value)
    }
  }

  /** Record `index`, none of which is hidden, has this value now. */
  #summarize(index: number, value: number): void {
    if (index === this.#lowestAt) {
      const isLowest = value <= this.#othersMin
      if (!isLowest) this.#lowestAt = -1
      this.summary = isLowest ? value : this.#othersMin
    } else if (value < this.summary) {
      this.#othersMin = this.summary
      this.#lowestAt = index
      this.summary = value
    } else if (value < this.#othersMin) {
      this.#othersMin = value
    }
    this.visibleSummary = this.summary
  }

  /**
   * Adds `records` whole records, ascending and above all others, from source[from, …); returns the index of the first.
   * @param summary lower bound of the field summed up in these records; undefined to have it worked out
   */
  insertRun(source: Buffer, from: number, records: number, summary?: number): number {
    const { recordBytes } = this
    const first = this.count
    assert(
      first === 0 || compareIdAt(this.bytes, (first - 1) * recordBytes, getId(source, from)) < 0,
      'a run is appended in order',
    )
    if ((first + records) * recordBytes > this.bytes.length) this.#grow(records)
    source.copy(this.bytes, first * recordBytes, from, from + records * recordBytes)
    this.count = first + records
    if (this.summaryAt === 0) return first
    if (summary === undefined) for (let i = first; i < this.count; i++) this.written(i)
    else this.#bound(summary)
    return first
  }

  /** Records have come none of which is below `summary`. */
  #bound(summary: number): void {
    if (summary < this.summary) {
      this.summary = summary
      this.#lowestAt = -1
    }
    if (summary < this.#othersMin) this.#othersMin = summary
    if (summary < this.visibleSummary) this.visibleSummary = summary
  }

  removeRange(from: number, to: number): void {
    assert(from >= 0 && to <= this.count, 'the records to remove are there')
    if (from >= to) return
    const { recordBytes } = this
    if (to < this.count) this.bytes.copyWithin(from * recordBytes, to * recordBytes, this.count * recordBytes)
    this.count -= to - from
    if (this.count === 0) this.#giveUpBuffer()
    if (this.#lowestAt >= to) this.#lowestAt -= to - from
    else if (this.#lowestAt >= from) {
      this.#lowestAt = -1
      this.summary = this.#othersMin
      this.visibleSummary = this.#othersMin
    }
  }

  splitOff(at: number): RecordPage {
    const right = new RecordPage(NO_BYTES, 0, this.recordBytes, this.summaryAt)
    right.#hides = this.#hides
    right.insertRun(this.bytes, at * this.recordBytes, this.count - at)
    this.count = at
    this.refreshSummary()
    return right
  }

  absorb(next: RecordPage): void {
    if (next.#hides) {
      this.#hides = true
      this.#lowestAt = -1
    }
    this.insertRun(next.bytes, 0, next.count)
  }

  indexAtBytes(bytes: number): number {
    return Math.min(this.count, Math.floor(bytes / this.recordBytes))
  }

  /** Works the summaries out anew, after removals and updates have made the bounds loose. */
  refreshSummary(): void {
    if (this.summaryAt === 0) return
    const { recordBytes } = this
    const view = this.#view()
    const end = this.bodyBytes
    let lowest: number = SUMMARY_NONE
    let others: number = SUMMARY_NONE
    let visible: number = SUMMARY_NONE
    let lowestAt = -1
    for (let at = this.summaryAt, i = 0; at < end; at += recordBytes, i++) {
      const high = view.getUint32(at)
      const value = (high & VALUE_MASK) * TWO_32 + view.getUint32(at + 4)
      if (value < lowest) {
        others = lowest
        lowest = value
        lowestAt = i
      } else if (value < others) {
        others = value
      }
      if (value < visible && high <= VALUE_MASK) visible = value
    }
    this.summary = lowest
    this.visibleSummary = this.#hides ? visible : lowest
    this.#lowestAt = this.#hides ? -1 : lowestAt
    this.#othersMin = others
  }

  /** The first record from `from` on whose field summed up is at most `max`; the count when there is none. */
  firstAtMost(from: number, max: number): number {
    const { recordBytes, count } = this
    if (this.#othersMin > max && this.#lowestAt >= 0) return this.#lowestOr(count, from, max)
    const view = this.#view()
    let at = from * recordBytes + this.summaryAt
    for (let i = from; i < count; i++, at += recordBytes) {
      if ((view.getUint32(at) & VALUE_MASK) * TWO_32 + view.getUint32(at + 4) <= max) return i
    }
    return count
  }

  /** As firstAtMost(), of the records that are not hidden. @param max below 2^63 */
  firstVisible(from: number, max: number): number {
    const { recordBytes, count } = this
    if (this.#othersMin > max && this.#lowestAt >= 0) return this.#lowestOr(count, from, max)
    const view = this.#view()
    let at = from * recordBytes + this.summaryAt
    for (let i = from; i < count; i++, at += recordBytes) {
      if (view.getUint32(at) * TWO_32 + view.getUint32(at + 4) <= max) return i
    }
    return count
  }

  /** The lowest record, when it is known and all others are above `max`. */
  #lowestOr(count: number, from: number, max: number): number {
    return this.summary <= max && this.#lowestAt >= from ? this.#lowestAt : count
  }

  /** Hides a record. That is no change of the page: it need not be touched. */
  hide(index: number): void {
    assert(this.summaryAt !== 0, 'only records with a summary can be hidden')
    this.bytes[index * this.recordBytes + this.summaryAt] |= HIDDEN
    this.#hides = true
    this.#lowestAt = -1
  }

  /** Hides nothing any more. */
  unhide(): void {
    if (!this.#hides) return
    clearMarks(this.bytes.subarray(0, this.bodyBytes), this.recordBytes, this.summaryAt)
    this.#hides = false
    this.visibleSummary = this.summary
  }

  encodeBody(): Buffer {
    const body = Buffer.from(this.bytes.subarray(0, this.bodyBytes))
    if (this.#hides) clearMarks(body, this.recordBytes, this.summaryAt)
    return body
  }

  /** Reads numbers several times faster than a Buffer does. */
  #view(): DataView {
    return new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
  }

  #grow(records: number): void {
    const { recordBytes } = this
    const needed = (this.count + records) * recordBytes
    const wanted = Math.max(needed * 2, RECORDS_MIN * recordBytes)
    const grown = wanted > FULL_BYTES / 2 ? fullBuffer(needed) : Buffer.allocUnsafe(wanted)
    this.bytes.copy(grown, 0, 0, this.count * recordBytes)
    this.bytes = grown
  }

  #giveUpBuffer(): void {
    if (this.bytes.length === FULL_BYTES && spares.length < SPARE_BUFFERS_MAX) spares.push(this.bytes)
    this.bytes = NO_BYTES
  }
}

/** As a double: large ones are rounded, and never past another. */
function getU64(bytes: Buffer, at: number): number {
  return getU32(bytes, at) * TWO_32 + getU32(bytes, at + 4)
}

function clearMarks(records: Buffer, recordBytes: number, fieldAt: number): void {
  for (let at = fieldAt; at < records.length; at += recordBytes) records[at] &= ~HIDDEN
}

function fullBuffer(bytesMin: number): Buffer {
  if (bytesMin > FULL_BYTES) return Buffer.allocUnsafe(bytesMin)
  return spares.pop() ?? Buffer.allocUnsafeSlow(FULL_BYTES)
}

export interface RecordCodecOptions {
  /** Page kind on disk (PAGE_KIND). */
  kind: number
  /** Bytes of a record behind its ID; 0 for IDs alone. */
  payloadBytes: number
  /** Offset in the payload of a big-endian 64-bit number, below 2^53, whose lower bound is the summary. */
  summaryAt?: number
}

export function recordCodec({ kind, payloadBytes, summaryAt }: RecordCodecOptions): PageCodec<StreamId, RecordPage> {
  const recordBytes = STREAM_ID_BYTES + payloadBytes
  assert(summaryAt === undefined || summaryAt + 8 <= payloadBytes, 'the summed field lies in the payload')
  const fieldAt = summaryAt === undefined ? 0 : STREAM_ID_BYTES + summaryAt
  return {
    kind,
    bodyBytesMax: RECORD_BODY_BYTES_MAX,
    ...streamIdKey,
    empty: () => new RecordPage(NO_BYTES, 0, recordBytes, fieldAt),
    decode(body, count) {
      if (body.length !== count * recordBytes) {
        throw new CorruptionError(`${body.length} bytes where ${count} records of ${recordBytes} are expected`)
      }
      const page = new RecordPage(body, count, recordBytes, fieldAt)
      for (let i = 1; i < count; i++) {
        if (page.compareAt(i, page.keyAt(i - 1)) <= 0) throw new CorruptionError('records out of order')
      }
      page.refreshSummary()
      return page
    },
  }
}
