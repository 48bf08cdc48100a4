// The registry of shards in memory. Used by: backends. As durable as the process: for tests and programs without a
// server.

import type { Clock } from '../base/clock.js'
import type { EpochEvent, ShardSplitBoundary } from './boundary.js'
import { LANES } from './lane.js'
import { Fenced, Malformed, NotDrained, SeqOverflow } from './mailbox-error.js'
import { mailboxSeq, SHARD_EPOCH_MAX } from './mailbox-seq.js'
import type { MemoryShard, MemoryShards } from './memory-shards.js'
import { checkedSplit } from './redis-registry.js'
import type { Ownership, RaiseOptions, ShardRegistry, ShardState, SplitRequest } from './shard-registry.js'
import { highestOf, lowestOf } from './watermarks.js'

export class MemoryRegistry implements ShardRegistry {
  readonly #shards: MemoryShards
  readonly #clock: Clock
  constructor(shards: MemoryShards, clock: Clock) {
    this.#shards = shards
    this.#clock = clock
  }

  async takeOver(shard: number, owner: string, options: RaiseOptions = {}): Promise<Ownership> {
    if (owner === '') throw new Malformed('an owner needs a name')
    const state = this.#shards.of(shard)
    checkExpected(shard, state, options)
    if (!state.isWaiting) this.#raise(shard, state, 'E1')
    state.owner = owner
    state.isWaiting = false
    return { shard, epoch: state.epoch, owner, start: state.boundaries[state.boundaries.length - 1].start }
  }

  async raise(shard: number, kind: Exclude<EpochEvent, 'E1'>, options: RaiseOptions = {}): Promise<number> {
    const state = this.#shards.of(shard)
    checkExpected(shard, state, options)
    this.#raise(shard, state, kind)
    return state.epoch
  }

  async fence(shard: number, minEpoch = 0): Promise<number> {
    const state = this.#shards.of(shard)
    if (state.isWaiting && state.epoch >= minEpoch) return state.epoch
    state.epoch = Math.max(state.epoch, minEpoch)
    this.#raise(shard, state, 'E1')
    return state.epoch
  }

  async split(request: SplitRequest, options: RaiseOptions = {}): Promise<ShardSplitBoundary> {
    const { oldShard, newShard, lanes, splitAtOffset } = checkedSplit(request)
    const state = this.#shards.of(oldShard)
    const expectedEpoch = options.expectedEpoch ?? state.epoch
    const newEpoch = await this.raise(newShard, 'E2')
    checkExpected(oldShard, state, { expectedEpoch })
    if ((lowestOf(state.lanes) ?? -1) < splitAtOffset - 1) {
      throw new NotDrained(`shard ${oldShard}: a watermark is below the split at ${splitAtOffset}`)
    }
    const splitAt = mailboxSeq(expectedEpoch, splitAtOffset)
    const sorted = [...lanes].sort((a, b) => a - b)
    const split = { oldShard, newShard, lanes: sorted, splitAt, newEpoch, atMs: this.#clock.nowMs() }
    this.#raise(oldShard, state, 'E2')
    state.splits.push(split)
    return split
  }

  async state(shard: number): Promise<ShardState> {
    const { epoch, owner, isWaiting } = this.#shards.of(shard)
    return { shard, epoch, owner, isWaiting }
  }

  async boundaries(shard: number) {
    return [...this.#shards.of(shard).boundaries]
  }

  async splits(shard: number) {
    return [...this.#shards.of(shard).splits]
  }

  #raise(shard: number, state: MemoryShard, kind: EpochEvent): void {
    if (state.epoch >= SHARD_EPOCH_MAX) throw new SeqOverflow(`shard ${shard}: the shard has used all its epochs`)
    const lowest = lowestOf(state.lanes) ?? -1
    const highest = highestOf(state.lanes)
    const isNewLog = kind === 'E3' || kind === 'E4'
    const previousEpoch = state.epoch
    state.epoch++
    state.owner = ''
    state.isWaiting = true
    state.boundaries.push({
      shard,
      epoch: state.epoch,
      kind,
      atMs: this.#clock.nowMs(),
      previousEpoch,
      previousEnd: highest === undefined ? undefined : mailboxSeq(previousEpoch, highest),
      start: mailboxSeq(state.epoch, isNewLog ? 0 : lowest + 1),
    })
    for (const [id, offset] of state.dispatches) if (offset > lowest) state.dispatches.delete(id)
    if (!isNewLog) return
    for (const id of state.dispatches.keys()) state.earlierDispatches.add(id)
    state.dispatches.clear()
    state.lanes = Array.from({ length: LANES }, () => undefined)
  }
}

function checkExpected(shard: number, state: MemoryShard, { expectedEpoch }: RaiseOptions): void {
  if (expectedEpoch === undefined || expectedEpoch === state.epoch) return
  throw new Fenced(`shard ${shard}: epoch ${expectedEpoch} is not the current one, which is ${state.epoch}`)
}
