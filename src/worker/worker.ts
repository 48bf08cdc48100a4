// A consumer-group worker: the entrance of millrace/worker. Reads and claims entries, keeps alive what it holds, looks
// after the group. Uses: stream-group, job-runner (what becomes of an entry), reconcile (the third story).
//
// The three stories (docs/worker.md): a job is done, recorded by the authority, then acknowledged; done and recorded,
// and its worker died: whoever claims it finds the record and acknowledges; not done, and its payload was trimmed: the
// authority's unfinished jobs are dispatched anew.

import { asError, Events } from '../client/events.js'
import type { Metric } from '../client/metrics.js'
import { Metrics } from '../client/metrics.js'
import { Bell, doubledMs, pause } from '../client/waiting.js'
import type { GroupFigures } from './group-figures.js'
import { streamFigures } from './group-figures.js'
import type { Job } from './job.js'
import type { LeftJob } from './job-runner.js'
import { JobRunner } from './job-runner.js'
import { reconcile } from './reconcile.js'
import { StreamGroup } from './stream-group.js'
import type { WorkerEvents } from './worker-events.js'
import { WORKER_METRICS } from './worker-metrics.js'
import type { WorkerOptions, WorkerSettings } from './worker-options.js'
import { workerSettings } from './worker-options.js'

const CLAIM_COUNT_MAX = 100
const OWN_PENDING_MAX = 1000
const HAND_BACK_PER_PASS = 100
const FAILURE_FIRST_MS = 50
const FAILURE_MAX_MS = 2000
const GRACE_MS = 30_000
/** What is left to a handler that was told to end, and to the last acknowledgements. */
const LAST_GRACE_MS = 1000
const UNBLOCK_MS = 50
const RECONCILE_LOCK = 'reconcile'
const RECONCILE_LOCK_MS = 30_000

export class Worker extends Events<WorkerEvents> {
  readonly #settings: WorkerSettings
  readonly #group: StreamGroup
  readonly #runner: JobRunner
  readonly #metrics: Metrics<keyof typeof WORKER_METRICS>
  readonly #room = new Bell()
  /** No further entry is taken. */
  readonly #stopping = new AbortController()
  /** Nothing is held any more. */
  readonly #closing = new AbortController()
  #reading: Promise<void> = Promise.resolve()
  #loops: Promise<unknown> = Promise.resolve()
  #stopped: Promise<void> | undefined
  #reconcileDueMs = -Infinity
  #resolveEnded!: () => void

