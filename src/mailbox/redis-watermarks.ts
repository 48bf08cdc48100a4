// Watermarks on a server, by the five scripts. Used by: backends. Uses: mailbox-scripts.

import type { Redis } from 'ioredis'
import { LANE_BYTES, LANES } from './lane.js'
import { CorruptWatermark, Malformed, WatermarkGap } from './mailbox-error.js'
import { MailboxKeys } from './mailbox-keys.js'
import { LOG_OFFSET_MAX } from './mailbox-seq.js'
import { MailboxScripts, textOf } from './mailbox-scripts.js'
import type { MailboxScript } from './mailbox-scripts.js'
import { decodeBlob } from './watermark-blob.js'
import type { WatermarkLayout } from './watermark-blob.js'
import type { Advance, Claim, LaneMove, ShardWatermarks, Watermarks } from './watermarks.js'

export class RedisWatermarks implements Watermarks {
  readonly #scripts: MailboxScripts
  constructor(
    client: Redis,
    readonly keys: MailboxKeys = new MailboxKeys(),
  ) {
    this.#scripts = new MailboxScripts(client)
  }

  async read(shard: number): Promise<ShardWatermarks> {
    const reply = (await this.#run('read_log_watermarks', shard, [])) as Buffer[]
    const layout = textOf(reply[0]) as WatermarkLayout
    return {
      layout,
      epoch: Number(textOf(reply[1])),
      isUniform: reply[2].length === LANE_BYTES,
      lanes: decodeBlob(reply[2], layout, placeOf(shard)),
    }
  }

  async advance(shard: number, epoch: number, move: LaneMove, logOffset: number): Promise<Advance> {
    const args = [epoch, laneNumber(move.lane), expected(move.expectedPrevious), offsetNumber(logOffset)]
    const [status, at] = (await this.#run('advance_log_watermark', shard, args)) as Buffer[]
    if (textOf(status) === 'gap') throw new WatermarkGap(move.lane, laneW(at))
    return textOf(status) as Advance
  }

  async advanceAll(
    shard: number,
    epoch: number,
    moves: readonly LaneMove[] | { readonly expectedPrevious: number | undefined },
    logOffset: number,
  ): Promise<Advance> {
    const words = isMoves(moves)
      ? moves.flatMap(move => [laneNumber(move.lane), expected(move.expectedPrevious)])
      : ['*', expected(moves.expectedPrevious)]
    if (words.length === 0) throw new Malformed('advanceAll() needs at least one lane')
    const args = [epoch, offsetNumber(logOffset), ...words]
    const [status, lane, at] = (await this.#run('advance_log_watermarks', shard, args)) as [Buffer, number, Buffer]
    if (textOf(status) === 'gap') throw new WatermarkGap(lane, laneW(at))
    return textOf(status) as Advance
  }

  async claim(shard: number, epoch: number, logOffset: number, dispatchId: string): Promise<Claim> {
    const keys = [this.keys.dispatches(shard), this.keys.earlierDispatches(shard)]
    return textOf(await this.#run('claim_dispatch', shard, [epoch, offsetNumber(logOffset), dispatchId], keys)) as Claim
  }

  async collect(shard: number, epoch: number, upTo: number): Promise<number> {
    const keys = [this.keys.dispatches(shard)]
    return (await this.#run('gc_completed_dispatch', shard, [epoch, offsetNumber(upTo)], keys)) as number
  }

  #run(script: MailboxScript, shard: number, args: (string | number)[], keys: readonly string[] = []) {
    const call = { script, keys: [this.keys.watermarks(shard), ...keys], args }
    return this.#scripts.run(call, placeOf(shard), CorruptWatermark)
  }
}

export function placeOf(shard: number): string {
  return `shard ${shard}`
}

export function isMoves(moves: readonly LaneMove[] | object): moves is readonly LaneMove[] {
  return Array.isArray(moves)
}

export function laneNumber(lane: number): number {
  if (!Number.isSafeInteger(lane) || lane < 0 || lane >= LANES) throw new Malformed(`there is no lane ${lane}`)
  return lane
}

export function offsetNumber(offset: number): number {
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > LOG_OFFSET_MAX) {
    throw new Malformed(`${offset} is not a log offset of 48 bits`)
  }
  return offset
}

function expected(previous: number | undefined): string {
  return previous === undefined ? '' : String(offsetNumber(previous))
}

function laneW(word: Buffer): number | undefined {
  return word.length === 0 ? undefined : Number(textOf(word))
}
