// Watermarks in memory. Used by: backends. The same rules as the scripts, said once more in the plainest way.

import { ShardNotOpen, WatermarkGap } from './mailbox-error.js'
import type { MemoryShards } from './memory-shards.js'
import { isMoves, laneNumber, offsetNumber } from './redis-watermarks.js'
import { lowestOf } from './watermarks.js'
import type { Advance, Claim, LaneMove, ShardWatermarks, Watermarks } from './watermarks.js'

export class MemoryWatermarks implements Watermarks {
  constructor(readonly shards: MemoryShards) {}

  async read(shard: number): Promise<ShardWatermarks> {
    const { epoch, lanes } = this.shards.of(shard)
    if (epoch === 0) throw new ShardNotOpen(`shard ${shard}: the shard has no watermarks yet`)
    const isUniform = lanes.every(lane => lane?.w === lanes[0]?.w && lane?.floor === lanes[0]?.floor)
    return { layout: 'packed-v2', epoch, isUniform, lanes: [...lanes] }
  }

  async advance(shard: number, epoch: number, move: LaneMove, logOffset: number): Promise<Advance> {
    return this.#move(shard, epoch, [{ ...move, lane: laneNumber(move.lane) }], logOffset)
  }

  async advanceAll(
    shard: number,
    epoch: number,
    moves: readonly LaneMove[] | { readonly expectedPrevious: number | undefined },
    logOffset: number,
  ): Promise<Advance> {
    const all = isMoves(moves)
      ? moves
      : this.shards.of(shard).lanes.map((_, lane) => ({ lane, expectedPrevious: moves.expectedPrevious }))
    return this.#move(shard, epoch, all, logOffset)
  }

  async claim(shard: number, epoch: number, logOffset: number, dispatchId: string): Promise<Claim> {
    const { dispatches, earlierDispatches } = this.shards.fenced(shard, epoch)
    if (earlierDispatches.has(dispatchId)) return 'duplicate'
    const seen = dispatches.get(dispatchId)
    if (seen === undefined) dispatches.set(dispatchId, logOffset)
    return seen === undefined ? 'fresh' : seen === logOffset ? 'replay' : 'duplicate'
  }

  async collect(shard: number, epoch: number, upTo: number): Promise<number> {
    const { dispatches, lanes } = this.shards.fenced(shard, epoch)
    const bound = Math.min(offsetNumber(upTo), lowestOf(lanes) ?? -1)
    const gone = [...dispatches].filter(([, offset]) => offset <= bound)
    for (const [id] of gone) dispatches.delete(id)
    return gone.length
  }

  #move(shard: number, epoch: number, moves: readonly LaneMove[], logOffset: number): Advance {
    offsetNumber(logOffset)
    const { lanes } = this.shards.fenced(shard, epoch)
    if (moves.every(({ lane }) => (lanes[laneNumber(lane)]?.w ?? -1) >= logOffset)) return 'past'
    for (const { lane, expectedPrevious } of moves) {
      const w = lanes[lane]?.w
      if (w !== expectedPrevious || (w ?? -1) >= logOffset) throw new WatermarkGap(lane, w)
    }
    for (const { lane } of moves) lanes[lane] = { w: logOffset, floor: lanes[lane]?.floor ?? logOffset }
    return 'advanced'
  }
}
