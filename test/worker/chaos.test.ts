// Ten worker processes and a server, killed at random: no job is lost, no effect happens twice, and the dead letters
// are exactly those that must be. CHAOS_JOBS jobs (600).

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import t from 'tap'
import { listDeadLetters, RedisAuthority } from '../../src/worker/index.js'
import { havoc, MortalProcesses, MortalServer } from '../support/chaos.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'

const JOBS = Number(process.env.CHAOS_JOBS ?? 600)
const WORKERS = 10
/** One job in so many fails for good. */
const POISON_EVERY = 50
const KILLS = Math.max(15, Math.floor(JOBS / 500))
const BATCH = 100
const STREAM = '{chaos}:stream'
const PROGRAM = fileURLToPath(new URL('chaos-worker.mjs', import.meta.url))

const jobName = (i: number): string =>
  i % POISON_EVERY !== 0 ? `job-${i}` : i % (2 * POISON_EVERY) === 0 ? `poison-now-${i}` : `poison-${i}`

t.test('workers and server are killed at random, and every job is done once', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const server = await MortalServer.start(tempDir(t))
  t.teardown(() => server.stop())
  const workers = new MortalProcesses(WORKERS, () => [PROGRAM, String(server.port), STREAM])
  t.teardown(() => workers.stop('SIGKILL'))
  const redis = new Redis({ port: server.port, host: '127.0.0.1', maxRetriesPerRequest: null })
  redis.on('error', () => undefined)
  t.teardown(() => redis.disconnect())
  const authority = new RedisAuthority(redis, 'chaos')

  const names = Array.from({ length: JOBS }, (_, i) => jobName(i))
  const good = names.filter(name => name.startsWith('job'))
  const finished = () => redis.hlen('{chaos}:done')
  const killing = havoc(rng, server, workers, good.length, KILLS, finished)
  for (let from = 0; from < JOBS;) {
    // Dispatching is repeated when its answer was lost: a job is registered once.
    const some = names.slice(from, from + BATCH)
    try {
      await Promise.all(some.map(jobId => authority.dispatch({ stream: STREAM, jobId, fields: { payload: jobId } })))
      from += BATCH
    } catch {
      await sleep(50)
    }
  }
  await killing
  const left = async (): Promise<number> => (await redis.hlen('{chaos}:jobs')) + Number((await pending()) ?? 1)
  const pending = async (): Promise<unknown> => (await redis.xpending(STREAM, 'workers'))[0]
  while ((await left().catch(() => 1)) > 0) await sleep(50)
  const stopped = workers.pids
  await workers.stop()
  t.comment(`${workers.kills} workers and ${server.kills} servers were killed`)

  const effects = await redis.hgetall('{chaos}:effects')
  t.equal(Object.keys(effects).length, good.length, 'no job is lost')
  t.same(
    Object.entries(effects).filter(([, times]) => times !== '1'),
    [],
    'no effect happened twice',
  )
  const letters: string[] = []
  for await (const { jobId, fields } of listDeadLetters(redis, `${STREAM}:dead`)) {
    letters.push(jobId)
    if (fields.payload !== jobId) t.fail(`the letter of ${jobId} has another payload`)
  }
  t.same(letters.sort(), names.filter(name => name.startsWith('poison')).sort(), 'dead are exactly those that must be')
  t.equal(Number((await redis.xpending(STREAM, 'workers'))[0]), 0, 'nothing is pending')
  // Those that were killed are retired by the others, or will be.
  const consumers = (await redis.xinfo('CONSUMERS', STREAM, 'workers')) as unknown[][]
  const pids = consumers.map(pairs => Number(/-(\d+)-[0-9a-f]{8}$/.exec(String(pairs[1]))?.[1]))
  t.same(
    pids.filter(pid => stopped.includes(pid)),
    [],
    'the stopped workers left the group',
  )
})
