// The jobs a worker holds: being looked up at the authority, waiting for a handler, running, or waiting to be tried
// again. Used by: job-runner. Invariant: an entry is held once, in one state; what is held is kept alive by heartbeats.

import type { Job } from './job.js'

export interface HeldJob {
  readonly job: Job
  readonly abort: AbortController
  state: 'checking' | 'waiting' | 'running' | 'delayed'
  /** Another consumer has it now. */
  lost: boolean
  /** Its entry was trimmed: the server has forgotten it, and only this process still knows of it. */
  trimmed: boolean
  timer: NodeJS.Timeout | undefined
}

export class HeldJobs {
  readonly #byEntry = new Map<string, HeldJob>()
  readonly #waiting: HeldJob[] = []
  readonly #jobIds = new Map<string, number>()
  #running = 0
  #delayed = 0

  get waiting(): number {
    return this.#byEntry.size - this.#running - this.#delayed
  }

  get running(): number {
    return this.#running
  }

  get delayed(): number {
    return this.#delayed
  }

  has(entryId: string): boolean {
    return this.#byEntry.has(entryId)
  }

  hasJob(jobId: string): boolean {
    return this.#jobIds.has(jobId)
  }

  get(entryId: string): HeldJob | undefined {
    return this.#byEntry.get(entryId)
  }

  all(): HeldJob[] {
    return [...this.#byEntry.values()]
  }

  /** To be looked up first. */
  add(held: HeldJob): void {
    this.#byEntry.set(held.job.entryId, held)
    this.#jobIds.set(held.job.id, (this.#jobIds.get(held.job.id) ?? 0) + 1)
  }

  /** Behind those that wait already. */
  queue(held: HeldJob): void {
    held.state = 'waiting'
    this.#waiting.push(held)
  }

  /** The next one, now running. */
  begin(): HeldJob | undefined {
    const held = this.#waiting.shift()
    if (held === undefined) return undefined
    held.state = 'running'
    this.#running++
    return held
  }

  delay(held: HeldJob, ms: number, then: () => void): void {
    this.#leaveState(held)
    held.state = 'delayed'
    this.#delayed++
    held.timer = setTimeout(then, ms)
  }

  forget(held: HeldJob): void {
    if (this.#byEntry.get(held.job.entryId) !== held) return
    this.#byEntry.delete(held.job.entryId)
    const left = this.#jobIds.get(held.job.id)! - 1
    if (left === 0) this.#jobIds.delete(held.job.id)
    else this.#jobIds.set(held.job.id, left)
    this.#leaveState(held)
  }

  #leaveState(held: HeldJob): void {
    clearTimeout(held.timer)
    if (held.state === 'running') this.#running--
    if (held.state === 'delayed') this.#delayed--
    const at = held.state === 'waiting' ? this.#waiting.indexOf(held) : -1
    if (at >= 0) this.#waiting.splice(at, 1)
  }
}
