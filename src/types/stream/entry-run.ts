// Slices of the pages of a stream that answer reads. Used by: entries, entry-finder. Uses: pages/wire-page.

import type { StreamId } from '../../base/stream-id.js'
import type { WirePage } from '../../pages/wire-page.js'

/** Stored entries that lie side by side: `bytes[from, to)` is the RESP of `entries` whole entries. Immutable. */
export interface WireSlice {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number
  readonly entries: number
  /** Bytes of its first `entries` entries. */
  bytesOf(entries: number): number
  /** Its first `entries` entries. */
  head(entries: number): WireSlice
  /** Each entry by itself. */
  singly(): Iterable<WireSlice>
}

/** A slice that knows its page: entries [index, index + entries). Page and index are void once the tree changed. */
export class EntryRun implements WireSlice {
  readonly bytes: Buffer
  readonly from: number
  readonly to: number

  constructor(
    readonly page: WirePage,
    readonly index: number,
    readonly entries: number,
  ) {
    this.bytes = page.bytes
    this.from = page.offsetOf(index)
    this.to = page.endOf(index + entries - 1)
  }

  bytesOf(entries: number): number {
    return entries === 0 ? 0 : this.page.endOf(this.index + entries - 1) - this.from
  }

  head(entries: number): EntryRun {
    return entries === this.entries ? this : new EntryRun(this.page, this.index, entries)
  }

  *singly(): Generator<EntryRun> {
    for (let i = 0; i < this.entries; i++) yield new EntryRun(this.page, this.index + i, 1)
  }

  get firstId(): StreamId {
    return this.page.keyAt(this.index)
  }

  get lastId(): StreamId {
    return this.page.keyAt(this.index + this.entries - 1)
  }
}
