// What MAXCOUNT and MAXSIZE leave of a reply of XREAD or XREADGROUP, over all its streams. Used by: stream-read,
// stream-readgroup. The size is a soft bound: it is looked at before each entry but the first, which always fits.

import type { WireSlice } from '../types/stream/stream-api.js'

export class ReadBudget {
  #entriesLeft: number
  #used = 0
  #any = false
  /** Framing of the stream begun last, not counted before its first entry. */
  #headBytes = 0

  constructor(
    entriesMax: number,
    /** Bytes of RESP. */
    readonly bytesMax: number,
  ) {
    this.#entriesLeft = entriesMax
  }

  /** Entries that may be added yet, whatever their size. */
  get entriesLeft(): number {
    return this.#entriesLeft
  }

  /** Nothing more may be added. */
  get spent(): boolean {
    return this.#entriesLeft <= 0 || (this.#any && this.#used >= this.bytesMax)
  }

  /** What follows belongs to the stream of `key`. */
  begin(key: string, protocol: number): void {
    const pairHead = protocol === 2 ? PAIR_HEAD_BYTES : 0
    this.#headBytes = pairHead + BULK_FRAME_BYTES + String(key.length).length + key.length
  }

  /**
   * What of `slices` may be added; it is added. No more slices are taken than that needs.
   * @param extraBytes of each entry beside its stored form
   */
  fitting(slices: Iterable<WireSlice>, extraBytes = 0): WireSlice[] {
    const added: WireSlice[] = []
    if (this.spent) return added
    for (const slice of slices) {
      const entries = this.#entriesOf(slice, extraBytes)
      this.#add(entries, slice.bytesOf(entries) + entries * extraBytes)
      added.push(slice.head(entries))
      if (this.spent) break
    }
    return added
  }

  /** Adds an entry of so many bytes if it may be. */
  takes(bytes: number): boolean {
    if (this.spent) return false
    this.#add(1, bytes)
    return true
  }

  /** Entries at the start of `slice` before each of which, but the first, the bound is not reached. */
  #entriesOf(slice: WireSlice, extraBytes: number): number {
    const before = this.#used + this.#headBytes
    let low = 1
    let high = Math.min(slice.entries, this.#entriesLeft)
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (before + slice.bytesOf(middle - 1) + (middle - 1) * extraBytes < this.bytesMax) low = middle
      else high = middle - 1
    }
    return low
  }

  #add(entries: number, bytes: number): void {
    this.#any = true
    this.#entriesLeft -= entries
    this.#used += this.#headBytes + bytes
    this.#headBytes = 0
  }
}

/** '*2', CR, LF. */
const PAIR_HEAD_BYTES = 4
/** '$', and CR, LF twice. */
const BULK_FRAME_BYTES = 5
