// The shards of the memory backend: watermarks, fence and dispatches, shared by its registry, watermarks and store.
// Used by: memory-registry, memory-watermarks, memory-store. For tests and programs that want no server.

import type { EpochBoundary, ShardSplitBoundary } from './boundary.js'
import type { LaneWatermark } from './lane.js'
import { LANES } from './lane.js'
import { Fenced, ShardNotOpen } from './mailbox-error.js'

export interface MemoryShard {
  /** 0 until the shard is opened. */
  epoch: number
  owner: string
  isWaiting: boolean
  lanes: (LaneWatermark | undefined)[]
  /** Offsets by dispatch id, of the log that is read now. */
  readonly dispatches: Map<string, number>
  /** Dispatch ids that an earlier log materialized. */
  readonly earlierDispatches: Set<string>
  readonly boundaries: EpochBoundary[]
  readonly splits: ShardSplitBoundary[]
}

export class MemoryShards {
  readonly #shards = new Map<number, MemoryShard>()

  of(shard: number): MemoryShard {
    let found = this.#shards.get(shard)
    if (found === undefined) {
      found = {
        epoch: 0,
        owner: '',
        isWaiting: false,
        lanes: Array.from({ length: LANES }, () => undefined),
        dispatches: new Map(),
        earlierDispatches: new Set(),
        boundaries: [],
        splits: [],
      }
      this.#shards.set(shard, found)
    }
    return found
  }

  /** The shard, if `epoch` may write it. @throws ShardNotOpen, Fenced */
  fenced(shard: number, epoch: number): MemoryShard {
    const found = this.of(shard)
    if (found.epoch === 0) throw new ShardNotOpen(`shard ${shard}: the shard has no watermarks yet`)
    if (epoch < found.epoch) throw new Fenced(`shard ${shard}: epoch ${epoch} is over, the shard is in ${found.epoch}`)
    if (epoch > found.epoch) {
      throw new ShardNotOpen(`shard ${shard}: epoch ${epoch} is not open, the shard is in ${found.epoch}`)
    }
    return found
  }
}
