// What a trim is asked to do, and what it decided: a plan made from counts alone, before anything is changed.

import type { StreamId } from '../../base/stream-id.js'

export type Trim = TrimToLength | TrimToId

export interface TrimToLength {
  readonly by: 'maxlen'
  /** Entries that shall remain. */
  readonly length: number
  /** Whole macro nodes only. */
  readonly approximate: boolean
  /** Entries that may be removed at most; 0 = any number. */
  readonly limit: number
}

export interface TrimToId {
  readonly by: 'minid'
  /** Entries below it go. */
  readonly id: StreamId
  readonly approximate: boolean
  readonly limit: number
}

export interface TrimPlan {
  /** Closed macro nodes to remove, from the front. */
  closedNodes: number
  /** The open macro node goes too. */
  openNode: boolean
  /** Live entries of all those nodes. */
  entries: number
}
