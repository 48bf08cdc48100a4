// Distribution: offers stored messages to each queue's filter and enqueues what it accepts. Used by: storage.
//
// It goes in rounds. A round takes one bounded slice for every queue and sends all of them in one round trip, so a
// queue far behind costs the others nothing but its slice. Messages that this process published itself come from
// memory.
// Invariants: (1) a queue's watermark moves only inside the enqueue script, from where this process believes it to be;
// a process that was overtaken learns the watermark and goes on from there; (2) a filter that throws stops its own
// queue at that message, and nothing is passed over.

import { asError } from '../client/events.js'
import { Bell, doubledMs, pause } from '../client/waiting.js'
import { MessageWindow } from './message-window.js'
import type { EnqueueBatch, EnqueueResult, QueueBackend, StoredMessage, Wake } from './queue-backend.js'

export type MessageFilter = (message: StoredMessage, queue: string) => boolean | Promise<boolean>

export interface DistributionOptions {
  /** Whether a queue receives a message; all do when left out. */
  readonly filter?: MessageFilter
  /** After messages were enqueued by this process. */
  readonly onEnqueued?: (queue: string, messages: readonly StoredMessage[]) => void
  /** Messages of one queue in one round (256). */
  readonly sliceMessages?: number
  /** How long it waits at most when nothing woke it (1,000). */
  readonly pollMs?: number
  /** How often leases are ended and the expiration policy is applied (1,000). */
  readonly upkeepMs?: number
  readonly signal?: AbortSignal
}

/** What the storage does for it. */
export interface DistributionHost {
  readonly backend: QueueBackend
  readonly storage: string
  nowMs(): number
  /** Ends leases, applies the policy. */
  upkeep(signal: AbortSignal): Promise<void>
  enqueued(queue: string, count: number): void
  failed(error: Error): void
  filterFailed(queue: string, message: StoredMessage, error: Error): void
}

interface QueueProgress {
  watermark: number
  /** Rounds in a row in which somebody else was faster. */
  overtaken: number
  /** Rounds in a row that ended at a filter's error. */
  filterErrors: number
  /** Not before. */
  restUntilMs: number
}

const FAILURE_FIRST_MS = 50
const FAILURE_MAX_MS = 2000
const OVERTAKEN_FIRST_MS = 2
const OVERTAKEN_MAX_MS = 100

export class Distribution {
  readonly #stopping = new AbortController()
  readonly #bell = new Bell()
  readonly #window = new MessageWindow()
  readonly #queues = new Map<string, QueueProgress>()
  readonly #running: Promise<void>
  #queuesChanged = true
  #lookForMore = true
  #lastUid = 0

