// Watermarks of a shard and the bookkeeping of its dispatches: what every backend offers. Used by: memory-watermarks,
// redis-watermarks, materializer, mailbox-reader.
//
// W of a lane is the greatest offset up to which everything is durably materialized. It moves only from where the
// caller thinks it is (compare and set), never over a record that is not whole, never back.

import type { LaneWatermark } from './lane.js'
import type { WatermarkLayout } from './watermark-blob.js'

export interface ShardWatermarks {
  readonly layout: WatermarkLayout
  readonly epoch: number
  /** Stored as one record: all lanes are equal. */
  readonly isUniform: boolean
  /** 64; undefined where a lane is empty. */
  readonly lanes: readonly (LaneWatermark | undefined)[]
}

export interface LaneMove {
  readonly lane: number
  /** W as the caller knows it; undefined for an empty lane. */
  readonly expectedPrevious: number | undefined
}

/** 'past' when everything that was named stood at the offset or further already. */
export type Advance = 'advanced' | 'past'

/** 'replay' is the same record again, 'duplicate' another record with the same dispatch. */
export type Claim = 'fresh' | 'replay' | 'duplicate'

/** All methods: @throws ShardNotOpen, Fenced, CorruptWatermark, LegacyLayout; then nothing has changed. */
export interface Watermarks {
  read(shard: number): Promise<ShardWatermarks>
  /** @throws WatermarkGap when the lane stands elsewhere */
  advance(shard: number, epoch: number, move: LaneMove, logOffset: number): Promise<Advance>
  /** All or nothing. `moves` are lanes, or one `expectedPrevious` for all 64. @throws WatermarkGap */
  advanceAll(
    shard: number,
    epoch: number,
    moves: readonly LaneMove[] | { readonly expectedPrevious: number | undefined },
    logOffset: number,
  ): Promise<Advance>
  claim(shard: number, epoch: number, logOffset: number, dispatchId: string): Promise<Claim>
  /** Forgets dispatches at or below both `upTo` and the lowest W. Answers how many. */
  collect(shard: number, epoch: number, upTo: number): Promise<number>
}

/** The lowest W of all lanes; undefined when a lane is empty. */
export function lowestOf(lanes: readonly (LaneWatermark | undefined)[]): number | undefined {
  let lowest: number | undefined
  for (const lane of lanes) {
    if (lane === undefined) return undefined
    if (lowest === undefined || lane.w < lowest) lowest = lane.w
  }
  return lowest
}

/** The greatest W of all lanes; undefined when all are empty. */
export function highestOf(lanes: readonly (LaneWatermark | undefined)[]): number | undefined {
  let highest: number | undefined
  for (const lane of lanes) if (lane !== undefined && (highest === undefined || lane.w > highest)) highest = lane.w
  return highest
}
