// Offline conversion of a shard's watermarks: 192 fields to packed-v1, v1 to v2, and v2 back to v1 for a downgrade.
// Used by: mailbox-tool. Uses: convert_watermarks.lua, which refuses a shard that is not fenced and does all in one
// step.

import type { Redis } from 'ioredis'
import type { LaneWatermark } from './lane.js'
import { CorruptWatermark } from './mailbox-error.js'
import { MailboxKeys } from './mailbox-keys.js'
import { MailboxScripts, textOf } from './mailbox-scripts.js'
import { placeOf, RedisWatermarks } from './redis-watermarks.js'
import { decodeBlob } from './watermark-blob.js'
import type { WatermarkLayout } from './watermark-blob.js'

export interface Conversion {
  readonly shard: number
  readonly from: WatermarkLayout | 'legacy-192'
  readonly to: WatermarkLayout
  readonly epoch: number
  readonly lanes: readonly (LaneWatermark | undefined)[]
  readonly blobBytes: number
  /** False after a dry run, and when the shard had the layout already. */
  readonly hasWritten: boolean
}

/** @throws NotFenced, CorruptWatermark, LegacyLayout (192 fields to v2), ShardNotOpen; then nothing has changed */
export async function convertWatermarks(
  client: Redis,
  shard: number,
  to: WatermarkLayout,
  options: { readonly dryRun: boolean; readonly keyPrefix?: string },
): Promise<Conversion> {
  const keys = new MailboxKeys(options.keyPrefix)
  const call = {
    script: 'convert_watermarks',
    keys: [keys.registry(shard), keys.watermarks(shard)],
    args: [to, options.dryRun ? 1 : 0],
  } as const
  const reply = (await new MailboxScripts(client).run(call, placeOf(shard), CorruptWatermark)) as Buffer[]
  const from = textOf(reply[0]) as Conversion['from']
  const lanes = decodeBlob(reply[3], to, placeOf(shard))
  const hasWritten = !options.dryRun && from !== to
  if (hasWritten) await verify(new RedisWatermarks(client, keys), shard, to, lanes)
  return { shard, from, to, epoch: Number(textOf(reply[2])), lanes, blobBytes: reply[3].length, hasWritten }
}

/** Reads it once more, as an owner will. */
async function verify(
  watermarks: RedisWatermarks,
  shard: number,
  to: WatermarkLayout,
  lanes: readonly (LaneWatermark | undefined)[],
): Promise<void> {
  const after = await watermarks.read(shard)
  const isSame = lanes.every((lane, i) => lane?.w === after.lanes[i]?.w && lane?.floor === after.lanes[i]?.floor)
  if (after.layout !== to || !isSame) {
    throw new CorruptWatermark(`${placeOf(shard)}: the converted watermarks read differently`)
  }
}
