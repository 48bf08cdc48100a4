// What becomes of entries once they were delivered: looked up at the authority, run, recorded, acknowledged, tried
// again later, or moved to the dead letters. Used by: worker. Uses: stream-group, held-jobs, an authority.
//
// Invariants: (1) no entry is acknowledged whose job is neither recorded as done nor a dead letter; (2) an entry whose
// fate could not be told to the server stays pending, and is claimed by somebody later.

import { asError } from '../client/events.js'
import { GroupCommit } from '../client/group-commit.js'
import type { Metrics } from '../client/metrics.js'
import { doubledMs, pause } from '../client/waiting.js'
import type { HeldJob } from './held-jobs.js'
import { HeldJobs } from './held-jobs.js'
import { Job, PermanentFailure } from './job.js'
import type { Entry, StreamGroup } from './stream-group.js'
import type { WorkerEvents } from './worker-events.js'
import type { WORKER_METRICS } from './worker-metrics.js'
import type { WorkerSettings } from './worker-options.js'

export interface RunnerHost {
  readonly settings: WorkerSettings
  readonly group: StreamGroup
  readonly metrics: Metrics<keyof typeof WORKER_METRICS>
  tell<Name extends keyof WorkerEvents>(name: Name, event: WorkerEvents[Name]): void
  /** A request failed; it is repeated, or the entry stays pending. */
  failed(error: unknown): void
  /** A handler's place is free. */
  freed(): void
  /** Pending entries turned out to have no payload. */
  payloadGone(entryIds: readonly string[]): void
}

/** A job that is held no longer. */
export interface LeftJob {
  readonly job: Job
  /** Whether its delivery counts. */
  readonly begun: boolean
  /** The server has forgotten the entry, so it cannot be handed back. */
  readonly trimmed: boolean
}

const leftJob = ({ job, trimmed }: HeldJob, begun: boolean): LeftJob => ({ job, begun, trimmed })

const ACKNOWLEDGE_MAX = 1000
const HEARTBEAT_MAX = 200
/** Failed jobs that are kept here until their time; of more the idle time decides. */
const DELAYED_MAX = 1000
const FAILURE_FIRST_MS = 50
const FAILURE_MAX_MS = 2000
const REASON_LENGTH_MAX = 1000

export class JobRunner {
  readonly #held = new HeldJobs()
  readonly #acknowledgements: GroupCommit<string, void>
  /** Handlers, and what follows them. */
  readonly #work = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()
  #stopping = false

  constructor(private readonly host: RunnerHost) {
    this.#acknowledgements = new GroupCommit(ids => this.#acknowledge(ids), { itemsMax: ACKNOWLEDGE_MAX })
  }

  get counts(): { running: number; waiting: number; delayed: number } {
    const { running, waiting, delayed } = this.#held
    return { running, waiting, delayed }
  }

  /** How many more entries it wants; 0 while enough are waiting. */
  get free(): number {
    const { concurrency, prefetch } = this.host.settings
    const { running, waiting } = this.#held
    return waiting > prefetch / 2 ? 0 : concurrency + prefetch - waiting - running
  }

  holdsJob(jobId: string): boolean {
    return this.#held.hasJob(jobId)
  }

  /** Entries that were delivered to this consumer. */
  async accept(entries: readonly Entry[]): Promise<void> {
    await this.#look(entries.filter(({ id }) => !this.#held.has(id)).map(entry => this.#hold(entry)))
  }

