// Where the entries of a wire page begin, and their IDs. Derived from the bytes, never stored; kept up to date by the
// page once it was needed. Entries removed from the front only move `#first`.

import { CorruptionError } from '../base/errors.js'
import { equalIdAt } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import { GUESSED_MIN, placeGuess } from './place-guess.js'
import { EntryCursor } from './wire-entry.js'

/** Unsigned 32-bit halves of an ID. */
const HALVES = 4
const TWO_32 = 4294967296

export class WireIndex {
  #offsets: Uint32Array
  /** Four halves per entry, most significant first. */
  #ids: Uint32Array
  /** Slot of entry 0. */
  #first = 0
  /** Slot behind the last entry. */
  #end = 0

  constructor(entriesExpected: number) {
    this.#offsets = new Uint32Array(entriesExpected)
    this.#ids = new Uint32Array(entriesExpected * HALVES)
  }

  /**
   * Reads the `count` entries of bytes[from, to).
   * @throws CorruptionError unless they are just that, with ascending IDs
   */
  static scan(bytes: Buffer, from: number, to: number, count: number): WireIndex {
    const index = new WireIndex(count + (count >>> 3))
    const cursor = new EntryCursor(bytes, from, to)
    for (let i = 0; i < count; i++) {
      const at = cursor.at
      if (at >= to) throw new CorruptionError(`wire page has ${i} entries where ${count} are expected`)
      cursor.next()
      if (i > 0 && index.compareAt(i - 1, cursor) >= 0) throw new CorruptionError('wire page has IDs out of order')
      index.push(at, cursor)
    }
    if (cursor.at !== to) throw new CorruptionError(`wire page has more than the ${count} entries expected`)
    return index
  }

  get count(): number {
    return this.#end - this.#first
  }

  push(offset: number, id: StreamId): void {
    if (this.#end === this.#offsets.length) this.#grow(1)
    const slot = this.#end
    const at = slot * HALVES
    const ids = this.#ids
    ids[at] = id.msHi
    ids[at + 1] = id.msLo
    ids[at + 2] = id.seqHi
    ids[at + 3] = id.seqLo
    this.#offsets[slot] = offset
    this.#end = slot + 1
  }

  offsetAt(index: number): number {
    return this.#offsets[this.#first + index]
  }

  idAt(index: number): StreamId {
    const at = (this.#first + index) * HALVES
    const ids = this.#ids
    return { msHi: ids[at], msLo: ids[at + 1], seqHi: ids[at + 2], seqLo: ids[at + 3] }
  }

  /** Writes the IDs of entries [from, from + count) as 16 bytes each, `strideBytes` apart, from target[at] on. */
  putIds(from: number, count: number, target: DataView, at: number, strideBytes: number): void {
    const ids = this.#ids
    const end = (this.#first + from + count) * HALVES
    let to = at
    for (let half = (this.#first + from) * HALVES; half < end; half += HALVES) {
      target.setUint32(to, ids[half])
      target.setUint32(to + 4, ids[half + 1])
      target.setUint32(to + 8, ids[half + 2])
      target.setUint32(to + 12, ids[half + 3])
      to += strideBytes
    }
  }

  /** Sign of (the ID of entry `index`) minus `id`. */
  compareAt(index: number, id: StreamId): number {
    const ids = this.#ids
    const at = (this.#first + index) * HALVES
    if (ids[at] !== id.msHi) return ids[at] - id.msHi
    if (ids[at + 1] !== id.msLo) return ids[at + 1] - id.msLo
    if (ids[at + 2] !== id.seqHi) return ids[at + 2] - id.seqHi
    return ids[at + 3] - id.seqLo
  }

  /** Whether entry `index` has the ID that lies encoded in `bytes` at `at`. */
  isAt(index: number, bytes: Uint8Array, at: number): boolean {
    return equalIdAt(bytes, at, this.#ids, (this.#first + index) * HALVES)
  }

  /** First entry whose ID is >= `id`; the count when there is none. */
  lowerBound(id: StreamId): number {
    let low = 0
    let high = this.count
    // Readers that follow a stream ask for what is behind the last entry.
    if (high > 0 && this.compareAt(high - 1, id) < 0) return high
    if (high > GUESSED_MIN) {
      let at = this.#guess(id)
      if (this.compareAt(at, id) < 0) {
        low = at + 1
        for (let step = 1; (at += step) < high; step *= 2) {
          if (this.compareAt(at, id) >= 0) high = at
          else low = at + 1
        }
      } else {
        high = at
        for (let step = 1; (at -= step) >= low; step *= 2) {
          if (this.compareAt(at, id) < 0) low = at + 1
          else high = at
        }
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compareAt(middle, id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** By the milliseconds, or by the sequence numbers when all are of one. There are entries. */
  #guess(id: StreamId): number {
    const { count } = this
    const ids = this.#ids
    const first = this.#first * HALVES
    const last = (this.#end - 1) * HALVES
    const firstMs = ids[first] * TWO_32 + ids[first + 1]
    const lastMs = ids[last] * TWO_32 + ids[last + 1]
    if (firstMs < lastMs) return placeGuess(firstMs, lastMs, id.msHi * TWO_32 + id.msLo, count)
    const firstSeq = ids[first + 2] * TWO_32 + ids[first + 3]
    return placeGuess(firstSeq, ids[last + 2] * TWO_32 + ids[last + 3], id.seqHi * TWO_32 + id.seqLo, count)
  }

  /** First entry that begins at or behind `offset`; the count when there is none. */
  indexAtOffset(offset: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.offsetAt(middle) < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  dropFirst(entries: number): void {
    this.#first += entries
  }

  dropLast(entries: number): void {
    this.#end -= entries
  }

  /** Moves all offsets by `delta`, since the bytes moved to another buffer. */
  shift(delta: number): void {
    for (let slot = this.#first; slot < this.#end; slot++) this.#offsets[slot] += delta
  }

  /** An index of entries [from, to), whose offsets are moved by `delta`. */
  slice(from: number, to: number, delta: number): WireIndex {
    const part = new WireIndex(to - from)
    part.#append(this, from, to, delta)
    return part
  }

  /** Adds all entries of `other`, whose offsets are moved by `delta`. */
  append(other: WireIndex, delta: number): void {
    this.#append(other, 0, other.count, delta)
  }

  #append(other: WireIndex, from: number, to: number, delta: number): void {
    const entries = to - from
    if (this.#end + entries > this.#offsets.length) this.#grow(entries)
    const source = other.#first + from
    this.#ids.set(other.#ids.subarray(source * HALVES, (source + entries) * HALVES), this.#end * HALVES)
    for (let i = 0; i < entries; i++) this.#offsets[this.#end + i] = other.#offsets[source + i] + delta
    this.#end += entries
  }

  /** Makes room for `entries` more, and gives up the slots of entries removed from the front. */
  #grow(entries: number): void {
    const count = this.count
    const slots = Math.max(8, (count + entries) * 2)
    const offsets = new Uint32Array(slots)
    const ids = new Uint32Array(slots * HALVES)
    offsets.set(this.#offsets.subarray(this.#first, this.#end))
    ids.set(this.#ids.subarray(this.#first * HALVES, this.#end * HALVES))
    this.#offsets = offsets
    this.#ids = ids
    this.#first = 0
    this.#end = count
  }
}
