// BullMQ's own scripts, driven by BullMQ: adding jobs, and moving them from wait to active to done. What a job costs
// the server is its scripts; the client is slower than either server, so that only the CPU says something.

import { Queue, Worker } from 'bullmq'
import type { ConnectionOptions } from 'bullmq'
import type { Latency, Row } from './load.js'
import { target } from './wire-client.js'

const JOBS_PER_CALL = 500
const CONCURRENCY = 50
const WARM_UP_JOBS = 10_000
/** A client of many parts: there is no one round trip to time. */
const UNTIMED: Latency = { p50: 0, p95: 0, p99: 0, max: 0 }

const at = (port: number): ConnectionOptions => ({ host: target.host, port, maxRetriesPerRequest: null })

async function add(port: number, jobs: number, name: string): Promise<void> {
  const queue = new Queue(name, { connection: at(port) })
  for (let from = 0; from < jobs; from += JOBS_PER_CALL) {
    const count = Math.min(JOBS_PER_CALL, jobs - from)
    await queue.addBulk(Array.from({ length: count }, (_, i) => ({ name: 'job', data: { number: from + i } })))
  }
  await queue.close()
}

async function work(port: number, jobs: number, name: string): Promise<void> {
  const worker = new Worker(name, async () => undefined, { connection: at(port), concurrency: CONCURRENCY })
  let done = 0
  await new Promise<void>(resolve => worker.on('completed', () => void (++done === jobs && resolve())))
  await worker.close()
}

async function timedJobs(jobs: number, run: () => Promise<void>) {
  const began = performance.now()
  await run()
  return { operations: jobs, seconds: (performance.now() - began) / 1000, latency: UNTIMED }
}

export const bullmqRows: readonly Row[] = [
  {
    name: 'bullmq-add',
    what: `BullMQ adds jobs, ${JOBS_PER_CALL} in one pipeline, everysec`,
    unit: 'job',
    fsync: 'everysec',
    operations: 100_000,
    warmUp: port => add(port, WARM_UP_JOBS, 'warm'),
    measure: (port, n) => timedJobs(n, () => add(port, n, 'jobs')),
  },
  {
    name: 'bullmq-move',
    what: `BullMQ takes jobs and completes them, ${CONCURRENCY} at once in one worker, everysec`,
    unit: 'job',
    fsync: 'everysec',
    operations: 50_000,
    prepare: (port, n) => add(port, n, 'jobs'),
    async warmUp(port) {
      await add(port, WARM_UP_JOBS, 'warm')
      await work(port, WARM_UP_JOBS, 'warm')
    },
    measure: (port, n) => timedJobs(n, () => work(port, n, 'jobs')),
  },
]
