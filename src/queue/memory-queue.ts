// One queue of the memory backend. Used by: memory-backend, whose clock it is handed as numbers.
// Invariants: (1) a message stands in exactly one state; (2) idle messages are fetched by their time of enqueuing,
// which a return to idle does not change.

import type { ExpirationPolicy } from './expiration.js'
import type {
  DeliveredMessage,
  QueueCounts,
  QueueExpiry,
  QueueSettings,
  Receipt,
  SettleOutcome,
  SettleStep,
  StoredMessage,
} from './queue-backend.js'
import type { FoundState, MessageState } from './queue-errors.js'

interface Entry {
  readonly uid: number
  readonly message: StoredMessage
  readonly enqueuedUs: number
  state: MessageState
  /** Time of the step into `state`; of idle messages that of enqueuing. */
  sinceUs: number
}

const AFTER: Record<SettleStep, MessageState> = {
  confirm: 'confirmed',
  drop: 'dropped',
  release: 'idle',
  extend: 'consuming',
}

export class MemoryQueue {
  readonly #entries = new Map<number, Entry>()
  /** Uids of idle messages; ascending but for those that came back. */
  #idle: number[] = []
  #lastUid = 0
  constructor(
    public settings: QueueSettings,
    public watermark: number,
  ) {}

  enqueue(messages: readonly StoredMessage[], watermark: number, tick: () => number): void {
    for (const message of messages) {
      const uid = ++this.#lastUid
      const enqueuedUs = tick()
      this.#entries.set(uid, { uid, message, enqueuedUs, state: 'idle', sinceUs: enqueuedUs })
      this.#idle.push(uid)
    }
    this.watermark = watermark
  }

  fetch(count: number, nowUs: number): DeliveredMessage[] {
    return this.#idle.splice(0, count).map(uid => {
      const entry = this.#entries.get(uid)!
      entry.state = 'consuming'
      entry.sinceUs = nowUs
      return delivered(entry)
    })
  }

  settle(step: SettleStep, receipts: readonly Receipt[], nowUs: number): SettleOutcome[] {
    return receipts.map(({ uid, receiptUs }) => {
      const entry = this.#entries.get(uid)
      const found = foundState(entry, receiptUs)
      if (entry === undefined || found !== undefined) return { done: false, found: found ?? 'gone' }
      entry.state = AFTER[step]
      if (step === 'release') this.#toIdle(entry)
      else entry.sinceUs = nowUs
      return { done: true, receiptUs: nowUs }
    })
  }

  returnExpired(nowUs: number, limit: number): number {
    const cutoffUs = nowUs - this.settings.leaseMs * 1000
    let returned = 0
    for (const entry of this.#entries.values()) {
      if (returned === limit) break
      if (entry.state !== 'consuming' || entry.sinceUs > cutoffUs) continue
      this.#toIdle(entry)
      returned++
    }
    return returned
  }

  expire(policy: ExpirationPolicy, cursor: number, limit: number, nowUs: number): QueueExpiry {
    let removed = 0
    let looked = 0
    for (const entry of this.#entries.values()) {
      if (entry.uid <= cursor) continue
      if (!isDue(policy, entry, nowUs, this.#lastUid)) break
      if (looked++ === limit) return { removed, next: entry.uid - 1 }
      if (entry.state === 'consuming') continue
      this.#entries.delete(entry.uid)
      if (entry.state === 'idle') this.#idle.splice(this.#idle.indexOf(entry.uid), 1)
      removed++
    }
    return { removed, next: undefined }
  }

  counts(): QueueCounts {
    const counts = { total: this.#entries.size, idle: 0, consuming: 0, confirmed: 0, dropped: 0 }
    for (const { state } of this.#entries.values()) counts[state]++
    return counts
  }

  list(state: MessageState, limit: number): DeliveredMessage[] {
    return [...this.#entries.values()]
      .filter(entry => entry.state === state)
      .sort((a, b) => a.sinceUs - b.sinceUs)
      .slice(0, limit)
      .map(delivered)
  }

  #toIdle(entry: Entry): void {
    entry.state = 'idle'
    entry.sinceUs = entry.enqueuedUs
    const at = this.#idle.findIndex(uid => uid > entry.uid)
    if (at < 0) this.#idle.push(entry.uid)
    else this.#idle.splice(at, 0, entry.uid)
  }
}

/** Why this delivery cannot be settled, or undefined when it can. */
function foundState(entry: Entry | undefined, receiptUs: number): FoundState | undefined {
  if (entry === undefined) return 'gone'
  if (entry.state !== 'consuming') return entry.state
  return entry.sinceUs === receiptUs ? undefined : 'redelivered'
}

function isDue(policy: ExpirationPolicy, entry: Entry, nowUs: number, lastUid: number): boolean {
  if (policy.kind === 'never') return false
  if (policy.kind === 'last') return entry.uid <= lastUid - policy.count
  return entry.message.publishedUs <= nowUs - policy.seconds * 1e6
}

function delivered({ uid, message, enqueuedUs, sinceUs }: Entry): DeliveredMessage {
  const { publishedUs, body, uid: storageUid } = message
  return { uid, receiptUs: sinceUs, storageUid, publishedUs, enqueuedUs, body: Buffer.from(body) }
}
