// A completion record in this process; for tests, and for work whose effects do not outlive the process either.

import type { CompletionAuthority, JobFields, UnfinishedJob } from './authority.js'

export class MemoryAuthority implements CompletionAuthority {
  readonly results = new Map<string, unknown>()
  readonly dead = new Map<string, string>()
  readonly #unfinished = new Map<string, UnfinishedJob>()

  /** Registers a job, so that it is missed until it is done. */
  expect(jobId: string, entryId?: string, fields?: JobFields): void {
    if (!this.results.has(jobId)) this.#unfinished.set(jobId, { jobId, entryId, fields })
  }

  async isDone(jobId: string): Promise<boolean> {
    return this.results.has(jobId)
  }

  async markDone(jobId: string, result: unknown): Promise<void> {
    if (!this.results.has(jobId)) this.results.set(jobId, result)
    this.#unfinished.delete(jobId)
  }

  async markDead(jobId: string, reason: string): Promise<void> {
    this.dead.set(jobId, reason)
    this.#unfinished.delete(jobId)
  }

  async *listUnfinished(): AsyncGenerator<UnfinishedJob> {
    yield* new Map(this.#unfinished).values()
  }

  async relocate(jobId: string, from: string | undefined, to: string): Promise<boolean> {
    const job = this.#unfinished.get(jobId)
    if (job === undefined || job.entryId !== from) return false
    this.#unfinished.set(jobId, { ...job, entryId: to })
    return true
  }
}
