// Storages in this process: for tests, and for programs that need no second process. Used by: whoever opens a storage.
// Several backends over one MemoryHub are like several connections to one server. Everything is done between two turns
// of the event loop, so each method is atomic as it stands.

import type { Clock } from '../base/clock.js'
import { systemClock } from '../base/clock.js'
import type { ExpirationPolicy } from './expiration.js'
import { MemoryQueue } from './memory-queue.js'
import type {
  EnqueueBatch,
  EnqueueResult,
  QueueBackend,
  QueueInfo,
  QueueSettings,
  Receipt,
  SettleStep,
  StorageExpiry,
  StoredMessage,
  Wake,
} from './queue-backend.js'
import type { MessageState } from './queue-errors.js'
import { QueueMissingError, StorageFailure } from './queue-errors.js'
import { NEVER } from './expiration.js'

interface MemoryStorage {
  readonly messages: Map<number, StoredMessage>
  readonly queues: Map<string, MemoryQueue>
  readonly producers: Map<string, { sequence: number; firstUid: number; publishedUs: number }>
  readonly listeners: Set<{ queue: string | undefined; wake: (wake: Wake) => void }>
  policy: ExpirationPolicy
  lastUid: number
  clockUs: number
}

/** The "server" of the memory backend. */
export class MemoryHub {
  readonly storages = new Map<string, MemoryStorage>()
  constructor(readonly clock: Clock = systemClock) {}
}

export class MemoryBackend implements QueueBackend {
  readonly kind = 'memory'
  readonly #listening: (() => void)[] = []
  constructor(private readonly hub: MemoryHub = new MemoryHub()) {}

  async declareStorage(storage: string): Promise<boolean> {
    if (this.hub.storages.has(storage)) return false
    this.hub.storages.set(storage, {
      messages: new Map(),
      queues: new Map(),
      producers: new Map(),
      listeners: new Set(),
      policy: NEVER,
      lastUid: 0,
      clockUs: 0,
    })
    return true
  }

  async listStorages(): Promise<string[]> {
    return [...this.hub.storages.keys()].sort()
  }

  async destroyStorage(storage: string): Promise<boolean> {
    return this.hub.storages.delete(storage)
  }

  async policy(storage: string): Promise<ExpirationPolicy> {
    return this.#at('policy', storage).policy
  }

  async setPolicy(storage: string, policy: ExpirationPolicy): Promise<void> {
    this.#at('setPolicy', storage).policy = policy
  }

  async store(storage: string, producer: string, sequence: number, bodies: readonly Buffer[]) {
    const at = this.#at('store', storage)
    const before = at.producers.get(producer)
    if (before?.sequence === sequence) return before
    const publishedUs = this.#tick(at)
    const firstUid = at.lastUid + 1
    bodies.forEach((body, i) => {
      const uid = ++at.lastUid
      at.messages.set(uid, { uid, publishedUs: publishedUs + i, body: Buffer.from(body) })
    })
    at.clockUs += bodies.length - 1
    const answer = { sequence, firstUid, publishedUs }
    at.producers.set(producer, answer)
    this.#tell(at, { kind: 'stored', lastUid: at.lastUid })
    return answer
  }

  async forgetProducer(storage: string, producer: string): Promise<void> {
    this.hub.storages.get(storage)?.producers.delete(producer)
  }

  async read(storage: string, after: number, limit: number) {
    const { messages, lastUid } = this.#at('read', storage)
    // Uids are given in order and a Map keeps it: the first key is the oldest message there is.
    const oldest = messages.keys().next().value ?? lastUid + 1
    const begin = Math.max(after, oldest - 1)
    const through = Math.min(lastUid, begin + limit)
    const found: StoredMessage[] = []
    for (let uid = begin + 1; uid <= through; uid++) {
      const message = messages.get(uid)
      if (message !== undefined) found.push(message)
    }
    return { messages: found, through }
  }

  async lastUid(storage: string): Promise<number> {
    return this.#at('lastUid', storage).lastUid
  }

  async messageCount(storage: string): Promise<number> {
    return this.#at('messageCount', storage).messages.size
  }

  async declareQueue(storage: string, queue: string, settings: QueueSettings, from: 'start' | 'end') {
    const at = this.#at('declareQueue', storage)
    const old = at.queues.get(queue)
    if (old !== undefined) old.settings = settings
    else at.queues.set(queue, new MemoryQueue(settings, from === 'start' ? 0 : at.lastUid))
    this.#tell(at, { kind: 'queues' })
    return old === undefined
  }

