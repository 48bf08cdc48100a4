// A queue worker: node examples/worker/worker.mjs PORT NAME
// Reads jobs of the consumer group `workers` from the stream `jobs`, does each one exactly once by its completion
// record, and takes over what a dead colleague left behind.

import { Redis } from 'ioredis'

const [port, name] = [Number(process.argv[2]), process.argv[3]]
const IDLE_MS = 1_000 // a colleague that has not acknowledged for so long is taken for dead
const redis = new Redis(port, '127.0.0.1')

let stopping = false
process.on('SIGTERM', () => (stopping = true))

/** The job itself. Its effect and its completion record are one command, so a crash cannot come between them. */
async function work(entries) {
  if (entries.length === 0) return
  const pipeline = redis.pipeline()
  for (const [, fields] of entries) pipeline.set(`done:${fields[1]}`, name, 'NX')
  for (const [error] of await pipeline.exec()) if (error) throw error
  await redis.xack('jobs', 'workers', ...entries.map(([id]) => id))
}

/** Entries whose owner has died: claimed, and done unless their completion record says that they were. */
async function takeOver() {
  let cursor = '0-0'
  do {
    const [next, entries] = await redis.xautoclaim('jobs', 'workers', name, IDLE_MS, cursor, 'COUNT', 100)
    await work(entries)
    cursor = next
  } while (cursor !== '0-0' && !stopping)
}

let lookedMs = Date.now()
while (!stopping) {
  const reply = await redis.xreadgroup('GROUP', 'workers', name, 'COUNT', 100, 'BLOCK', 200, 'STREAMS', 'jobs', '>')
  if (reply) await work(entriesOf(reply))
  if (Date.now() - lookedMs >= IDLE_MS) {
    await takeOver()
    lookedMs = Date.now()
  }
}
await redis.quit()

/** RESP3 answers a map, RESP2 pairs; ioredis hands out either. */
function entriesOf(reply) {
  return Array.isArray(reply) ? reply[0][1] : Object.values(reply)[0]
}
