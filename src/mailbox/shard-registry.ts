// Who owns a shard and in which epoch: what every backend offers. Used by: memory-registry, redis-registry,
// materializer, resolve-cursor.
//
// Invariants: an epoch is given to one owner at most; it is raised, durably, before any write under it; a write under
// an older one is refused. A raise by an event (E2 to E4) or by fence() leaves the epoch waiting for the next
// takeOver().

import type { EpochBoundary, EpochEvent, ShardSplitBoundary } from './boundary.js'
import type { MailboxSeq } from './mailbox-seq.js'

/** The right to write one shard, until somebody raises the epoch. */
export interface Ownership {
  readonly shard: number
  readonly epoch: number
  readonly owner: string
  /** The first sequence of the epoch. */
  readonly start: MailboxSeq
}

export interface ShardState {
  readonly shard: number
  /** 0 when the shard was never opened. */
  readonly epoch: number
  /** Empty while the epoch waits for an owner. */
  readonly owner: string
  /** Fenced: nobody may write until takeOver(). */
  readonly isWaiting: boolean
}

export interface RaiseOptions {
  /** Refuse with Fenced unless this is the current epoch. */
  readonly expectedEpoch?: number
}

export interface SplitRequest {
  readonly oldShard: number
  readonly newShard: number
  /** The lanes that move; all 64 is a merge into the new shard. */
  readonly lanes: readonly number[]
  /** In the old shard's current epoch; everything below it must be materialized. */
  readonly splitAtOffset: number
}

/**
 * All methods that raise: @throws SeqOverflow when 65,535 epochs are used, NotDurable; CorruptWatermark, LegacyLayout
 */
export interface ShardRegistry {
  /** E1, or the epoch that waits. @throws Fenced when `expectedEpoch` is not current */
  takeOver(shard: number, owner: string, options?: RaiseOptions): Promise<Ownership>
  /** E2, E3 or E4; the lanes of E3 and E4 begin empty. Answers the epoch, which waits for takeOver(). */
  raise(shard: number, kind: Exclude<EpochEvent, 'E1'>, options?: RaiseOptions): Promise<number>
  /**
   * The first half of a takeover: from here on the old owner's writes are refused. `minEpoch`: an epoch known from a
   * system that did not keep it here. Works on damaged and on legacy watermarks, too.
   */
  fence(shard: number, minEpoch?: number): Promise<number>
  /** E2 on both shards, first the new one. @throws NotDrained, Fenced */
  split(request: SplitRequest, options?: RaiseOptions): Promise<ShardSplitBoundary>
  state(shard: number): Promise<ShardState>
  /** Ascending by epoch. */
  boundaries(shard: number): Promise<readonly EpochBoundary[]>
  /** Splits that moved users away from this shard, oldest first. */
  splits(shard: number): Promise<readonly ShardSplitBoundary[]>
}
