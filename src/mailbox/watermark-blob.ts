// wm_blob: the watermarks of all 64 lanes of a shard in one value. Used by: redis-watermarks, convert-watermarks.
//
// packed-v1: always 1,216 bytes, lane by lane. packed-v2: 19 bytes when all lanes are equal, else 1,216. Any other
// length is corruption; that all lanes are equal is said by the length alone.

import { decodeLane, encodeLane, LANE_BYTES, LANES } from './lane.js'
import type { LaneWatermark } from './lane.js'
import { CorruptWatermark } from './mailbox-error.js'

export type WatermarkLayout = 'packed-v1' | 'packed-v2'

export const BLOB_BYTES = LANES * LANE_BYTES

/** 64 lanes, undefined where a lane is empty. @throws CorruptWatermark naming the shard and the reason */
export function decodeBlob(blob: Buffer, layout: WatermarkLayout, where: string): (LaneWatermark | undefined)[] {
  if (layout === 'packed-v2' && blob.length === LANE_BYTES) {
    const lane = decodeLane(blob, 0, `${where}, all lanes`)
    return Array.from({ length: LANES }, () => lane)
  }
  if (blob.length !== BLOB_BYTES) {
    const right = layout === 'packed-v2' ? `${LANE_BYTES} or ${BLOB_BYTES}` : `${BLOB_BYTES}`
    throw new CorruptWatermark(`${where}: wm_blob of ${layout} has ${blob.length} bytes, not ${right}`)
  }
  return Array.from({ length: LANES }, (_, lane) => decodeLane(blob, lane * LANE_BYTES, `${where}, lane ${lane}`))
}

export function encodeBlob(lanes: readonly (LaneWatermark | undefined)[], layout: WatermarkLayout): Buffer {
  const records = lanes.map(encodeLane)
  const uniform = layout === 'packed-v2' && records.every(record => record.equals(records[0]))
  return uniform ? records[0] : Buffer.concat(records)
}
