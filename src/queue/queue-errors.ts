// What can go wrong in the queue layer, as types a caller can tell apart. Used by everything in queue/.

/** Why the storage could not do it. `gone`: the storage was destroyed; `other`: see the cause. */
export type StorageFailureCode =
  'unreachable' | 'misconf' | 'oom' | 'readonly' | 'loading' | 'busy' | 'denied' | 'gone' | 'other'

/** The server is gone or refuses. Nothing is half done: every step is one script. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure'
  /**
   * Whether the step may have been done although no answer came. Publishing and confirming are then safe to repeat:
   * a repeated confirm is refused with `found: 'confirmed'`.
   */
  readonly uncertain: boolean
  constructor(
    readonly code: StorageFailureCode,
    /** What was tried: 'store', 'fetch', … */
    readonly operation: string,
    override readonly cause: Error,
  ) {
    super(`${operation}: ${cause.message}`)
    this.uncertain = code === 'unreachable'
  }
}

/** Where a message stands in its queue. */
export type MessageState = 'idle' | 'consuming' | 'confirmed' | 'dropped'
/**
 * What was found instead of the delivery: a state, `redelivered` when the message is being consumed under a later
 * delivery, `gone` when the queue does not hold it any more.
 */
export type FoundState = MessageState | 'redelivered' | 'gone'

export interface Refusal {
  readonly uid: number
  readonly found: FoundState
}

/**
 * Confirm, drop, release or extend met messages that are not being consumed under this delivery. The others were done.
 */
export class MessageStateError extends Error {
  override readonly name = 'MessageStateError'
  constructor(
    readonly step: 'confirm' | 'drop' | 'release' | 'extend',
    readonly refused: readonly Refusal[],
  ) {
    const told = refused.map(({ uid, found }) => `message ${uid} is ${found}`).join(', ')
    super(`cannot ${step} what is not being consumed under this delivery: ${told}`)
  }
}

/** No queue of that name in the storage. */
export class QueueMissingError extends Error {
  override readonly name = 'QueueMissingError'
  constructor(readonly queue: string) {
    super(`there is no queue '${queue}' in this storage; declareQueue makes one`)
  }
}

const CODES: readonly (readonly [RegExp, StorageFailureCode])[] = [
  [/^MQGONE/, 'gone'],
  [/^MISCONF/, 'misconf'],
  [/^OOM/, 'oom'],
  [/^READONLY/, 'readonly'],
  [/^LOADING|^MASTERDOWN/, 'loading'],
  [/^BUSY/, 'busy'],
  [/^NOAUTH|^NOPERM|^WRONGPASS/, 'denied'],
]
const UNREACHABLE =
  /Connection is closed|max retries per request|Stream isn't writeable|timed out|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN/

/** An error of the server or of ioredis as ours. A script's own MQ… replies become their types. */
export function storageError(operation: string, error: Error): Error {
  if (error instanceof StorageFailure || error instanceof QueueMissingError) return error
  // Redis 7 wraps what a command inside a script answered behind its own words; the code stays in front.
  const missing = /^MQNOQUEUE (.*)$/.exec(error.message)
  if (missing) return new QueueMissingError(missing[1])
  const coded = CODES.find(([pattern]) => pattern.test(error.message))
  if (coded) return new StorageFailure(coded[1], operation, error)
  return new StorageFailure(UNREACHABLE.test(error.message) ? 'unreachable' : 'other', operation, error)
}
