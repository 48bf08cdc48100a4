// The keys of a storage, drawn in docs/queue.md. The hash tag keeps one storage in one slot of a cluster, so that each
// script is atomic. Used by: redis-backend.

import { UsageError } from '../base/errors.js'

/** Set of the names of all storages; the only key outside a storage's slot. */
export const STORAGES_KEY = 'mq:storages'

const NAME_LENGTH_MAX = 256

/** @throws UsageError for a name that cannot be part of a key */
export function checkName(kind: 'storage' | 'queue', name: string): string {
  if (name === '' || name.length > NAME_LENGTH_MAX || /[{}\s:]/.test(name)) {
    throw new UsageError(
      `a ${kind} is named with 1 to ${NAME_LENGTH_MAX} characters without spaces, colons and braces, not '${name}'`,
    )
  }
  return name
}

export interface StorageKeys {
  readonly meta: string
  readonly msgs: string
  readonly counter: string
  readonly byTime: string
  readonly queues: string
  readonly watermark: string
  /** Channel that says that messages were stored (the largest uid) or that queues changed (`queues`). */
  readonly channel: string
}

export interface QueueKeys {
  readonly msgs: string
  readonly counter: string
  readonly idle: string
  readonly consuming: string
  readonly confirmed: string
  readonly dropped: string
  /** Channel that says that messages became idle. */
  readonly channel: string
}

export function storageKeys(storage: string): StorageKeys {
  const at = `{mq:${storage}}:`
  return {
    meta: `${at}meta`,
    msgs: `${at}msgs`,
    counter: `${at}msgs:counter`,
    byTime: `${at}msgs:bytime`,
    queues: `${at}queues`,
    watermark: `${at}queues:watermark`,
    channel: `${at}stored`,
  }
}

export function queueKeys(storage: string, queue: string): QueueKeys {
  const at = `{mq:${storage}}:q:${queue}:`
  return {
    msgs: `${at}msgs`,
    counter: `${at}counter`,
    idle: `${at}idle`,
    consuming: `${at}consuming`,
    confirmed: `${at}confirmed`,
    dropped: `${at}dropped`,
    channel: `${at}enqueued`,
  }
}
