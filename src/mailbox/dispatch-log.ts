// The dispatch log: what a materializer consumes. Used by: memory-dispatch-log, stream-dispatch-log, materializer.
// One partition is one shard, for ever. Offsets of a partition only grow.

import type { Dispatch, DispatchRecord } from './dispatch-record.js'
import { KeyHashRefused } from './mailbox-error.js'

export interface LogBounds {
  /** The first offset that was ever possible. */
  readonly origin: number
  /** The oldest offset that can still be read, or `next` when the log is empty. */
  readonly oldest: number
  /** The offset that the next record will have, at least. */
  readonly next: number
}

/** Where a producer puts a dispatch. It names the partition itself; a `key` is refused. */
export interface Destination {
  readonly partition: number
}

export interface DispatchLog {
  /** Answers the offset. @throws KeyHashRefused, BadGroup, SeqOverflow */
  append(destination: Destination, dispatch: Dispatch): Promise<number>
  /** At most `count` records behind `afterOffset` (undefined: from the beginning), ascending. */
  read(partition: number, afterOffset: number | undefined, count: number): Promise<DispatchRecord[]>
  bounds(partition: number): Promise<LogBounds>
}

/**
 * The partition a producer named. Hashing a key to one is refused: a shard that splits would send a user's events where
 * nobody reads them. @throws KeyHashRefused
 */
export function checkedPartition(destination: Destination): number {
  const { partition } = destination
  if ('key' in destination || !Number.isSafeInteger(partition) || partition < 0) {
    throw new KeyHashRefused('a dispatch goes to a partition that the producer names, never to one of a hashed key')
  }
  return partition
}