  /** Resolves when the worker has stopped. */
  readonly ended: Promise<void> = new Promise(resolve => (this.#resolveEnded = resolve))

  private constructor(options: WorkerOptions) {
    super()
    const settings = (this.#settings = workerSettings(options))
    const { redis, stream, group, consumer, readClaims } = settings
    this.#group = new StreamGroup(redis, stream, group, consumer, readClaims)
    this.#metrics = new Metrics(WORKER_METRICS, { stream, group, consumer })
    this.#runner = new JobRunner({
      settings,
      group: this.#group,
      metrics: this.#metrics,
      tell: (name, event) => this.emit(name, event),
      failed: error => this.#failedRequest(error),
      freed: () => this.#room.ring(),
      payloadGone: ids => this.#payloadGone(ids),
    })
    options.signal?.addEventListener('abort', () => void this.stop(), { once: true })
  }

  /**
   * Makes the group when there is none, takes up what this consumer has pending, and begins to work. Listeners that
   * must miss nothing are given to `listen`, which runs before.
   * @throws UsageError for options that make no sense; the server's error when the group cannot be made
   */
  static async start(options: WorkerOptions, listen?: (worker: Worker) => void): Promise<Worker> {
    const worker = new Worker(options)
    listen?.(worker)
    try {
      await worker.#begin()
    } catch (error) {
      worker.#group.close()
      throw error
    }
    if (options.signal?.aborted) void worker.stop()
    return worker
  }

  get consumer(): string {
    return this.#settings.consumer
  }

  /**
   * Ends it and loses nothing: what was not begun is handed back, running handlers have `graceMs` (30,000), then their
   * signals are aborted and their entries handed back too. The consumer is removed when nothing is left pending.
   */
  stop({ graceMs = GRACE_MS }: { graceMs?: number } = {}): Promise<void> {
    return (this.#stopped ??= this.#stop(graceMs))
  }

  /** Delivers the group's entries from `position` on again; with jobs of a version that is not done they run again. */
  replay(position: string): Promise<void> {
    return this.#group.rewind(position)
  }

  /** Counters since the start, and gauges; lag and pending as of the last look (every claimMs, or by `figures`). */
  metrics(): Metric[] {
    const { running, waiting, delayed } = this.#runner.counts
    this.#metrics.set('millrace_worker_running', running)
    this.#metrics.set('millrace_worker_waiting', waiting)
    this.#metrics.set('millrace_worker_delayed', delayed)
    return this.#metrics.snapshot()
  }

  /** The group as the server sees it now; undefined when it is lost. */
  async figures(): Promise<GroupFigures | undefined> {
    const { stream, group } = this.#settings
    const { groups } = await streamFigures(this.#group.redis, stream)
    const found = groups.find(({ name }) => name === group)
    this.#metrics.set('millrace_worker_lag', found?.lag ?? -1)
    this.#metrics.set('millrace_worker_pending', found?.pending ?? 0)
    this.#metrics.set('millrace_worker_oldest_pending_seconds', (found?.oldestPendingAgeMs ?? 0) / 1000)
    return found
  }

  async #begin(): Promise<void> {
    const { startAt, heartbeatMs, claimMs } = this.#settings
    if (await this.#group.create(startAt)) this.#groupCreated(startAt, false)
    const own = await this.#group.ownPending(OWN_PENDING_MAX)
    if (own.length > 0) await this.#runner.redeliver(own)
    this.#reading = this.#readLoop()
    this.#loops = Promise.all([
      this.#reading,
      this.#every(heartbeatMs, this.#closing.signal, () => this.#runner.heartbeat()),
      this.#every(claimMs, this.#stopping.signal, () => this.#upkeep()),
    ])
  }

  async #readLoop(): Promise<void> {
    const { signal } = this.#stopping
    const { blockMs, idleMs } = this.#settings
    let failures = 0
    while (!signal.aborted) {
      const { free } = this.#runner
      if (free <= 0) {
        await this.#room.wait(blockMs, signal)
        continue
      }
      try {
        const entries = await this.#group.read(free, blockMs, idleMs)
        this.#claimed(entries.filter(({ deliveries }) => deliveries > 1).map(({ id }) => id))
        failures = 0
        await this.#runner.accept(entries)
      } catch (error) {
        await this.#recover(error, ++failures)
      }
    }
  }

  /** After a failed request: makes a lost group again, or waits a little. */
  async #recover(error: unknown, failures: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    if (/^NOGROUP|^UNBLOCKED/.test(asError(error).message)) {
      try {
        const position = await this.#settings.recoverAt()
        if (await this.#group.create(position)) this.#groupCreated(position, true)
        return
      } catch (failed) {
        this.#failedRequest(failed)
      }
    } else this.#failedRequest(error)
    await pause(doubledMs(failures, FAILURE_FIRST_MS, FAILURE_MAX_MS), this.#stopping.signal)
  }

  async #upkeep(): Promise<void> {
    await this.#claimIdle()
    const { retireMs, idleMs } = this.#settings
    const { retired, handedBack } = await this.#group.retire(retireMs, idleMs, HAND_BACK_PER_PASS)
    if (retired.length > 0 || handedBack > 0) {
      this.#metrics.add('millrace_worker_retired_total', retired.length)
      this.#metrics.add('millrace_worker_handed_back_total', handedBack)
      this.emit('consumersRetired', { names: retired, handedBack })
    }
    await this.figures()
    if (this.#nowMs() >= this.#reconcileDueMs) await this.#reconcile()
  }

