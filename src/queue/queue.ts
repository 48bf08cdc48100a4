// A queue of a storage as its consumers see it: fetch and settle by hand, or a loop. Used by: storage. Uses: a backend.
//
// Invariant of the loops: a message that was fetched is confirmed, dropped or released by us, or its lease passes.
// Ending a loop, by `break` or by its signal, releases what was fetched ahead and not handed out.

import { UsageError } from '../base/errors.js'
import { asError } from '../client/events.js'
import { GroupCommit } from '../client/group-commit.js'
import { Bell } from '../client/waiting.js'
import { Arrivals } from './arrivals.js'
import { Delivery } from './delivery.js'
import type { DeliveredMessage, QueueBackend, QueueCounts, SettleOutcome, SettleStep } from './queue-backend.js'
import type { MessageState, Refusal } from './queue-errors.js'
import { MessageStateError } from './queue-errors.js'

export interface FetchOptions {
  /** How long to wait for a first message when there is none (0: not at all). */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

export interface ConsumeOptions {
  readonly signal?: AbortSignal
  /** How many messages are fetched at once and held ahead of the loop (16). */
  readonly prefetch?: number
  /** How often an empty queue is looked at when nothing woke the loop (1,000). */
  readonly pollMs?: number
}

export interface WorkOptions extends ConsumeOptions {
  /** How many handlers run at a time (1). */
  readonly concurrency?: number
  /** What becomes of a message whose handler threw: 'release' (default) or 'drop'. */
  readonly onError?: 'release' | 'drop'
}

/** What the storage counts and tells for its queues. */
export interface QueueHost {
  readonly backend: QueueBackend
  readonly storage: string
  nowMs(): number
  fetched(queue: string, count: number, returned: number): void
  settled(queue: string, step: SettleStep, count: number): void
  refused(queue: string, step: SettleStep, refusals: readonly Refusal[]): void
  handlerFailed(queue: string, delivery: Delivery, error: Error): void
  /** Runs a request; tells and rethrows its failure. */
  request<T>(run: () => Promise<T>): Promise<T>
}

const FETCH_MAX = 1000
const SETTLE_MAX = 1000
const POLL_MS = 1000
const PREFETCH = 16

export class MessageQueue {
  readonly #groups: Record<SettleStep, GroupCommit<Delivery, SettleOutcome>>
  readonly #arrivals: Arrivals

  constructor(
    readonly name: string,
    /** How long a fetched message is its consumer's, as it was when this handle was made. */
    readonly leaseMs: number,
    private readonly host: QueueHost,
  ) {
    const group = (step: SettleStep): GroupCommit<Delivery, SettleOutcome> =>
      new GroupCommit(deliveries => this.#settle(step, deliveries), { itemsMax: SETTLE_MAX })
    this.#groups = {
      confirm: group('confirm'),
      drop: group('drop'),
      release: group('release'),
      extend: group('extend'),
    }
    this.#arrivals = new Arrivals(wake => host.backend.subscribe(host.storage, name, wake))
  }

  /**
   * The oldest idle messages, up to `count` (1 to 1,000), each to exactly one of all consumers.
   * @throws StorageFailure; QueueMissingError when the queue was destroyed
   */
  async fetch(count = 1, { waitMs = 0, signal }: FetchOptions = {}): Promise<Delivery[]> {
    if (!Number.isSafeInteger(count) || count < 1 || count > FETCH_MAX) {
      throw new UsageError(`a fetch takes 1 to ${FETCH_MAX} messages, not ${count}`)
    }
    signal?.throwIfAborted()
    // Where nobody waits yet, most fetches find something and need no subscription.
    if (waitMs <= 0 || !this.#arrivals.lives) {
      const found = await this.#fetch(count)
      if (found.length > 0 || waitMs <= 0) return found
    }
    const bell = new Bell()
    const endListening = await this.#listen(bell)
    try {
      const untilMs = this.host.nowMs() + waitMs
      for (;;) {
        const deliveries = await this.#fetch(count)
        const leftMs = untilMs - this.host.nowMs()
        if (deliveries.length > 0 || leftMs <= 0 || signal?.aborted) return deliveries
        await bell.wait(Math.min(POLL_MS, leftMs), signal)
      }
    } finally {
      endListening()
    }
  }

  /** All of them in one round trip. @throws MessageStateError naming those that were refused; the others are done */
  confirm(deliveries: readonly Delivery[]): Promise<void> {
    return endAll('confirm', deliveries)
  }

  /** @throws MessageStateError, as confirm does */
  drop(deliveries: readonly Delivery[]): Promise<void> {
    return endAll('drop', deliveries)
  }

  /** @throws MessageStateError, as confirm does */
  release(deliveries: readonly Delivery[]): Promise<void> {
    return endAll('release', deliveries)
  }