  async #look(fresh: readonly HeldJob[]): Promise<void> {
    if (fresh.length === 0) return
    let done: readonly boolean[]
    try {
      done = await this.#areDone(fresh.map(({ job }) => job.id))
    } catch (error) {
      this.host.failed(error)
      for (const held of fresh) this.#tryLater(held, this.host.settings.backoffMs(1))
      return
    }
    fresh.forEach((held, i) => {
      const { job } = held
      if (done[i]) this.#skip(held)
      else if (held.lost) this.#held.forget(held)
      else if (job.deliveries > this.host.settings.deliveriesMax) {
        this.#follow(this.#bury(held, `delivered ${job.deliveries - 1} times without being done`))
      } else this.#held.queue(held)
    })
    this.#pump()
  }

  /** Delivers entries of this consumer to it once more. */
  async redeliver(ids: readonly string[]): Promise<void> {
    const { entries, gone } = await this.host.group.redeliver(ids)
    if (gone.length > 0) this.host.payloadGone(gone)
    await this.accept(entries)
  }

  /** Tells the server that everything held is being worked on, and hears what is not ours any more. */
  async heartbeat(): Promise<void> {
    const ids = this.#held.all().flatMap(({ job, trimmed, lost }) => (trimmed || lost ? [] : [job.entryId]))
    for (let from = 0; from < ids.length; from += HEARTBEAT_MAX) {
      const { lost, gone } = await this.host.group.heartbeat(ids.slice(from, from + HEARTBEAT_MAX))
      for (const id of lost) this.#lose(id)
      for (const id of gone) {
        const held = this.#held.get(id)
        if (held !== undefined) held.trimmed = true
      }
    }
  }

  /** Begins no further job. @returns what was not begun, to be handed back */
  stop(): LeftJob[] {
    this.#stopping = true
    const left = this.#held.all().filter(({ state }) => state !== 'running')
    for (const held of left) this.#held.forget(held)
    return left.map(held => leftJob(held, held.state === 'delayed'))
  }

  /** Resolves when no handler runs, or after `ms`. @returns those that still run */
  async drained(ms: number): Promise<LeftJob[]> {
    const late = new AbortController()
    await Promise.race([this.#settled(), pause(ms, late.signal)])
    late.abort()
    return this.#held.all().flatMap(held => (held.state === 'running' ? [leftJob(held, true)] : []))
  }

  /** Tells running handlers to end. */
  abortRunning(): void {
    for (const { abort } of this.#held.all()) abort.abort()
  }

  /** Ends after the acknowledgements under way, or after `ms`. */
  async close(ms: number): Promise<void> {
    await Promise.race([this.#settled(), pause(ms, this.#closing.signal)])
    this.#closing.abort()
    await this.#acknowledgements.idle()
  }

  async #settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #hold(entry: Entry, trimmed = false): HeldJob {
    const abort = new AbortController()
    const { stream, group, jobId } = this.host.settings
    const job = new Job(stream, group, entry, jobId(entry), abort.signal)
    const held: HeldJob = { job, abort, state: 'checking', lost: false, trimmed, timer: undefined }
    this.#held.add(held)
    return held
  }

  async #areDone(jobIds: readonly string[]): Promise<readonly boolean[]> {
    const { authority } = this.host.settings
    return (await authority.areDone?.(jobIds)) ?? Promise.all(jobIds.map(jobId => authority.isDone(jobId)))
  }

  #skip(held: HeldJob): void {
    const { job } = held
    this.#held.forget(held)
    const settled = this.#acknowledgements.add(job.entryId).then(() => {
      this.host.metrics.add('millrace_worker_skipped_total')
      this.host.tell('skipped', { job })
    })
    this.#follow(settled)
  }

  #pump(): void {
    const { concurrency } = this.host.settings
    while (!this.#stopping && this.#held.running < concurrency) {
      const held = this.#held.begin()
      if (held === undefined) break
      this.#follow(this.#run(held))
    }
  }

  async #run(held: HeldJob): Promise<void> {
    const { handler, authority, clock } = this.host.settings
    const { job } = held
    const beganUs = clock.monotonicUs()
    let result: unknown
    try {
      result = await handler(job)
      await authority.markDone(job.id, result)
    } catch (error) {
      return await this.#handlerFailed(held, asError(error))
    } finally {
      this.host.metrics.add('millrace_worker_handler_seconds_total', (clock.monotonicUs() - beganUs) / 1e6)
    }
    this.#release(held)
    await this.#acknowledgements.add(job.entryId)
    this.host.metrics.add('millrace_worker_processed_total')
    this.host.tell('processed', { job, result })
  }

  async #handlerFailed(held: HeldJob, error: Error): Promise<void> {
    const { job, abort } = held
    const { deliveriesMax, backoffMs } = this.host.settings
    // Told to end: by the stop, which hands it back, or because it is somebody else's. Either way it is not our
    // failure.
    if (held.lost) return this.#release(held)
    if (this.#stopping && abort.signal.aborted) return this.#tryLater(held, 0)
    this.host.metrics.add('millrace_worker_failed_total')
    const last = error instanceof PermanentFailure || job.deliveries >= deliveriesMax
    const retryMs = last ? undefined : backoffMs(job.deliveries)
    this.host.tell('failed', { job, error, retryMs })
    if (retryMs === undefined) await this.#bury(held, error.message)
    else this.#tryLater(held, retryMs)
  }

  /** The entry becomes a dead letter; when that fails it is tried again later, and comes here again. */
  async #bury(held: HeldJob, why: string): Promise<void> {
    const { group, settings, metrics } = this.host
    const { job } = held
    const reason = why.slice(0, REASON_LENGTH_MAX)
    try {
      await settings.authority.markDead?.(job.id, reason)
      const letterId = await group.deadLetter(settings.deadLetters, {
        id: job.entryId,
        reason,
        deliveries: job.deliveries,
        words: ['dead.job', job.id, ...job.words],
      })
      this.#release(held)
      if (letterId === undefined) return this.#tellLost(job)
      metrics.add('millrace_worker_dead_lettered_total')
      this.host.tell('deadLettered', { job, reason, letterId })
    } catch (error) {
      this.host.failed(error)
      this.#tryLater(held, settings.backoffMs(1))
    }
  }

  #tryLater(held: HeldJob, ms: number): void {
    // Beyond the bound it is left to the idle time, unless the server could not give it to anybody.
    if (!held.trimmed && this.#held.delayed >= DELAYED_MAX) return this.#release(held)
    this.#held.delay(held, ms, () => this.#follow(this.#tryAgain(held)))
    this.host.freed()
    this.#pump()
  }

  async #tryAgain(held: HeldJob): Promise<void> {
    const { entryId: id, words, deliveries } = held.job
    this.#held.forget(held)
    try {
      const { entries, gone } = held.trimmed ? { entries: [], gone: [id] } : await this.host.group.redeliver([id])
      // The server has forgotten it, but we have not.
      if (gone.length > 0) return await this.#look([this.#hold({ id, words, deliveries: deliveries + 1 }, true)])
      await this.accept(entries)
    } catch (error) {
      // It is not held any more: after its idle time somebody claims it.
      this.host.failed(error)
    }
  }

  #lose(entryId: string): void {
    const held = this.#held.get(entryId)
    if (held === undefined) return
    held.lost = true
    this.#tellLost(held.job)
    held.abort.abort()
    if (held.state === 'waiting' || held.state === 'delayed') this.#held.forget(held)
  }

  #tellLost(job: Job): void {
    this.host.metrics.add('millrace_worker_lost_total')
    this.host.tell('lost', { job })
  }

  #release(held: HeldJob): void {
    this.#held.forget(held)
    this.host.freed()
    this.#pump()
  }

  /** Until it is done or the worker closes: an unacknowledged entry would be claimed, found done and acknowledged. */
  async #acknowledge(ids: readonly string[]): Promise<void[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.host.group.acknowledge(ids)
        return ids.map(() => undefined)
      } catch (error) {
        this.host.failed(error)
        if (this.#closing.signal.aborted) throw error
        await pause(doubledMs(attempt, FAILURE_FIRST_MS, FAILURE_MAX_MS), this.#closing.signal)
      }
    }
  }

  #follow(work: Promise<unknown>): void {
    const followed = work
      .catch((error: unknown) => this.host.failed(error))
      .finally(() => {
        this.#work.delete(followed)
      })
    this.#work.add(followed)
  }
}
