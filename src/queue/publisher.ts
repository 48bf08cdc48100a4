// Publishing: calls that come one by one share a `store` script, one of which is under way at a time. Used by: storage.
//
// Invariant: a batch keeps its sequence number until it has been answered or given up, so that asking again after a
// lost reply stores nothing twice. Only one batch is under way, hence only the last sequence can be in doubt.

import { GroupCommit } from '../client/group-commit.js'
import { doubledMs, pause } from '../client/waiting.js'
import type { QueueBackend, StoredMessage } from './queue-backend.js'
import { StorageFailure } from './queue-errors.js'

const BATCH_MESSAGES_MAX = 1000
const BATCH_BYTES_MAX = 4 * 1024 * 1024
const RETRY_FIRST_MS = 20
const RETRY_MAX_MS = 500

export interface PublisherOptions {
  readonly backend: QueueBackend
  readonly storage: string
  /** Name of this producer, unique among all of the storage. */
  readonly producer: string
  /** For how long a server that cannot be reached is asked again. */
  readonly retryMs: number
  readonly nowMs: () => number
  /** Ends the repetitions at once. */
  readonly signal: AbortSignal
  /** Each time it was in vain. */
  readonly onFailure: (failure: Error) => void
}

export class Publisher {
  #sequence = 0
  readonly #group: GroupCommit<Buffer, StoredMessage>
  constructor(private readonly options: PublisherOptions) {
    this.#group = new GroupCommit(bodies => this.#store(bodies), {
      itemsMax: BATCH_MESSAGES_MAX,
      weightMax: BATCH_BYTES_MAX,
      weigh: body => body.length,
    })
  }

  /** @returns the message as it was stored. @throws StorageFailure */
  publish(body: Buffer): Promise<StoredMessage> {
    return this.#group.add(body)
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#group.idle()
  }

  async #store(bodies: readonly Buffer[]): Promise<StoredMessage[]> {
    const { backend, storage, producer, retryMs, nowMs, signal, onFailure } = this.options
    const sequence = ++this.#sequence
    const giveUpMs = nowMs() + retryMs
    for (let attempt = 1; ; attempt++) {
      try {
        const { firstUid, publishedUs } = await backend.store(storage, producer, sequence, bodies)
        return bodies.map((body, i) => ({ uid: firstUid + i, publishedUs: publishedUs + i, body }))
      } catch (error) {
        onFailure(error as Error)
        const again = error instanceof StorageFailure && (error.code === 'unreachable' || error.code === 'loading')
        if (!again || signal.aborted || nowMs() >= giveUpMs) throw error
        await pause(doubledMs(attempt, RETRY_FIRST_MS, RETRY_MAX_MS), signal)
      }
    }
  }
}
