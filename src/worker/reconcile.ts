// The third story: a worker died before it was done, and the payload was trimmed meanwhile. The authority knows which
// jobs are unfinished; those whose entry cannot be read any more are dispatched anew from their description, or
// reported. Used by: worker.
//
// Only jobs without a readable entry are touched: all others are still delivered, pending or claimable.

import type { CompletionAuthority, UnfinishedJob } from './authority.js'

/** What of the stream it takes. */
export interface Dispatcher {
  /** Which entries can still be read. */
  exist(ids: readonly string[]): Promise<readonly boolean[]>
  /** @returns the new entry's id */
  add(words: readonly string[]): Promise<string>
  remove(id: string): Promise<void>
}

export interface ReconcileReport {
  redispatched(job: UnfinishedJob, entryId: string): void
  /** No description exists: somebody has to decide. */
  unrecoverable(job: UnfinishedJob): void
}

const BATCH = 100

/** @param held jobs this worker is working on: their payload is in its hands, whatever became of the entry */
export async function reconcile(
  authority: CompletionAuthority,
  dispatcher: Dispatcher,
  held: (jobId: string) => boolean,
  report: ReconcileReport,
  signal: AbortSignal,
): Promise<void> {
  let batch: UnfinishedJob[] = []
  for await (const job of authority.listUnfinished()) {
    if (signal.aborted) return
    batch.push(job)
    if (batch.length < BATCH) continue
    await dispatchLost(batch)
    batch = []
  }
  await dispatchLost(batch)

  async function dispatchLost(jobs: readonly UnfinishedJob[]): Promise<void> {
    const located = jobs.flatMap(({ entryId }) => (entryId === undefined ? [] : [entryId]))
    const found = await dispatcher.exist(located)
    const readable = new Set(located.filter((_, i) => found[i]))
    for (const job of jobs) {
      if (signal.aborted) return
      if (job.entryId !== undefined && readable.has(job.entryId)) continue
      if (!held(job.jobId)) await dispatchAnew(job)
    }
  }

  async function dispatchAnew(job: UnfinishedJob): Promise<void> {
    if (job.fields === undefined) return report.unrecoverable(job)
    const entryId = await dispatcher.add(Object.entries(job.fields).flat())
    const ours = (await authority.relocate?.(job.jobId, job.entryId, entryId)) ?? true
    if (ours) report.redispatched(job, entryId)
    else await dispatcher.remove(entryId)
  }
}
