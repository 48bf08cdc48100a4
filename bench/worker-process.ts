// The client process of bench/worker.ts: node --import tsx bench/worker-process.ts PORT WORKERS JOBS RATE. First JOBS
// entries that are there already are worked off by WORKERS workers, then as many come at RATE per second. Answers both.

import { Redis } from 'ioredis'
import { RedisAuthority, Worker } from '../src/worker/index.js'

export interface WorkerSample {
  readonly perS: number
  /** From the time in the entry's ID to its acknowledgement, at the given rate; milliseconds. */
  readonly latenciesMs: number[]
}

const [port, count, jobs, rate] = process.argv.slice(2).map(Number)
const STREAM = '{bench}:stream'
const BATCH = 500
const TICK_MS = 10

const redis = new Redis(port, '127.0.0.1')
const authority = new RedisAuthority(redis, 'bench')

async function add(from: number, to: number): Promise<void> {
  const pipeline = redis.pipeline()
  for (let i = from; i < to; i++) pipeline.xadd(STREAM, '*', 'job', i, 'payload', 'x'.repeat(100))
  await pipeline.exec()
}

// What an earlier run left; its jobs are done for the authority, and of no interest here.
await redis.del(STREAM, '{bench}:done', '{bench}:jobs')

let done = 0
let latenciesMs: number[] = []
let reached: () => void = () => undefined
let goal = Infinity
const until = (total: number): Promise<void> => {
  goal = total
  return done >= total ? Promise.resolve() : new Promise(resolve => (reached = resolve))
}

async function start(): Promise<Worker> {
  const where = { port, host: '127.0.0.1' }
  const options = { redis: where, stream: STREAM, group: 'workers', authority, concurrency: 16, prefetch: 100 }
  return Worker.start({ ...options, handler: async () => undefined }, worker => {
    worker.on('processed', ({ job }) => {
      done++
      latenciesMs.push(performance.timeOrigin + performance.now() - Number(job.entryId.split('-')[0]))
      if (done >= goal) reached()
    })
  })
}

for (let from = 0; from < jobs; from += BATCH) await add(from, Math.min(from + BATCH, jobs))
const began = performance.now()
const workers = await Promise.all(Array.from({ length: count }, start))
await until(jobs)
const perS = jobs / ((performance.now() - began) / 1000)

latenciesMs = []
const finished = until(2 * jobs)
const pacedFrom = performance.now()
for (let added = 0; added < jobs;) {
  const due = Math.min(Math.ceil(((performance.now() - pacedFrom) / 1000) * rate), jobs)
  if (due > added) await add(jobs + added, jobs + due)
  added = due
  await new Promise(resolve => setTimeout(resolve, TICK_MS))
}
await finished
const sample: WorkerSample = { perS, latenciesMs }
// Waited for: some hundred kilobytes take several turns, and those that are left at a disconnect are lost.
await new Promise(sent => process.send!(sample, sent))
await Promise.all(workers.map(worker => worker.stop()))
process.disconnect()
redis.disconnect()
