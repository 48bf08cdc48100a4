// What a storage needs of the place where it keeps things. Each method is one atomic step; both backends pass one
// suite. Used by: storage, queue, distribution. Implemented by: memory-backend, redis-backend.
//
// Uids count from 1 without gaps: of a storage in the order of publishing, of a queue in the order of enqueuing.
// Times are microseconds of Unix time by the backend's clock, and never repeat nor step back within one storage.

import type { ExpirationPolicy } from './expiration.js'
import type { FoundState, MessageState } from './queue-errors.js'

/** A message as it was published. */
export interface StoredMessage {
  readonly uid: number
  readonly publishedUs: number
  readonly body: Buffer
}

/**
 * A message under the lease of one consumer. `receiptUs` is the time of this delivery; another delivery has another.
 */
export interface DeliveredMessage {
  readonly uid: number
  readonly receiptUs: number
  readonly storageUid: number
  readonly publishedUs: number
  readonly enqueuedUs: number
  readonly body: Buffer
}

export interface QueueSettings {
  /** How long a fetched message belongs to its consumer; then it is idle again. */
  readonly leaseMs: number
}

export interface QueueInfo {
  readonly name: string
  readonly settings: QueueSettings
  /** The largest storage uid that was offered to this queue's filter. */
  readonly watermark: number
}

/** A slice of a queue's distribution: what the filter accepted of the storage uids in (from, to]. */
export interface EnqueueBatch {
  readonly queue: string
  readonly from: number
  readonly to: number
  readonly accepted: readonly StoredMessage[]
}

/** `moved` false: somebody else was there first, and the watermark is where they left it. */
export interface EnqueueResult {
  readonly moved: boolean
  readonly watermark: number
}

export type SettleStep = 'confirm' | 'drop' | 'release' | 'extend'

export interface Receipt {
  readonly uid: number
  readonly receiptUs: number
}

/** `done` carries the new receipt of an extended lease; undefined: refused because of `found`. */
export type SettleOutcome =
  { readonly done: true; readonly receiptUs: number } | { readonly done: false; readonly found: FoundState }

export interface QueueCounts {
  readonly total: number
  readonly idle: number
  readonly consuming: number
  readonly confirmed: number
  readonly dropped: number
}

export interface StorageExpiry {
  readonly removed: number
  /** Of them, those that some queue's filter had not been offered yet. */
  readonly undistributed: number
}

export interface QueueExpiry {
  readonly removed: number
  /** Where the next slice begins; undefined: nothing further is due. */
  readonly next: number | undefined
}

/** What `subscribe` tells of. `stored` without a uid: perhaps; look. */
export type Wake =
  | { readonly kind: 'stored'; readonly lastUid: number | undefined }
  | { readonly kind: 'queues' }
  | { readonly kind: 'enqueued'; readonly queue: string }

export interface QueueBackend {
  readonly kind: 'memory' | 'redis'
  /** @returns whether it was made now */
  declareStorage(storage: string): Promise<boolean>
  listStorages(): Promise<string[]>
  /** @returns whether there was one */
  destroyStorage(storage: string): Promise<boolean>
  policy(storage: string): Promise<ExpirationPolicy>
  setPolicy(storage: string, policy: ExpirationPolicy): Promise<void>
  /**
   * Stores bodies under consecutive uids and times, a microsecond apart. Repeating the last `sequence` of a producer
   * answers what it answered the first time and stores nothing, so that a lost reply may be asked for again.
   */
  store(
    storage: string,
    producer: string,
    sequence: number,
    bodies: readonly Buffer[],
  ): Promise<{ firstUid: number; publishedUs: number }>
  /** Forgets what `store` keeps of a producer. */
  forgetProducer(storage: string, producer: string): Promise<void>
  /** Messages with uids in (after, through], `through` at most after + limit unless expired ones are skipped. */
  read(storage: string, after: number, limit: number): Promise<{ messages: StoredMessage[]; through: number }>
  /** The largest uid given. */
  lastUid(storage: string): Promise<number>
  messageCount(storage: string): Promise<number>
  /** Makes the queue, or gives an old one new settings. @param from where a new one begins */
  declareQueue(storage: string, queue: string, settings: QueueSettings, from: 'start' | 'end'): Promise<boolean>
  destroyQueue(storage: string, queue: string): Promise<boolean>
  listQueues(storage: string): Promise<QueueInfo[]>
  /** In one round trip; each batch is atomic by itself. A queue that is gone answers undefined. */
  enqueue(storage: string, batches: readonly EnqueueBatch[]): Promise<(EnqueueResult | undefined)[]>
  /** Oldest first. Leases that have passed are ended before. */
  fetch(storage: string, queue: string, count: number): Promise<{ messages: DeliveredMessage[]; returned: number }>
  settle(storage: string, queue: string, step: SettleStep, receipts: readonly Receipt[]): Promise<SettleOutcome[]>
  /** Ends up to `limit` leases that have passed. @returns how many */
  returnExpired(storage: string, queue: string, limit: number): Promise<number>
  /** One bounded slice of the policy over the storage. */
  expireStorage(storage: string, policy: ExpirationPolicy, limit: number): Promise<StorageExpiry>
  /** One bounded slice of the policy over a queue: the uids behind `cursor`, which begins at 0. */
  expireQueue(
    storage: string,
    queue: string,
    policy: ExpirationPolicy,
    cursor: number,
    limit: number,
  ): Promise<QueueExpiry>
  counts(storage: string, queue: string): Promise<QueueCounts>
  /** The first messages of a state by the time they came into it. */
  list(storage: string, queue: string, state: MessageState, limit: number): Promise<DeliveredMessage[]>
  /** Calls `wake` when something happened; a missed wake costs a poll interval. @returns what ends it */
  subscribe(storage: string, queue: string | undefined, wake: (wake: Wake) => void): Promise<() => Promise<void>>
  /** Gives connections back. Deletes nothing. */
  dispose(): Promise<void>
}
