// The stream as its groups see it. Implemented by: stream. Used by: group, groups.

import type { StreamId } from '../../base/stream-id.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { DroppedReferences } from './dropped-references.js'
import type { EntryFinder } from './entry-finder.js'
import type { EntryRun, WireSlice } from './entry-run.js'
import type { StreamCounters } from './read-progress.js'

/** What a group needs of its stream. */
export interface GroupStream extends StreamCounters {
  readonly rows: Rows
  readonly object: StoreObject
  /** What groups have to catch up with. */
  readonly dropped: DroppedReferences
  /** At most `max` entries from `start` on. */
  runsFrom(start: StreamId, max: number): EntryRun[]
  /** As runsFrom(), a run at a time, up to `end`. */
  range(start: StreamId, end: StreamId, max: number): Iterable<WireSlice>
  hasFrom(id: StreamId): boolean
  get(id: StreamId): WireSlice | undefined
  finder(): EntryFinder
  countRange(start: StreamId, end: StreamId): number
  /** Entries with an ID above `id`. */
  countAfter(id: StreamId): number
}
