// What a worker tells. Used by: worker, job-runner.

import type { UnfinishedJob } from './authority.js'
import type { Job } from './job.js'

export interface WorkerEvents {
  processed: { job: Job; result: unknown }
  /** A delivery failed; `retryMs` until it is tried again, undefined: it becomes a dead letter. */
  failed: { job: Job; error: Error; retryMs: number | undefined }
  /** Done before: acknowledged without running. */
  skipped: { job: Job }
  claimed: { entryIds: readonly string[] }
  deadLettered: { job: Job; reason: string; letterId: string }
  /** Pending entries whose payload is gone; the authority is asked what of it is unfinished. */
  payloadGone: { entryIds: readonly string[] }
  redispatched: { job: UnfinishedJob; entryId: string }
  /** Unfinished, its entry is gone, and no description exists: somebody has to decide. */
  unrecoverable: { job: UnfinishedJob }
  /** Another consumer took it over; its signal is aborted. */
  lost: { job: Job }
  groupCreated: { position: string; recovered: boolean }
  consumersRetired: { names: readonly string[]; handedBack: number }
  /** A request failed and is repeated, or a listener threw. */
  error: Error
  stopped: undefined
}
