// A completion record in hashes of a server that speaks Redis' protocol. Used by: whoever starts a worker.
//
//   {<name>}:jobs  hash  job id -> `<entry id> <description as JSON>` of unfinished jobs
//   {<name>}:done  hash  job id -> {"atMs", "result"} as JSON                {<name>}:dead  hash  job id -> reason
//
// Completions that come together share a round trip. In a cluster `dispatch` wants the stream in the same slot, and
// `effect` the keys it touches.

import type { Redis } from 'ioredis'
import type { Clock } from '../base/clock.js'
import { systemClock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import { GroupCommit } from '../client/group-commit.js'
import type { CompletionAuthority, JobFields, UnfinishedJob } from './authority.js'
import { versionedJobId } from './authority.js'
import { WORKER_SCRIPTS } from './worker-scripts.js'

const BATCH_MAX = 500
const SCAN_COUNT = 200

/** Names of the fields by which a worker knows job and version of an entry. */
export const JOB_FIELD = 'job'
export const VERSION_FIELD = 'version'

export interface DispatchOptions {
  readonly stream: string
  readonly jobId: string
  /** A new one means to do the job again. */
  readonly version?: string
  readonly fields: JobFields
}

export type EffectCommand = readonly [command: string, ...words: (string | number)[]]

export class RedisAuthority implements CompletionAuthority {
  readonly #jobs: string
  readonly #done: string
  readonly #dead: string
  readonly #completions: GroupCommit<readonly [string, string], unknown>

  /** @param redis a client of the caller's, which stays open */
  constructor(
    private readonly redis: Redis,
    name: string,
    private readonly clock: Clock = systemClock,
  ) {
    if (name === '' || /[{}]/.test(name)) throw new UsageError(`an authority is named without braces, not '${name}'`)
    this.#jobs = `{${name}}:jobs`
    this.#done = `{${name}}:done`
    this.#dead = `{${name}}:dead`
    this.#completions = new GroupCommit(records => this.#markDone(records), { itemsMax: BATCH_MAX })
  }

  /**
   * Registers the job and adds its entry, in one step: no crash leaves one without the other.
   * @returns the entry's id; undefined when the job is done or dead. A job registered before answers the entry it has.
   */
  async dispatch({ stream, jobId, version, fields }: DispatchOptions): Promise<string | undefined> {
    const all: JobFields = {
      ...fields,
      [JOB_FIELD]: jobId,
      ...(version === undefined ? {} : { [VERSION_FIELD]: version }),
    }
    const args = [versionedJobId(jobId, version), JSON.stringify(all), ...Object.entries(all).flat()]
    const keys = [this.#jobs, this.#done, this.#dead, stream]
    const [, id] = (await WORKER_SCRIPTS.run(this.redis, 'authority-dispatch', keys, args)) as [number, Buffer]
    return id.length === 0 ? undefined : id.toString()
  }

  async isDone(jobId: string): Promise<boolean> {
    return (await this.redis.hexists(this.#done, jobId)) === 1
  }

  async areDone(jobIds: readonly string[]): Promise<boolean[]> {
    if (jobIds.length === 0) return []
    return (await this.redis.hmget(this.#done, ...jobIds)).map(record => record !== null)
  }

  async markDone(jobId: string, result: unknown): Promise<void> {
    await this.#completions.add([jobId, this.#record(result)])
  }

  async markDead(jobId: string, reason: string): Promise<void> {
    await WORKER_SCRIPTS.run(this.redis, 'authority-dead', [this.#jobs, this.#done, this.#dead], [jobId, reason])
  }

  /**
   * Runs commands and records the job as done in one step, unless it is done already: an effect on this server that no
   * crash repeats or loses. @param keys those the commands touch. @returns whether it was done now
   */
  async effect(jobId: string, result: unknown, keys: readonly string[], commands: readonly EffectCommand[]) {
    const words = commands.flatMap(command => [command.length, ...command])
    const args = [jobId, this.#record(result), ...words]
    return (await WORKER_SCRIPTS.run(this.redis, 'authority-effect', [this.#jobs, this.#done, ...keys], args)) === 1
  }

  /** What markDone was given; undefined when the job is not done. */
  async resultOf(jobId: string): Promise<unknown> {
    const record = await this.redis.hget(this.#done, jobId)
    return record === null ? undefined : (JSON.parse(record) as { result: unknown }).result
  }

  async *listUnfinished(): AsyncGenerator<UnfinishedJob> {
    for (let cursor = '0'; ;) {
      const [next, pairs] = await this.redis.hscan(this.#jobs, cursor, 'COUNT', SCAN_COUNT)
      for (let i = 0; i < pairs.length; i += 2) {
        const space = pairs[i + 1].indexOf(' ')
        const fields = JSON.parse(pairs[i + 1].slice(space + 1)) as JobFields
        yield { jobId: pairs[i], entryId: pairs[i + 1].slice(0, space), fields }
      }
      if (next === '0') return
      cursor = next
    }
  }

  async relocate(jobId: string, from: string | undefined, to: string): Promise<boolean> {
    return (await WORKER_SCRIPTS.run(this.redis, 'authority-relocate', [this.#jobs], [jobId, from ?? '', to])) === 1
  }

  /** Forgets completions older than `ageMs`, in slices: then their jobs would run again. @returns how many */
  async prune(ageMs: number, signal?: AbortSignal): Promise<number> {
    const beforeMs = this.clock.nowMs() - ageMs
    let pruned = 0
    for (let cursor = '0'; !signal?.aborted;) {
      const [next, pairs] = await this.redis.hscan(this.#done, cursor, 'COUNT', SCAN_COUNT)
      const old = pairs.filter((_, i) => i % 2 === 0 && (JSON.parse(pairs[i + 1]) as { atMs: number }).atMs < beforeMs)
      if (old.length > 0) pruned += await this.redis.hdel(this.#done, ...old)
      if (next === '0') break
      cursor = next
    }
    return pruned
  }

  #record(result: unknown): string {
    return JSON.stringify({ atMs: this.clock.nowMs(), result: result ?? null })
  }

  async #markDone(records: readonly (readonly [string, string])[]): Promise<unknown[]> {
    return (await WORKER_SCRIPTS.run(
      this.redis,
      'authority-done',
      [this.#jobs, this.#done],
      records.flat(),
    )) as unknown[]
  }
}
