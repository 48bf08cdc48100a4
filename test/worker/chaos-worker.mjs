// One worker process of the chaos test: node chaos-worker.mjs PORT STREAM. Killed without warning, so it
// keeps nothing to itself. It runs the built package: many of them start in a short time. A job's effect and its
// completion are one step; jobs named 'poison…' fail.

import { Redis } from 'ioredis'
import { PermanentFailure, RedisAuthority, Worker } from '../../dist/worker/index.js'

const [port, stream] = [Number(process.argv[2]), process.argv[3]]
const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null })
redis.on('error', () => undefined)
const authority = new RedisAuthority(redis, 'chaos')
const EFFECTS = '{chaos}:effects'

const worker = await startWhenServed()
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => void worker.stop({ graceMs: 5000 }).then(() => process.exit(0)))

/** The server may be away just now. */
async function startWhenServed() {
  for (;;) {
    try {
      return await Worker.start({
        redis: { port, host: '127.0.0.1' },
        stream,
        group: 'workers',
        authority,
        concurrency: 8,
        prefetch: 16,
        idleMs: 1000,
        heartbeatMs: 200,
        claimMs: 300,
        blockMs: 200,
        retireMs: 3000,
        reconcileMs: 2000,
        deliveriesMax: 25,
        backoffMs: () => 5,
        handler,
      })
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

async function handler(job) {
  if (job.id.startsWith('poison-now')) throw new PermanentFailure('never')
  if (job.id.startsWith('poison')) throw new Error('again and again')
  const done = await authority.effect(job.id, process.pid, [EFFECTS], [['HINCRBY', EFFECTS, job.id, 1]])
  return { done }
}