  constructor(
    private readonly host: DistributionHost,
    private readonly options: DistributionOptions,
  ) {
    options.signal?.addEventListener('abort', () => this.#stopping.abort(), { once: true })
    if (options.signal?.aborted) this.#stopping.abort()
    this.#running = this.#run()
  }

  /** Ends after the round under way; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Messages that this process has just stored. */
  offer(messages: readonly StoredMessage[]): void {
    for (const message of messages) this.#window.add(message)
    const last = messages.at(-1)
    if (last !== undefined && last.uid > this.#lastUid) this.#lastUid = last.uid
    this.#bell.ring()
  }

  /** Somebody stored messages, or queues came or went. */
  wake(wake: Wake): void {
    if (wake.kind === 'queues') this.#queuesChanged = true
    else if (wake.kind === 'stored' && wake.lastUid !== undefined) {
      // What this process stored itself was offered already.
      if (wake.lastUid <= this.#lastUid) return
      this.#lastUid = wake.lastUid
    } else this.#lookForMore = true
    this.#bell.ring()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    const { pollMs = 1000, upkeepMs = 1000 } = this.options
    let failures = 0
    let upkeepDueMs = 0
    while (!signal.aborted) {
      try {
        if (this.host.nowMs() >= upkeepDueMs) {
          upkeepDueMs = this.host.nowMs() + upkeepMs
          await this.host.upkeep(signal)
        }
        await this.#refresh()
        const moved = await this.#round(signal)
        failures = 0
        if (moved) continue
        const woken = await this.#bell.wait(this.#waitMs(Math.min(pollMs, upkeepMs)), signal)
        // The net below the wakes: one that got lost costs a poll.
        if (!woken) this.#queuesChanged = this.#lookForMore = true
      } catch (error) {
        this.host.failed(asError(error))
        this.#queuesChanged = this.#lookForMore = true
        await pause(doubledMs(++failures, FAILURE_FIRST_MS, FAILURE_MAX_MS), signal)
      }
    }
  }

  /** Until the first queue that rests may go on. */
  #waitMs(atMostMs: number): number {
    const nowMs = this.host.nowMs()
    let waitMs = atMostMs
    for (const { restUntilMs, watermark } of this.#queues.values()) {
      if (watermark < this.#lastUid) waitMs = Math.min(waitMs, Math.max(restUntilMs - nowMs, 1))
    }
    return waitMs
  }

  async #refresh(): Promise<void> {
    const { backend, storage } = this.host
    if (this.#queuesChanged) {
      this.#queuesChanged = false
      const infos = await backend.listQueues(storage)
      for (const name of this.#queues.keys()) if (!infos.some(info => info.name === name)) this.#queues.delete(name)
      for (const { name, watermark } of infos) {
        const known = this.#queues.get(name)
        if (known !== undefined) known.watermark = Math.max(known.watermark, watermark)
        else this.#queues.set(name, { watermark, overtaken: 0, filterErrors: 0, restUntilMs: 0 })
      }
    }
    if (this.#lookForMore) {
      this.#lookForMore = false
      this.#lastUid = Math.max(this.#lastUid, await backend.lastUid(storage))
    }
  }

  /** @returns whether any watermark moved */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { backend, storage } = this.host
    const batches: EnqueueBatch[] = []
    const nowMs = this.host.nowMs()
    for (const [queue, progress] of this.#queues) {
      if (progress.watermark >= this.#lastUid || progress.restUntilMs > nowMs) continue
      const batch = await this.#batch(queue, progress)
      if (batch !== undefined) batches.push(batch)
      if (signal.aborted) return false
    }
    if (batches.length === 0) return false
    const results = await backend.enqueue(storage, batches)
    let moved = false
    results.forEach((result, i) => {
      if (this.#took(batches[i], result)) moved = true
    })
    this.#forgetDistributed()
    return moved
  }

  async #batch(queue: string, progress: QueueProgress): Promise<EnqueueBatch | undefined> {
    const { sliceMessages = 256 } = this.options
    const from = progress.watermark
    const { messages, through } = await this.#messagesAfter(from, sliceMessages)
    const accepted: StoredMessage[] = []
    let to = through
    for (const message of messages) {
      const verdict = await this.#verdict(queue, progress, message)
      if (verdict === undefined) {
        to = message.uid - 1
        break
      }
      if (verdict) accepted.push(message)
    }
    return to > from ? { queue, from, to, accepted } : undefined
  }

  /** The filter's answer; undefined when it threw. */
  async #verdict(queue: string, progress: QueueProgress, message: StoredMessage): Promise<boolean | undefined> {
    const { filter } = this.options
    if (filter === undefined) return true
    try {
      const answer = filter(message, queue)
      // Most filters answer at once; waiting a turn for each would cost more than they do.
      const accepted = typeof answer === 'boolean' ? answer : await answer
      progress.filterErrors = 0
      return accepted
    } catch (error) {
      progress.restUntilMs = this.host.nowMs() + doubledMs(++progress.filterErrors, FAILURE_FIRST_MS, FAILURE_MAX_MS)
      this.host.filterFailed(queue, message, asError(error))
      return undefined
    }
  }

  async #messagesAfter(from: number, limit: number): Promise<{ messages: readonly StoredMessage[]; through: number }> {
    const own = this.#window.after(from, limit)
    if (own.length > 0) return { messages: own, through: own[own.length - 1].uid }
    const read = await this.host.backend.read(this.host.storage, from, limit)
    this.#lastUid = Math.max(this.#lastUid, read.through)
    // The other queues want the same messages next.
    for (const message of read.messages) this.#window.add(message)
    return read
  }

  #took(batch: EnqueueBatch, result: EnqueueResult | undefined): boolean {
    const progress = this.#queues.get(batch.queue)
    if (result === undefined) {
      this.#queues.delete(batch.queue)
      return false
    }
    if (progress === undefined) return false
    progress.watermark = result.watermark
    if (!result.moved) {
      // Two that distribute the same queue would do everything twice: whoever was late leaves the other ahead.
      const restMs = doubledMs(++progress.overtaken, OVERTAKEN_FIRST_MS, OVERTAKEN_MAX_MS)
      progress.restUntilMs = this.host.nowMs() + restMs
      return false
    }
    progress.overtaken = 0
    if (batch.accepted.length > 0) {
      this.host.enqueued(batch.queue, batch.accepted.length)
      try {
        this.options.onEnqueued?.(batch.queue, batch.accepted)
      } catch (error) {
        this.host.failed(asError(error))
      }
    }
    return true
  }

  #forgetDistributed(): void {
    let lowest = Infinity
    for (const { watermark } of this.#queues.values()) lowest = Math.min(lowest, watermark)
    this.#window.forgetThrough(lowest)
  }
}
