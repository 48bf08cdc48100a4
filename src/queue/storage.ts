// A storage: publishes messages, makes queues, distributes, expires. The entrance of millrace/queue.
// Uses: a backend, publisher, distribution, queue. Invariant: dispose gives back connections and deletes nothing.

import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.js'
import { systemClock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import { Events } from '../client/events.js'
import type { Metric } from '../client/metrics.js'
import { Metrics } from '../client/metrics.js'
import type { Delivery } from './delivery.js'
import type { DistributionHost, DistributionOptions } from './distribution.js'
import { Distribution } from './distribution.js'
import type { ExpirationPolicy } from './expiration.js'
import { checkPolicy } from './expiration.js'
import { Publisher } from './publisher.js'
import type { QueueBackend, QueueInfo, QueueSettings, StoredMessage } from './queue-backend.js'
import type { Refusal } from './queue-errors.js'
import { QueueMissingError, StorageFailure } from './queue-errors.js'
import { checkName } from './queue-keys.js'
import { QUEUE_METRICS } from './queue-metrics.js'
import type { QueueHost } from './queue.js'
import { MessageQueue } from './queue.js'

export interface StorageEvents {
  /** The server is gone or refuses; `code` says why. The caller of the request gets the same error. */
  failure: StorageFailure
  /** A filter threw; its queue waits at that message and tries again. */
  filterError: { queue: string; message: StoredMessage; error: Error }
  /** The handler of a `work` loop threw. */
  handlerError: { queue: string; delivery: Delivery; error: Error }
  enqueued: { queue: string; count: number }
  /** Leases that passed: their messages are idle again. */
  returned: { queue: string; count: number }
  /** What the policy removed; `queue` undefined: from the storage itself. */
  expired: { queue: string | undefined; removed: number; undistributed: number }
  refused: { queue: string; step: string; refusals: readonly Refusal[] }
  /** Anything else: a listener or a callback that threw. */
  error: Error
}

export interface StorageOptions {
  /** For how long publish asks a server again that cannot be reached (5,000). The message is stored once at most. */
  readonly publishRetryMs?: number
  readonly clock?: Clock
}

export interface QueueOptions {
  /** How long a fetched message belongs to its consumer (30,000). */
  readonly leaseMs?: number
  /**
   * Where a new queue begins: with every message that is stored ('start', the default) or with the next one ('end').
   */
  readonly from?: 'start' | 'end'
}

const LEASE_MS = 30_000
const PUBLISH_RETRY_MS = 5000
/** Messages one script of the upkeep looks at: others wait that long at most. */
const SLICE = 500
const READ_SLICE = 256

export class MessageStorage extends Events<StorageEvents> {
  readonly #backend: QueueBackend
  readonly #clock: Clock
  readonly #metrics: Metrics<keyof typeof QUEUE_METRICS>
  readonly #publisher: Publisher
  readonly #producer = randomUUID()
  readonly #disposing = new AbortController()
  readonly #distributions = new Set<Distribution>()
  readonly #unsubscribes: (() => Promise<void>)[] = []

  private constructor(
    readonly name: string,
    backend: QueueBackend,
    options: StorageOptions,
  ) {
    super()
    this.#backend = backend
    this.#clock = options.clock ?? systemClock
    this.#metrics = new Metrics(QUEUE_METRICS, { storage: name })
    this.#publisher = new Publisher({
      backend,
      storage: name,
      producer: this.#producer,
      retryMs: options.publishRetryMs ?? PUBLISH_RETRY_MS,
      nowMs: () => this.#nowMs(),
      signal: this.#disposing.signal,
      onFailure: error => this.#failed(error),
    })
  }

  /** Opens the storage, and makes it when there is none. The backend may be shared; `dispose` leaves it open. */
  static async open(name: string, backend: QueueBackend, options: StorageOptions = {}): Promise<MessageStorage> {
    checkName('storage', name)
    await backend.declareStorage(name)
    return new MessageStorage(name, backend, options)
  }

  /**
   * Stores a message; it is durable when this resolves. Calls made while a request is under way share the next one.
   * @throws StorageFailure
   */
  async publish(body: Buffer | string, { signal }: { signal?: AbortSignal } = {}): Promise<StoredMessage> {
    signal?.throwIfAborted()
    this.#open()
    const message = await this.#publisher.publish(typeof body === 'string' ? Buffer.from(body) : body)
    this.#metrics.add('millrace_queue_published_total')
    for (const distribution of this.#distributions) distribution.offer([message])
    return message
  }

  /** Stores many messages in few round trips, in their order. @throws StorageFailure; those before it are stored */
  publishMany(bodies: readonly (Buffer | string)[], options: { signal?: AbortSignal } = {}): Promise<StoredMessage[]> {
    return Promise.all(bodies.map(body => this.publish(body, options)))
  }

  /** Stored messages from `after` on, oldest first, to the last one there is; for replay and inspection. */
  async *messages({ after = 0, signal }: { after?: number; signal?: AbortSignal } = {}) {
    for (let at = after; !signal?.aborted;) {
      const { messages, through } = await this.#request(() => this.#backend.read(this.name, at, READ_SLICE))
      yield* messages
      if (through === at) return
      at = through
    }
  }

  /** Makes the queue, or gives an existing one these settings. */
  async declareQueue(queue: string, { leaseMs = LEASE_MS, from = 'start' }: QueueOptions = {}): Promise<MessageQueue> {
    checkName('queue', queue)
    if (!Number.isSafeInteger(leaseMs) || leaseMs < 1) {
      throw new UsageError(`a lease is a whole number of milliseconds above 0, not ${leaseMs}`)
    }
    const settings: QueueSettings = { leaseMs }
    await this.#request(() => this.#backend.declareQueue(this.name, queue, settings, from))
    return new MessageQueue(queue, leaseMs, this.#queueHost())
  }

  /** A queue that exists. @throws QueueMissingError */
  async queue(queue: string): Promise<MessageQueue> {
    const info = (await this.queues()).find(({ name }) => name === queue)
    if (info === undefined) throw new QueueMissingError(queue)
    return new MessageQueue(queue, info.settings.leaseMs, this.#queueHost())
  }

  queues(): Promise<QueueInfo[]> {
    return this.#request(() => this.#backend.listQueues(this.name))
  }

  /** Deletes the queue with its messages; those of the storage stay. @returns whether there was one */
  destroyQueue(queue: string): Promise<boolean> {
    return this.#request(() => this.#backend.destroyQueue(this.name, queue))
  }

  policy(): Promise<ExpirationPolicy> {
    return this.#request(() => this.#backend.policy(this.name))
  }

  /** @throws UsageError for a policy that means nothing */
  async setPolicy(policy: ExpirationPolicy): Promise<void> {
    checkPolicy(policy)
    await this.#request(() => this.#backend.setPolicy(this.name, policy))
  }

  /** How many messages are stored. */
  messageCount(): Promise<number> {
    return this.#request(() => this.#backend.messageCount(this.name))
  }

  /** Begins to distribute in this process, until `stop`, its signal or `dispose`. Any number of processes may. */
  async distribute(options: DistributionOptions = {}): Promise<Distribution> {
    this.#open()
    const distribution = new Distribution(this.#distributionHost(), options)
    this.#distributions.add(distribution)
    try {
      const { name } = this
      const unsubscribe = await this.#backend.subscribe(name, undefined, wake => distribution.wake(wake))
      this.#unsubscribes.push(unsubscribe)
    } catch (error) {
      // The poll is the net: distribution goes on without being woken.
      this.#failed(error as Error)
    }
    return distribution
  }

  /** Applies the policy now, in slices. @returns how many messages left the storage and its queues */
  async expire(signal?: AbortSignal): Promise<{ stored: number; queued: number }> {
    const policy = await this.policy()
    const done = { stored: 0, queued: 0 }
    if (policy.kind === 'never') return done
    for (const { name: queue } of await this.queues()) {
      for (let cursor: number | undefined = 0; cursor !== undefined && !signal?.aborted;) {
        const at: number = cursor
        const slice = await this.#request(() => this.#backend.expireQueue(this.name, queue, policy, at, SLICE))
        this.#expired(queue, slice.removed, 0)
        done.queued += slice.removed
        cursor = slice.next
      }
    }
    for (let removed = SLICE; removed === SLICE && !signal?.aborted;) {
      const slice = await this.#request(() => this.#backend.expireStorage(this.name, policy, SLICE))
      this.#expired(undefined, slice.removed, slice.undistributed)
      done.stored += slice.removed
      removed = slice.removed
    }
    return done
  }

  /** Counters of this process since the storage was opened. */
  metrics(): Metric[] {
    return this.#metrics.snapshot()
  }

  /** Ends distribution and publishing after what is under way. Deletes nothing, and leaves the backend open. */
  async dispose(): Promise<void> {
    if (this.#disposing.signal.aborted) return
    this.#disposing.abort()
    await Promise.all([...this.#distributions].map(distribution => distribution.stop()))
    await this.#publisher.idle()
    // The server may be gone, and what is asked of it here is only tidiness.
    await Promise.allSettled(this.#unsubscribes.map(unsubscribe => unsubscribe()))
    await this.#backend.forgetProducer(this.name, this.#producer).catch(() => undefined)
  }

  async #request<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      this.#failed(error as Error)
      throw error
    }
  }

  #nowMs(): number {
    return this.#clock.monotonicUs() / 1000
  }

  #open(): void {
    if (this.#disposing.signal.aborted) throw new UsageError(`the storage '${this.name}' was disposed of`)
  }

  #failed(error: Error): void {
    if (error instanceof StorageFailure) {
      this.#metrics.add('millrace_queue_failures_total', 1, { code: error.code })
      this.emit('failure', error)
    } else this.emit('error', error)
  }

  #expired(queue: string | undefined, removed: number, undistributed: number): void {
    if (removed === 0) return
    this.#metrics.add('millrace_queue_expired_total', removed, queue === undefined ? {} : { queue })
    this.emit('expired', { queue, removed, undistributed })
  }

  #returned(queue: string, count: number): void {
    if (count === 0) return
    this.#metrics.add('millrace_queue_returned_total', count, { queue })
    this.emit('returned', { queue, count })
  }

  #queueHost(): QueueHost {
    return {
      backend: this.#backend,
      storage: this.name,
      nowMs: () => this.#nowMs(),
      fetched: (queue, count, returned) => {
        this.#metrics.add('millrace_queue_fetched_total', count, { queue })
        this.#returned(queue, returned)
      },
      settled: (queue, step, count) => this.#metrics.add('millrace_queue_settled_total', count, { queue, step }),
      refused: (queue, step, refusals) => {
        this.#metrics.add('millrace_queue_refused_total', refusals.length, { queue, step })
        this.emit('refused', { queue, step, refusals })
      },
      handlerFailed: (queue, delivery, error) => {
        this.#metrics.add('millrace_queue_handler_errors_total', 1, { queue })
        this.emit('handlerError', { queue, delivery, error })
      },
      request: run => this.#request(run),
    }
  }

  #distributionHost(): DistributionHost {
    return {
      backend: this.#backend,
      storage: this.name,
      nowMs: () => this.#nowMs(),
      upkeep: signal => this.#upkeep(signal),
      enqueued: (queue, count) => {
        this.#metrics.add('millrace_queue_enqueued_total', count, { queue })
        this.emit('enqueued', { queue, count })
      },
      failed: error => this.#failed(error),
      filterFailed: (queue, message, error) => {
        this.#metrics.add('millrace_queue_filter_errors_total', 1, { queue })
        this.emit('filterError', { queue, message, error })
      },
    }
  }

  async #upkeep(signal: AbortSignal): Promise<void> {
    for (const { name: queue } of await this.#backend.listQueues(this.name)) {
      for (let count = SLICE; count === SLICE && !signal.aborted;) {
        count = await this.#backend.returnExpired(this.name, queue, SLICE).catch(missingIsNone)
        this.#returned(queue, count)
      }
    }
    await this.expire(signal)
  }
}

/** A queue destroyed between the list and the look. */
function missingIsNone(error: unknown): number {
  if (error instanceof QueueMissingError) return 0
  throw error
}

/** Names of all storages of a backend. */
export function listStorages(backend: QueueBackend): Promise<string[]> {
  return backend.listStorages()
}

/** Deletes a storage, its messages and its queues. @returns whether there was one */
export function destroyStorage(backend: QueueBackend, name: string): Promise<boolean> {
  return backend.destroyStorage(checkName('storage', name))
}