  async destroyQueue(storage: string, queue: string): Promise<boolean> {
    const at = this.#at('destroyQueue', storage)
    const was = at.queues.delete(queue)
    this.#tell(at, { kind: 'queues' })
    return was
  }

  async listQueues(storage: string): Promise<QueueInfo[]> {
    return [...this.#at('listQueues', storage).queues]
      .map(([name, { settings, watermark }]) => ({ name, settings, watermark }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async enqueue(storage: string, batches: readonly EnqueueBatch[]): Promise<(EnqueueResult | undefined)[]> {
    const at = this.#at('enqueue', storage)
    return batches.map(({ queue, from, to, accepted }) => {
      const target = at.queues.get(queue)
      if (target === undefined) return undefined
      const moved = target.watermark === from
      if (moved) {
        target.enqueue(accepted, to, () => this.#tick(at))
        if (accepted.length > 0) this.#tell(at, { kind: 'enqueued', queue })
      }
      return { moved, watermark: target.watermark }
    })
  }

  async fetch(storage: string, queue: string, count: number) {
    const { at, target } = this.#queueAt('fetch', storage, queue)
    const nowUs = this.#tick(at)
    const returned = target.returnExpired(nowUs, Infinity)
    return { messages: target.fetch(count, nowUs), returned }
  }

  async settle(storage: string, queue: string, step: SettleStep, receipts: readonly Receipt[]) {
    const { at, target } = this.#queueAt('settle', storage, queue)
    const outcomes = target.settle(step, receipts, this.#tick(at))
    if (step === 'release') this.#tell(at, { kind: 'enqueued', queue })
    return outcomes
  }

  async returnExpired(storage: string, queue: string, limit: number): Promise<number> {
    const { at, target } = this.#queueAt('returnExpired', storage, queue)
    const returned = target.returnExpired(this.#tick(at), limit)
    if (returned > 0) this.#tell(at, { kind: 'enqueued', queue })
    return returned
  }

  async expireStorage(storage: string, policy: ExpirationPolicy, limit: number): Promise<StorageExpiry> {
    const at = this.#at('expireStorage', storage)
    if (policy.kind === 'never') return { removed: 0, undistributed: 0 }
    const nowUs = this.#tick(at)
    const lowest = Math.min(...[...at.queues.values()].map(({ watermark }) => watermark))
    let [removed, undistributed] = [0, 0]
    for (const { uid, publishedUs } of at.messages.values()) {
      const due =
        policy.kind === 'after' ? publishedUs <= nowUs - policy.seconds * 1e6 : at.messages.size > policy.count
      if (!due || removed === limit) break
      at.messages.delete(uid)
      removed++
      if (uid > lowest) undistributed++
    }
    return { removed, undistributed }
  }

  async expireQueue(storage: string, queue: string, policy: ExpirationPolicy, cursor: number, limit: number) {
    const { at, target } = this.#queueAt('expireQueue', storage, queue)
    return target.expire(policy, cursor, limit, this.#tick(at))
  }

  async counts(storage: string, queue: string) {
    return this.#queueAt('counts', storage, queue).target.counts()
  }

  async list(storage: string, queue: string, state: MessageState, limit: number) {
    return this.#queueAt('list', storage, queue).target.list(state, limit)
  }

  async subscribe(storage: string, queue: string | undefined, wake: (wake: Wake) => void) {
    const { listeners } = this.#at('subscribe', storage)
    const listener = { queue, wake }
    listeners.add(listener)
    const end = (): void => void listeners.delete(listener)
    this.#listening.push(end)
    return async () => end()
  }

  async dispose(): Promise<void> {
    for (const end of this.#listening) end()
  }

  #at(operation: string, storage: string): MemoryStorage {
    const at = this.hub.storages.get(storage)
    if (at === undefined) throw new StorageFailure('gone', operation, new Error(`there is no storage '${storage}'`))
    return at
  }

  #queueAt(operation: string, storage: string, queue: string): { at: MemoryStorage; target: MemoryQueue } {
    const at = this.#at(operation, storage)
    const target = at.queues.get(queue)
    if (target === undefined) throw new QueueMissingError(queue)
    return { at, target }
  }

  #tick(at: MemoryStorage): number {
    at.clockUs = Math.max(this.hub.clock.nowUs(), at.clockUs + 1)
    return at.clockUs
  }

  #tell(at: MemoryStorage, wake: Wake): void {
    for (const { queue, wake: call } of at.listeners) {
      if (queue === (wake.kind === 'enqueued' ? wake.queue : undefined)) call(wake)
    }
  }
}
