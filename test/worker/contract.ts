// The contract of the worker: the three stories and each feature, on redis-server and on Millrace, with the completion
// record in memory and in a Redis hash. A case gets a stream of its own.

import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { MemoryAuthority, RedisAuthority, Worker } from '../../src/worker/index.js'
import type { CompletionAuthority, WorkerEvents, WorkerOptions } from '../../src/worker/index.js'
import { eventually } from '../queue/contract.js'
import { careCases } from './contract-care.js'
import { failureCases } from './contract-failures.js'
import { storyCases } from './contract-stories.js'

export interface Case {
  readonly port: number
  /** For looking at the server. */
  readonly redis: Redis
  readonly stream: string
  readonly authority: CompletionAuthority & { resultOf(jobId: string): Promise<unknown> }
  /** A worker with quick times, stopped with the test; `heard` collects what it tells. */
  start(options: Partial<WorkerOptions>): Promise<Started>
  /** Adds entries with the field `job`. @returns their ids */
  add(...jobs: string[]): Promise<string[]>
  pending(): Promise<number>
}

export interface Started {
  readonly worker: Worker
  readonly heard: { [Name in keyof WorkerEvents]: WorkerEvents[Name][] }
  counter(name: string): number
}

export type Cases = Record<string, (t: Test, at: Case) => Promise<void>>

/** Times that make a test quick; those that matter to a case it sets itself. */
export const QUICK = { idleMs: 300, heartbeatMs: 50, claimMs: 40, blockMs: 100, backoffMs: () => 10 }
export const GROUP = 'workers'

const EVENTS: readonly (keyof WorkerEvents)[] = [
  'processed',
  'failed',
  'skipped',
  'claimed',
  'deadLettered',
  'payloadGone',
  'redispatched',
  'unrecoverable',
  'lost',
  'groupCreated',
  'consumersRetired',
  'error',
  'stopped',
]

class RecordedMemory extends MemoryAuthority {
  async resultOf(jobId: string): Promise<unknown> {
    return this.results.get(jobId)
  }
}

export async function workerContract(t: Test, port: number, record: 'memory' | 'redis'): Promise<void> {
  const redis = new Redis(port, '127.0.0.1')
  t.teardown(() => redis.disconnect())
  let number = 0
  for (const [title, run] of Object.entries({ ...storyCases, ...failureCases, ...careCases })) {
    const stream = `stream-${++number}`
    await t.test(title, async t => {
      await redis.flushall()
      const authority = record === 'memory' ? new RecordedMemory() : new RedisAuthority(redis, 'record')
      const start = async (options: Partial<WorkerOptions>): Promise<Started> => {
        const heard = Object.fromEntries(EVENTS.map(name => [name, []])) as unknown as Started['heard']
        const worker = await Worker.start(
          {
            redis: { port, host: '127.0.0.1' },
            stream,
            group: GROUP,
            authority,
            handler: async job => job.id,
            ...QUICK,
            ...options,
          },
          worker => {
            for (const name of EVENTS) worker.on(name, event => (heard[name] as unknown[]).push(event))
          },
        )
        t.teardown(() => worker.stop({ graceMs: 0 }))
        const counter = (name: string): number =>
          worker
            .metrics()
            .find(metric => metric.name === `millrace_worker_${name}`)!
            .samples.reduce((sum, { value }) => sum + value, 0)
        return { worker, heard, counter }
      }
      const add = async (...jobs: string[]): Promise<string[]> => {
        const ids: string[] = []
        for (const job of jobs) ids.push((await redis.xadd(stream, '*', 'job', job))!)
        return ids
      }
      const pending = async (): Promise<number> => Number((await redis.xpending(stream, GROUP))[0])
      await run(t, { port, redis, stream, authority, start, add, pending })
    })
  }
}

/** An entry delivered to a consumer that died: read with plain commands, and never acknowledged. */
export async function dieHolding({ redis, stream }: Case, consumer: string, count: number): Promise<string[]> {
  await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch(() => undefined)
  const reply = (await redis.xreadgroup('GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', stream, '>')) as unknown
  const flat = (reply as unknown[]).flat(1) as [string, [string, string[]][]]
  return flat[1].map(([id]) => id)
}

export { eventually }
