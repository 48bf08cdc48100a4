// What the registry remembers of each raise of an epoch, and of each split. Used by: registries, resolve-cursor.

import { CorruptEntry } from './mailbox-error.js'
import { formatSeq, parseSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'

/** E1 owner takeover, E2 split or merge, E3 log recreated or truncated and recreated, E4 disaster switch. */
export type EpochEvent = 'E1' | 'E2' | 'E3' | 'E4'

export interface EpochBoundary {
  readonly shard: number
  readonly epoch: number
  readonly kind: EpochEvent
  readonly atMs: number
  /** 0 for the first. */
  readonly previousEpoch: number
  /** The greatest sequence that was whole in the previous epoch; undefined when nothing was. */
  readonly previousEnd: MailboxSeq | undefined
  /** The first sequence that can appear in this epoch. */
  readonly start: MailboxSeq
}

export interface ShardSplitBoundary {
  readonly oldShard: number
  readonly newShard: number
  /** The lanes whose users moved. */
  readonly lanes: readonly number[]
  /** Events of these users below it are in the old shard, the others in the new one. */
  readonly splitAt: MailboxSeq
  /** The epoch of the new shard that their events begin in. */
  readonly newEpoch: number
  readonly atMs: number
}

/** `kind at_ms previous_epoch previous_end start`, as raise_epoch.lua writes it; previous_end may be empty. */
export function parseBoundary(shard: number, epoch: number, words: string): EpochBoundary {
  const found = /^(E[1-4]) (\d+) (\d+) ([0-9a-f]{16})? ([0-9a-f]{16})$/.exec(words)
  if (found === null) throw new CorruptEntry(`shard ${shard}: the boundary of epoch ${epoch} cannot be read`)
  return {
    shard,
    epoch,
    kind: found[1] as EpochEvent,
    atMs: Number(found[2]),
    previousEpoch: Number(found[3]),
    previousEnd: found[4] === undefined ? undefined : parseSeq(found[4]),
    start: parseSeq(found[5]),
  }
}

export function formatSplit(split: ShardSplitBoundary): string {
  const { newShard, lanes, splitAt, newEpoch, atMs } = split
  return `${newShard} ${lanes.join(',')} ${formatSeq(splitAt)} ${newEpoch} ${atMs}`
}

export function parseSplit(oldShard: number, words: string): ShardSplitBoundary {
  const found = /^(\d+) (\d+(?:,\d+)*) ([0-9a-f]{16}) (\d+) (\d+)$/.exec(words)
  if (found === null) throw new CorruptEntry(`shard ${oldShard}: a split boundary cannot be read`)
  return {
    oldShard,
    newShard: Number(found[1]),
    lanes: found[2].split(',').map(Number),
    splitAt: parseSeq(found[3]),
    newEpoch: Number(found[4]),
    atMs: Number(found[5]),
  }
}