  async #claimIdle(): Promise<void> {
    const { idleMs } = this.#settings
    for (let cursor = '0-0'; !this.#stopping.signal.aborted;) {
      const { free } = this.#runner
      if (free <= 0) return
      const found = await this.#group.claim(idleMs, cursor, Math.min(free, CLAIM_COUNT_MAX))
      if (found.gone.length > 0) this.#payloadGone(found.gone)
      this.#claimed(found.entries.map(({ id }) => id))
      await this.#runner.accept(found.entries)
      if (found.cursor === '0-0') return
      cursor = found.cursor
    }
  }

  async #reconcile(): Promise<void> {
    const { authority, reconcileMs } = this.#settings
    // One of the group's workers at a time; relocate keeps two apart should the lock pass meanwhile.
    if (!(await this.#group.lock(RECONCILE_LOCK, RECONCILE_LOCK_MS))) return
    this.#reconcileDueMs = this.#nowMs() + reconcileMs
    try {
      await reconcile(
        authority,
        this.#group,
        jobId => this.#runner.holdsJob(jobId),
        {
          redispatched: (job, entryId) => {
            this.#metrics.add('millrace_worker_redispatched_total')
            this.emit('redispatched', { job, entryId })
          },
          unrecoverable: job => {
            this.#metrics.add('millrace_worker_unrecoverable_total')
            this.emit('unrecoverable', { job })
          },
        },
        this.#stopping.signal,
      )
    } finally {
      await this.#group.unlock(RECONCILE_LOCK)
    }
  }

  #payloadGone(entryIds: readonly string[]): void {
    this.#metrics.add('millrace_worker_payload_gone_total', entryIds.length)
    this.emit('payloadGone', { entryIds })
    this.#reconcileDueMs = -Infinity
  }

  #claimed(entryIds: readonly string[]): void {
    if (entryIds.length === 0) return
    this.#metrics.add('millrace_worker_claimed_total', entryIds.length)
    this.emit('claimed', { entryIds })
  }

  #groupCreated(position: string, recovered: boolean): void {
    this.#metrics.add('millrace_worker_groups_created_total')
    this.emit('groupCreated', { position, recovered })
  }

  #failedRequest(error: unknown): void {
    this.#metrics.add('millrace_worker_errors_total')
    this.emit('error', asError(error))
  }

  /** Runs `work` now and every `ms`, one at a time, until `signal`. */
  async #every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work()
      } catch (error) {
        // The reader makes a lost group again; whoever else meets it only has to wait for that.
        if (!asError(error).message.startsWith('NOGROUP')) this.#failedRequest(error)
      }
      await pause(ms, signal)
    }
  }

  async #stop(graceMs: number): Promise<void> {
    this.#stopping.abort()
    const reading = this.#unblock()
    await this.#handBack(this.#runner.stop())
    let left = await this.#runner.drained(graceMs)
    if (left.length > 0) {
      this.#runner.abortRunning()
      left = await this.#runner.drained(LAST_GRACE_MS)
    }
    await reading
    await this.#handBack([...this.#runner.stop(), ...left])
    await this.#runner.close(LAST_GRACE_MS)
    this.#closing.abort()
    await this.#loops
    try {
      await this.#group.leave()
    } catch (error) {
      // The group is gone or the server is: others retire this consumer.
      this.#failedRequest(error)
    }
    this.#group.close()
    this.emit('stopped', undefined)
    this.#resolveEnded()
  }

  async #handBack(jobs: readonly LeftJob[]): Promise<void> {
    try {
      for (const { job, trimmed } of jobs) if (trimmed) await this.#dispatchAnew(job)
      const pending = jobs.flatMap(({ job, begun, trimmed }) => (trimmed ? [] : [{ id: job.entryId, begun }]))
      const given = await this.#group.handBack(pending, this.#settings.idleMs)
      this.#metrics.add('millrace_worker_handed_back_total', given)
    } catch (error) {
      // They stay pending, and are claimed after their idle time.
      this.#failedRequest(error)
    }
  }

  /** Its payload is in our hands only. */
  async #dispatchAnew(job: Job): Promise<void> {
    const entryId = await this.#group.add(job.words)
    await this.#settings.authority.relocate?.(job.id, job.entryId, entryId)
    this.#metrics.add('millrace_worker_redispatched_total')
    this.emit('redispatched', { job: { jobId: job.id, entryId: job.entryId, fields: job.fields }, entryId })
  }

  /** Until the read loop has ended: its wait may begin just behind an unblock. */
  async #unblock(): Promise<void> {
    const ended = new AbortController()
    void this.#reading.then(() => ended.abort())
    while (!ended.signal.aborted) {
      await this.#group.wakeReader().catch(() => undefined)
      await pause(UNBLOCK_MS, ended.signal)
    }
  }

  #nowMs(): number {
    return this.#settings.clock.monotonicUs() / 1000
  }
}
