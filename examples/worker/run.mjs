// The whole story: node examples/worker/run.mjs PORT [JOBS]
// Four workers, JOBS jobs (100,000), one worker killed in the middle. Ends with a count of what was done, and exit
// status 0 only when every job was done exactly once and nothing is pending.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'

const port = Number(process.argv[2])
const jobs = Number(process.argv[3] ?? 100_000)
const WORKERS = ['ann', 'bob', 'cat', 'dan']
const BATCH = 1_000
const redis = new Redis(port, '127.0.0.1')

await redis.del('jobs')
await redis.xgroup('CREATE', 'jobs', 'workers', '0', 'MKSTREAM')
const script = fileURLToPath(new URL('worker.mjs', import.meta.url))
const workers = WORKERS.map(name => spawn(process.execPath, [script, port, name], { stdio: 'inherit' }))

for (let first = 0; first < jobs; first += BATCH) {
  const pipeline = redis.pipeline()
  for (let job = first; job < Math.min(jobs, first + BATCH); job++) pipeline.xadd('jobs', '*', 'job', job)
  await pipeline.exec()
  if (first < jobs / 2 && first + BATCH >= jobs / 2) {
    while (!(await pendingOf('ann'))) await sleep(1)
    workers[0].kill('SIGKILL')
    await new Promise(resolve => workers[0].once('exit', resolve))
    console.log(
      `killed ann with ${first + BATCH} of ${jobs} jobs added; it leaves ${await pendingOf('ann')} unacknowledged`,
    )
  }
}

for (;;) {
  const [group] = (await redis.xinfo('GROUPS', 'jobs')).map(fieldsOf)
  if (group.pending === 0 && group.lag === 0) break
  await sleep(100)
}

const doneBy = new Map()
for (let first = 0; first < jobs; first += BATCH) {
  const keys = Array.from({ length: Math.min(BATCH, jobs - first) }, (_, i) => `done:${first + i}`)
  for (const name of await redis.mget(keys)) doneBy.set(name, (doneBy.get(name) ?? 0) + 1)
}
for (const worker of workers) worker.kill('SIGTERM')
const missing = doneBy.get(null) ?? 0
for (const name of WORKERS) console.log(`${name}: ${doneBy.get(name) ?? 0} jobs`)
console.log(`${jobs - missing} of ${jobs} jobs done, each once; ${missing} missing`)
await redis.quit()
process.exitCode = missing === 0 ? 0 : 1

async function pendingOf(name) {
  const consumers = (await redis.xinfo('CONSUMERS', 'jobs', 'workers')).map(fieldsOf)
  return consumers.find(consumer => consumer.name === name)?.pending ?? 0
}

function fieldsOf(reply) {
  if (!Array.isArray(reply)) return reply
  return Object.fromEntries(Array.from({ length: reply.length / 2 }, (_, i) => [reply[2 * i], reply[2 * i + 1]]))
}
