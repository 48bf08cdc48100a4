// Dead letters: what a worker gave up, with where it came from and why, and the way back. Used by: callers.
//
// A dead letter is an entry with the fields dead.stream, dead.id, dead.group, dead.consumer, dead.deliveries,
// dead.reason, dead.job, and then the fields of the entry it was.

import type { Redis } from 'ioredis'
import type { JobFields } from './authority.js'
import { VERSION_FIELD } from './redis-authority.js'

export interface DeadLetter {
  readonly id: string
  readonly stream: string
  /** The entry it was. */
  readonly entryId: string
  readonly group: string
  readonly consumer: string
  readonly deliveries: number
  readonly reason: string
  readonly jobId: string
  readonly fields: JobFields
}

const PREFIX = 'dead.'
const SLICE = 100

/** From the oldest on; `after` is a dead letter's id. */
export async function* listDeadLetters(
  redis: Redis,
  key: string,
  { after = '-', signal }: { after?: string; signal?: AbortSignal } = {},
): AsyncGenerator<DeadLetter> {
  for (let from = after === '-' ? '-' : `(${after}`; !signal?.aborted;) {
    const entries = await redis.xrange(key, from, '+', 'COUNT', SLICE)
    for (const [id, words] of entries) yield letterOf(id, words)
    if (entries.length < SLICE) return
    from = `(${entries[entries.length - 1][0]}`
  }
}

/**
 * Adds the job to its stream again, under a new version, and removes the letter: one transaction, so in a cluster both
 * streams want one slot. @returns the new entry's id
 */
export async function requeueDeadLetter(redis: Redis, key: string, letter: DeadLetter, version: string) {
  const words = Object.entries({ ...letter.fields, [VERSION_FIELD]: version }).flat()
  const replies = (await redis
    .multi()
    .xadd(letter.stream, '*', ...words)
    .xdel(key, letter.id)
    .exec()) as [Error | null, unknown][]
  for (const [error] of replies) if (error) throw error
  return String(replies[0][1])
}

function letterOf(id: string, words: readonly string[]): DeadLetter {
  const own: Record<string, string> = {}
  const fields: Record<string, string> = {}
  for (let i = 0; i + 1 < words.length; i += 2) {
    // The first fields are ours; a payload may have fields of such names too.
    const mine = words[i].startsWith(PREFIX) && !(words[i] in own)
    if (mine) own[words[i]] = words[i + 1]
    else fields[words[i]] = words[i + 1]
  }
  const at = (name: string): string => own[PREFIX + name] ?? ''
  return {
    id,
    stream: at('stream'),
    entryId: at('id'),
    group: at('group'),
    consumer: at('consumer'),
    deliveries: Number(at('deliveries')),
    reason: at('reason'),
    jobId: at('job'),
    fields,
  }
}
