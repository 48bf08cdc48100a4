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
const BATCH = Math.min(1_000, Math.ceil(jobs / 20))
const redis = new Redis(port, '127.0.0.1')

await redis.del('jobs')
await redis.xgroup('CREATE', 'jobs', 'workers', '0', 'MKSTREAM')
const script = fileURLToPath(new URL('worker.mjs', import.meta.url))
const workers = WORKERS.map(name => spawn(process.execPath, [script, port, name], { stdio: 'inherit' }))
process.on('exit', () => workers.forEach(worker => worker.kill('SIGKILL'))) // should anything fail

while ((await pendingOf('ann')) === undefined) await sleep(10) // until it reads
let annLives = true
for (let first = 0; first < jobs; first += BATCH) {
  const added = Math.min(jobs, first + BATCH)
  const pipeline = redis.pipeline()
  for (let job = first; job < added; job++) pipeline.xadd('jobs', '*', 'job', job)
  // Stopped first: what ann holds while jobs are added, or is given now, stays unacknowledged.
  const inTheMiddle = annLives && added >= jobs / 2
  if (inTheMiddle) workers[0].kill('SIGSTOP')
  await pipeline.exec()
  if (inTheMiddle) annLives = !(await killIfItHolds(added))
}
if (annLives) throw new Error('ann held no job whenever it was looked at: nothing to recover')

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

/** Kills ann, who is stopped, when there are jobs to be recovered then. Otherwise ann goes on. */
async function killIfItHolds(added) {
  const pending = await pendingOf('ann')
  workers[0].kill(pending > 0 ? 'SIGKILL' : 'SIGCONT')
  if (pending === 0) return false
  await new Promise(resolve => workers[0].once('exit', resolve))
  console.log(`killed ann with ${added} of ${jobs} jobs added; it leaves ${pending} unacknowledged`)
  return true
}

async function pendingOf(name) {
  const consumers = (await redis.xinfo('CONSUMERS', 'jobs', 'workers')).map(fieldsOf)
  return consumers.find(consumer => consumer.name === name)?.pending
}

function fieldsOf(reply) {
  if (!Array.isArray(reply)) return reply
  return Object.fromEntries(Array.from({ length: reply.length / 2 }, (_, i) => [reply[2 * i], reply[2 * i + 1]]))
}
