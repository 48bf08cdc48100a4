// Lanes of a shard: which one a user belongs to, and the record of 19 bytes that is a lane's watermark.
// Used by: watermark-blob, watermarks, materializer, mailbox-reader. The scripts have the same in
// lua/mailbox/_watermark.lua.
//
// offset  size  field
//      0     1  presence: 0 or 1
//      1     6  W, big-endian: everything up to this offset is durably materialized
//      7     6  W_floor: where this lane began
//     13     6  W_recomputed: always W
// An empty lane (presence 0) is all zero bytes; a present one has W == W_recomputed >= W_floor.

import { CorruptWatermark, Malformed } from './mailbox-error.js'
import { LOG_OFFSET_MAX } from './mailbox-seq.js'

export const LANES = 64
export const LANE_BYTES = 19
const OFFSET_BYTES = 6
const AT = { PRESENCE: 0, W: 1, FLOOR: 7, RECOMPUTED: 13 } as const

/** Of a lane that holds something; an empty lane is undefined. */
export interface LaneWatermark {
  readonly w: number
  readonly floor: number
}

/** The lane of a user, 0 to 63; FNV-1a over the UTF-8 bytes, folded. Frozen: stored watermarks rest on it. */
export function laneOf(user: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(user)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash ^ (hash >>> 16) ^ (hash >>> 8)) & (LANES - 1)
}

export function encodeLane(lane: LaneWatermark | undefined): Buffer {
  const bytes = Buffer.alloc(LANE_BYTES)
  if (lane === undefined) return bytes
  if (lane.w > LOG_OFFSET_MAX || lane.floor > lane.w || lane.floor < 0 || !Number.isSafeInteger(lane.w + lane.floor)) {
    throw new Malformed(`no lane can hold W ${lane.w} with W_floor ${lane.floor}`)
  }
  bytes[AT.PRESENCE] = 1
  bytes.writeUIntBE(lane.w, AT.W, OFFSET_BYTES)
  bytes.writeUIntBE(lane.floor, AT.FLOOR, OFFSET_BYTES)
  bytes.writeUIntBE(lane.w, AT.RECOMPUTED, OFFSET_BYTES)
  return bytes
}

/** @throws CorruptWatermark when an invariant of the record does not hold; `where` names the lane */
export function decodeLane(bytes: Buffer, at: number, where: string): LaneWatermark | undefined {
  const presence = bytes[at + AT.PRESENCE]
  const w = bytes.readUIntBE(at + AT.W, OFFSET_BYTES)
  const floor = bytes.readUIntBE(at + AT.FLOOR, OFFSET_BYTES)
  const recomputed = bytes.readUIntBE(at + AT.RECOMPUTED, OFFSET_BYTES)
  if (presence === 0) {
    if (w + floor + recomputed === 0) return undefined
    throw new CorruptWatermark(`${where}: an empty lane holds bytes`)
  }
  if (presence !== 1) throw new CorruptWatermark(`${where}: presence is ${presence}, not 0 or 1`)
  if (w !== recomputed) throw new CorruptWatermark(`${where}: W ${w} differs from W_recomputed ${recomputed}`)
  if (w < floor) throw new CorruptWatermark(`${where}: W ${w} is below W_floor ${floor}`)
  return { w, floor }
}
