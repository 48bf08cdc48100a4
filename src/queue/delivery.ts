// A fetched message in the hands of its consumer. Used by: queue.

import type { DeliveredMessage, SettleOutcome, SettleStep } from './queue-backend.js'
import type { FoundState } from './queue-errors.js'
import { MessageStateError } from './queue-errors.js'

/** Ends or extends one delivery; many that come together share a round trip. */
export type Settle = (step: SettleStep, delivery: Delivery) => Promise<SettleOutcome>

const LEFT_IN: Record<Exclude<SettleStep, 'extend'>, FoundState> = {
  confirm: 'confirmed',
  drop: 'dropped',
  release: 'idle',
}

/**
 * Exactly one of confirm, drop and release ends it; a second one is refused without asking the server. When the lease
 * passes first, the message is somebody else's and all of them are refused.
 */
export class Delivery {
  readonly #settle: Settle
  #receiptUs: number
  #ended: FoundState | undefined

  constructor(
    readonly message: DeliveredMessage,
    settle: Settle,
  ) {
    this.#settle = settle
    this.#receiptUs = message.receiptUs
  }

  /** Of the queue; counts from 1 in the order of enqueuing. */
  get uid(): number {
    return this.message.uid
  }

  /** Of the storage: the same message has the same in all queues. */
  get storageUid(): number {
    return this.message.storageUid
  }

  get body(): Buffer {
    return this.message.body
  }

  get publishedAtMs(): number {
    return Math.floor(this.message.publishedUs / 1000)
  }

  /** Time of the delivery or of its last extension, the receipt the server asks for. */
  get receiptUs(): number {
    return this.#receiptUs
  }

  /** Whether confirm, drop or release was done or refused. */
  get ended(): boolean {
    return this.#ended !== undefined
  }

  /** The body as text. */
  text(): string {
    return this.message.body.toString()
  }

  /** The body as JSON; what it is, the caller says. @throws SyntaxError */
  json<T = unknown>(): T {
    return JSON.parse(this.text()) as T
  }

  /** It is done. @throws MessageStateError when it is not ours any more */
  confirm(): Promise<void> {
    return this.#end('confirm')
  }

  /** It is not worth doing. @throws MessageStateError */
  drop(): Promise<void> {
    return this.#end('drop')
  }

  /** Somebody else may have it at once, in its old place. @throws MessageStateError */
  release(): Promise<void> {
    return this.#end('release')
  }

  /** The lease begins anew. @throws MessageStateError */
  async extend(): Promise<void> {
    if (this.#ended !== undefined) throw new MessageStateError('extend', [{ uid: this.uid, found: this.#ended }])
    const outcome = await this.#settle('extend', this)
    if (outcome.done) this.#receiptUs = outcome.receiptUs
    else this.#refuse('extend', outcome.found)
  }

  async #end(step: Exclude<SettleStep, 'extend'>): Promise<void> {
    if (this.#ended !== undefined) throw new MessageStateError(step, [{ uid: this.uid, found: this.#ended }])
    this.#ended = LEFT_IN[step]
    let outcome: SettleOutcome
    try {
      outcome = await this.#settle(step, this)
    } catch (error) {
      // Whether it was done is not known: the caller may ask again.
      this.#ended = undefined
      throw error
    }
    if (!outcome.done) this.#refuse(step, outcome.found)
  }

  #refuse(step: SettleStep, found: FoundState): never {
    this.#ended = found
    throw new MessageStateError(step, [{ uid: this.uid, found }])
  }
}