  /** @throws MessageStateError, as confirm does */
  extend(deliveries: readonly Delivery[]): Promise<void> {
    return endAll('extend', deliveries)
  }

  /** Counted from the sets themselves, all at one moment. */
  counts(): Promise<QueueCounts> {
    return this.host.request(() => this.host.backend.counts(this.host.storage, this.name))
  }

  /** The first messages of a state, by the time they came into it; takes none of them. */
  list(state: MessageState, limit = 100): Promise<DeliveredMessage[]> {
    return this.host.request(() => this.host.backend.list(this.host.storage, this.name, state, limit))
  }

  /**
   * Endless; ends when `signal` is aborted. The body of the loop settles each delivery itself.
   * @throws StorageFailure; the loop may be begun again
   */
  async *consume(options: ConsumeOptions = {}): AsyncGenerator<Delivery, void, undefined> {
    const { signal, prefetch = PREFETCH, pollMs = POLL_MS } = options
    const bell = new Bell()
    const endListening = await this.#listen(bell)
    let ahead: Delivery[] = []
    try {
      while (!signal?.aborted) {
        ahead = await this.#fetch(Math.min(prefetch, FETCH_MAX))
        if (ahead.length === 0) await bell.wait(pollMs, signal)
        while (ahead.length > 0 && !signal?.aborted) yield ahead.shift()!
      }
    } finally {
      endListening()
      if (ahead.length > 0) await releaseQuietly(ahead)
    }
  }

  /**
   * Runs `handler` for each message and confirms it; a message whose handler threw is released or dropped. Leases of
   * running handlers are extended. Resolves when `signal` was aborted and the last handler has ended.
   * @throws StorageFailure after the running handlers have ended
   */
  async work(handler: (delivery: Delivery) => Promise<void>, options: WorkOptions): Promise<void> {
    const { concurrency = 1 } = options
    const running = new Set<Promise<void>>()
    const held = new Set<Delivery>()
    const heartbeat = setInterval(() => this.#extendHeld(held), Math.max(this.leaseMs / 3, 1))
    try {
      for await (const delivery of this.consume({ prefetch: concurrency, ...options })) {
        held.add(delivery)
        const done = this.#handle(handler, delivery, options).finally(() => {
          running.delete(done)
          held.delete(delivery)
        })
        running.add(done)
        if (running.size >= concurrency) await Promise.race(running)
      }
    } finally {
      await Promise.all(running)
      clearInterval(heartbeat)
    }
  }

  async #handle(handler: (delivery: Delivery) => Promise<void>, delivery: Delivery, options: WorkOptions) {
    try {
      await handler(delivery)
      if (!delivery.ended) await delivery.confirm()
    } catch (error) {
      this.host.handlerFailed(this.name, delivery, asError(error))
      if (delivery.ended) return
      // Refused or unreachable: the lease decides, and the host was told.
      await (options.onError === 'drop' ? delivery.drop() : delivery.release()).catch(() => undefined)
    }
  }

  #extendHeld(held: ReadonlySet<Delivery>): void {
    for (const delivery of held) if (!delivery.ended) delivery.extend().catch(() => undefined)
  }

  async #fetch(count: number): Promise<Delivery[]> {
    const { backend, storage } = this.host
    const { messages, returned } = await this.host.request(() => backend.fetch(storage, this.name, count))
    this.host.fetched(this.name, messages.length, returned)
    return messages.map(message => new Delivery(message, (step, delivery) => this.#groups[step].add(delivery)))
  }

  async #settle(step: SettleStep, deliveries: readonly Delivery[]): Promise<SettleOutcome[]> {
    const { backend, storage } = this.host
    const outcomes = await this.host.request(() => backend.settle(storage, this.name, step, deliveries))
    const refusals = outcomes.flatMap((outcome, i) =>
      outcome.done ? [] : [{ uid: deliveries[i].uid, found: outcome.found }],
    )
    this.host.settled(this.name, step, outcomes.length - refusals.length)
    if (refusals.length > 0) this.host.refused(this.name, step, refusals)
    return outcomes
  }

  #listen(bell: Bell): Promise<() => void> {
    return this.host.request(() => this.#arrivals.listen(bell))
  }
}

async function endAll(step: SettleStep, deliveries: readonly Delivery[]): Promise<void> {
  const results = await Promise.allSettled(deliveries.map(delivery => delivery[step]()))
  const refused: Refusal[] = []
  for (const result of results) {
    if (result.status === 'fulfilled') continue
    if (!(result.reason instanceof MessageStateError)) throw result.reason
    refused.push(...result.reason.refused)
  }
  if (refused.length > 0) throw new MessageStateError(step, refused)
}

async function releaseQuietly(deliveries: readonly Delivery[]): Promise<void> {
  // A failure here was told by the host; the leases return what could not be released.
  await Promise.allSettled(deliveries.map(delivery => delivery.release()))
}
