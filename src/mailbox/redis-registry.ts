// The registry of shards on a server. Used by: backends. Uses: raise_epoch.lua, which does everything in one step.
//
// An epoch counts when it is on the disk: WAITAOF confirms it where the server has it, else the server must write its
// log with `appendfsync always`.

import type { Redis } from 'ioredis'
import type { Clock } from '../base/clock.js'
import { formatSplit, parseBoundary, parseSplit } from './boundary.js'
import type { EpochBoundary, EpochEvent, ShardSplitBoundary } from './boundary.js'
import { CorruptWatermark, Malformed, NotDurable } from './mailbox-error.js'
import { MailboxKeys } from './mailbox-keys.js'
import { mailboxSeq, parseSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'
import { MailboxScripts, textOf } from './mailbox-scripts.js'
import { laneNumber, offsetNumber, placeOf } from './redis-watermarks.js'
import type { Ownership, RaiseOptions, ShardRegistry, ShardState, SplitRequest } from './shard-registry.js'

export interface RegistryOptions {
  readonly keys?: MailboxKeys
  readonly clock: Clock
  /** 'confirmed' (the default) waits for the disk; 'trusted' leaves it to the operator. */
  readonly durability?: 'confirmed' | 'trusted'
  /** How long dispatches of an earlier log are remembered after E3 and E4; 7 days. */
  readonly earlierDispatchesS?: number
}

interface Raise {
  readonly mode: 'take' | 'raise' | 'fence'
  readonly kind: EpochEvent
  readonly owner?: string
  readonly expectedEpoch?: number
  readonly minEpoch?: number
  readonly split?: ShardSplitBoundary
}

const WEEK_S = 7 * 86_400
const CONFIRM_MS = 10_000

export class RedisRegistry implements ShardRegistry {
  readonly #client: Redis
  readonly #scripts: MailboxScripts
  readonly #keys: MailboxKeys
  readonly #options: RegistryOptions

  constructor(client: Redis, options: RegistryOptions) {
    this.#client = client
    this.#scripts = new MailboxScripts(client)
    this.#keys = options.keys ?? new MailboxKeys()
    this.#options = options
  }

  async takeOver(shard: number, owner: string, options: RaiseOptions = {}): Promise<Ownership> {
    if (owner === '') throw new Malformed('an owner needs a name')
    const [epoch, start] = await this.#raise(shard, { mode: 'take', kind: 'E1', owner, ...options })
    return { shard, epoch, owner, start }
  }

  async raise(shard: number, kind: Exclude<EpochEvent, 'E1'>, options: RaiseOptions = {}): Promise<number> {
    return (await this.#raise(shard, { mode: 'raise', kind, ...options }))[0]
  }

  async fence(shard: number, minEpoch?: number): Promise<number> {
    return (await this.#raise(shard, { mode: 'fence', kind: 'E1', minEpoch }))[0]
  }

  async split(request: SplitRequest, options: RaiseOptions = {}): Promise<ShardSplitBoundary> {
    const { oldShard, newShard, lanes, splitAtOffset } = checkedSplit(request)
    const { epoch } = await this.state(oldShard)
    const newEpoch = await this.raise(newShard, 'E2')
    const splitAt = mailboxSeq(options.expectedEpoch ?? epoch, splitAtOffset)
    const atMs = this.#options.clock.nowMs()
    const split = { oldShard, newShard, lanes: [...lanes].sort((a, b) => a - b), splitAt, newEpoch, atMs }
    await this.#raise(oldShard, { mode: 'raise', kind: 'E2', expectedEpoch: options.expectedEpoch ?? epoch, split })
    return split
  }

  async state(shard: number): Promise<ShardState> {
    const [epoch, owner, waiting] = await this.#client.hmget(this.#keys.registry(shard), 'epoch', 'owner', 'waiting')
    return { shard, epoch: Number(epoch ?? 0), owner: owner ?? '', isWaiting: waiting === '1' }
  }

  async boundaries(shard: number): Promise<readonly EpochBoundary[]> {
    const stored = await this.#client.hgetall(this.#keys.boundaries(shard))
    return Object.entries(stored)
      .map(([epoch, words]) => parseBoundary(shard, Number(epoch), words))
      .sort((a, b) => a.epoch - b.epoch)
  }

  async splits(shard: number): Promise<readonly ShardSplitBoundary[]> {
    const stored = await this.#client.lrange(this.#keys.splits(shard), 0, -1)
    return stored.map(words => parseSplit(shard, words))
  }

  async #raise(shard: number, raise: Raise): Promise<[number, MailboxSeq]> {
    const { mode, kind, owner = '', expectedEpoch, minEpoch, split } = raise
    const keys = this.#keys
    const reply = (await this.#scripts.run(
      {
        script: 'raise_epoch',
        keys: [
          keys.registry(shard),
          keys.boundaries(shard),
          keys.splits(shard),
          keys.watermarks(shard),
          keys.dispatches(shard),
          keys.earlierDispatches(shard),
        ],
        args: [
          mode,
          owner,
          kind,
          this.#options.clock.nowMs(),
          expectedEpoch ?? '',
          minEpoch ?? '',
          this.#options.earlierDispatchesS ?? WEEK_S,
          split ? Number(split.splitAt & 0xffffffffffffn) : '',
          split ? formatSplit(split) : '',
          kind === 'E3' || kind === 'E4' ? 1 : 0,
        ],
      },
      placeOf(shard),
      CorruptWatermark,
    )) as [number, Buffer]
    await this.#confirm(shard, reply[0])
    return [reply[0], parseSeq(textOf(reply[1]))]
  }

  async #confirm(shard: number, epoch: number): Promise<void> {
    if (this.#options.durability === 'trusted') return
    try {
      const [local] = (await this.#client.call('WAITAOF', 1, 0, CONFIRM_MS)) as number[]
      if (local === 1) return
    } catch (error) {
      if (!(error instanceof Error) || !/unknown command|appendonly is disabled/i.test(error.message)) throw error
      const policy = (await this.#client.config('GET', 'append*')) as unknown
      const settings = new Map(pairsOf(policy))
      if (settings.get('appendonly') === 'yes' && settings.get('appendfsync') === 'always') return
    }
    throw new NotDurable(
      `shard ${shard}: epoch ${epoch} is not known to be on the disk; ` +
        'the server needs WAITAOF, or appendonly yes with appendfsync always',
    )
  }
}

export function checkedSplit(request: SplitRequest): SplitRequest {
  const { oldShard, newShard, lanes, splitAtOffset } = request
  if (oldShard === newShard) throw new Malformed(`shard ${oldShard} cannot be split into itself`)
  if (lanes.length === 0) throw new Malformed('a split moves at least one lane')
  if (new Set(lanes.map(laneNumber)).size !== lanes.length) throw new Malformed('a lane is named twice')
  offsetNumber(splitAtOffset)
  return request
}

/** CONFIG GET answers pairs in RESP2 and a map in RESP3. */
function pairsOf(reply: unknown): [string, string][] {
  if (!Array.isArray(reply)) return Object.entries(reply as Record<string, string>)
  return Array.from({ length: reply.length / 2 }, (_, i) => [String(reply[2 * i]), String(reply[2 * i + 1])])
}
