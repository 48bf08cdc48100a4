// What a worker is told, with its defaults and their relations. Used by: worker.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Redis, RedisOptions } from 'ioredis'
import type { Clock } from '../base/clock.js'
import { systemClock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import { doubledMs } from '../client/waiting.js'
import type { CompletionAuthority } from './authority.js'
import type { Job } from './job.js'
import { jobIdOfEntry } from './job.js'
import type { Entry } from './stream-group.js'

export interface WorkerOptions {
  /** A client to take the address and the rights from (it stays the caller's), or options of ioredis. */
  readonly redis: Redis | RedisOptions
  readonly stream: string
  readonly group: string
  /** Does the job; what it resolves with goes to the authority. Throws to have it done again later. */
  readonly handler: (job: Job) => Promise<unknown>
  /** Who records what is done. */
  readonly authority: CompletionAuthority
  /** Unique among the group's living consumers; made of host, process and chance when left out. */
  readonly consumer?: string
  /** Handlers at a time (1). */
  readonly concurrency?: number
  /** Entries fetched ahead of the handlers (as many as `concurrency`). */
  readonly prefetch?: number
  /** How long a read waits for new entries (5,000). */
  readonly blockMs?: number
  /** An entry that nobody has touched for so long belongs to a dead worker (30,000). */
  readonly idleMs?: number
  /** How often it is told that held jobs are being worked on (a third of idleMs). */
  readonly heartbeatMs?: number
  /** How often entries of dead workers are looked for (half of idleMs). */
  readonly claimMs?: number
  /** Deliveries after which an entry becomes a dead letter (5). */
  readonly deliveriesMax?: number
  /** The stream of dead letters (`<stream>:dead`). In a cluster it wants a hash tag in common with the stream. */
  readonly deadLetters?: string
  /** How long to wait after the n-th delivery has failed (1 s doubled up to 60 s). */
  readonly backoffMs?: (deliveries: number) => number
  /** Where a new group begins ('0': with everything in the stream). */
  readonly startAt?: string
  /** Where a group begins that was lost under a running worker (startAt). */
  readonly recoverAt?: string | (() => string | Promise<string>)
  /** A consumer not heard of for so long is removed, its entries are handed back (10 * idleMs). */
  readonly retireMs?: number
  /** How often the authority is asked for jobs whose entries are gone (60,000). */
  readonly reconcileMs?: number
  /** Version of jobs whose entries name none. */
  readonly version?: string
  /** The job's id, its version included; by default of the fields `job` and `version`, else the entry's id. */
  readonly jobId?: (entry: Entry) => string
  /** Whether reads claim as well, where the server can (true). */
  readonly readClaims?: boolean
  /** Stops the worker when aborted, as `stop()` does. */
  readonly signal?: AbortSignal
  readonly clock?: Clock
}

export type WorkerSettings = Required<Omit<WorkerOptions, 'signal' | 'version' | 'recoverAt'>> & {
  readonly recoverAt: () => Promise<string>
}

const BACKOFF_FIRST_MS = 1000
const BACKOFF_MAX_MS = 60_000
const BLOCK_MS = 5000
const IDLE_MS = 30_000
const DELIVERIES_MAX = 5
const RECONCILE_MS = 60_000
const RETIRE_IDLES = 10

/** @throws UsageError naming the option that makes no sense */
export function workerSettings(options: WorkerOptions): WorkerSettings {
  const { stream, group, concurrency = 1, idleMs = IDLE_MS, blockMs = BLOCK_MS, startAt = '0', version } = options
  const { recoverAt = startAt } = options
  const settings: WorkerSettings = {
    ...options,
    consumer: options.consumer ?? `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    concurrency,
    prefetch: options.prefetch ?? concurrency,
    blockMs,
    idleMs,
    heartbeatMs: options.heartbeatMs ?? Math.max(Math.floor(idleMs / 3), 1),
    claimMs: options.claimMs ?? Math.max(Math.floor(idleMs / 2), 1),
    deliveriesMax: options.deliveriesMax ?? DELIVERIES_MAX,
    deadLetters: options.deadLetters ?? `${stream}:dead`,
    backoffMs: options.backoffMs ?? (deliveries => doubledMs(deliveries, BACKOFF_FIRST_MS, BACKOFF_MAX_MS)),
    startAt,
    recoverAt: async () => (typeof recoverAt === 'function' ? recoverAt() : recoverAt),
    retireMs: options.retireMs ?? RETIRE_IDLES * idleMs,
    reconcileMs: options.reconcileMs ?? RECONCILE_MS,
    jobId: options.jobId ?? (entry => jobIdOfEntry(entry, version)),
    readClaims: options.readClaims ?? true,
    clock: options.clock ?? systemClock,
  }
  for (const name of ['concurrency', 'blockMs', 'idleMs', 'heartbeatMs', 'claimMs', 'deliveriesMax'] as const) {
    whole(name, settings[name], 1)
  }
  whole('prefetch', settings.prefetch, 0)
  if (stream === '' || group === '') throw new UsageError('a worker wants the names of a stream and of a group')
  if (settings.deadLetters === stream) throw new UsageError('dead letters go to a stream of their own')
  if (settings.heartbeatMs >= idleMs) {
    throw new UsageError(
      `heartbeatMs (${settings.heartbeatMs}) must lie below idleMs (${idleMs}), or slow jobs look dead`,
    )
  }
  if (settings.retireMs < idleMs || settings.retireMs <= blockMs) {
    throw new UsageError(
      `retireMs (${settings.retireMs}) must lie above blockMs (${blockMs}) and not below idleMs (${idleMs}), ` +
        'or living consumers are retired',
    )
  }
  return settings
}

function whole(name: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new UsageError(`${name} is a whole number of at least ${least}, not ${value}`)
  }
}
