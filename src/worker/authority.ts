// Who knows which jobs are done: the caller's own record, which outlives deliveries, entries and groups. Implemented
// by: memory-authority, redis-authority, or whatever database the caller trusts. Used by: worker, reconcile.
//
// An acknowledgement says only that a delivery is settled. That the work is done is said here, before it.

/** Fields of an entry by their names. Of a name that comes twice the last value counts. */
export type JobFields = Readonly<Record<string, string>>

export interface UnfinishedJob {
  readonly jobId: string
  /** The entry it was last dispatched as; undefined: it is not known to have been dispatched. */
  readonly entryId: string | undefined
  /** What dispatching it anew takes; undefined: no description exists, and the job can only be reported. */
  readonly fields: JobFields | undefined
}

export interface CompletionAuthority {
  /** Asked before a handler runs; a job that is done is acknowledged and not run. */
  isDone(jobId: string): Promise<boolean>
  /** The same for many at once, answers in order; isDone is asked for each when left out. */
  areDone?(jobIds: readonly string[]): Promise<readonly boolean[]>
  /** Called before the entry is acknowledged. A job that is done already stays as it is. */
  markDone(jobId: string, result: unknown): Promise<void>
  /** Called before an entry becomes a dead letter: the job is finished, without success. */
  markDead?(jobId: string, reason: string): Promise<void>
  /** Jobs that are neither done nor dead. Asked when a claim answers that a payload is gone, and now and then. */
  listUnfinished(): AsyncIterable<UnfinishedJob>
  /**
   * Notes that the job is now the entry `to`. False: somebody else dispatched it meanwhile, or it is finished; then the
   * worker takes `to` back. Without it every worker that looks would dispatch the job anew.
   */
  relocate?(jobId: string, from: string | undefined, to: string): Promise<boolean>
}

/** The identity of a job: reprocessing on purpose takes another version, which is not done yet. */
export function versionedJobId(jobId: string, version: string | undefined): string {
  return version === undefined ? jobId : `${jobId}@${version}`
}
