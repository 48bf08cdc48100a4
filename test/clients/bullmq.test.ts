// BullMQ on Millrace: its scripts use keys they do not declare, cmsgpack, cjson, and every family of types.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { FlowProducer, Queue, QueueEvents, Worker } from 'bullmq'
import type { ConnectionOptions, Job, WorkerOptions } from 'bullmq'
import t from 'tap'
import type { Test } from 'tap'
import { startServer } from '../support/start-server.js'

// What a job waits for is up to BullMQ's own timers.
t.setTimeout(120_000)

const server = await startServer()
const connection: ConnectionOptions = { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null }
t.teardown(() => server.stop())

function queueOf(t: Test, name: string): Queue {
  const queue = new Queue(name, { connection })
  t.teardown(() => queue.close())
  return queue
}

/** A worker that is closed with the test; resolves `done` when it has completed `count` jobs. */
function work(
  t: Test,
  name: string,
  count: number,
  process: (job: Job) => Promise<unknown>,
  options: Partial<WorkerOptions> = {},
): { readonly done: Promise<void>; readonly completed: Job[]; readonly failed: (Job | undefined)[] } {
  const completed: Job[] = []
  const failed: (Job | undefined)[] = []
  const worker = new Worker(name, process, { connection, ...options })
  t.teardown(() => worker.close())
  const done = new Promise<void>(resolve => {
    worker.on('completed', job => {
      completed.push(job)
      if (completed.length === count) resolve()
    })
  })
  worker.on('failed', job => failed.push(job))
  return { done, completed, failed }
}

t.test('jobs are done once each, by priority, with their results and events', async t => {
  const queue = queueOf(t, 'plain')
  const events = new QueueEvents('plain', { connection })
  t.teardown(() => events.close())
  await events.waitUntilReady()
  await queue.addBulk(Array.from({ length: 50 }, (_, i) => ({ name: 'job', data: { i } })))
  const urgent = await queue.add('urgent', { i: 50 }, { priority: 1 })
  t.same(await queue.getJobCounts('waiting', 'prioritized'), { waiting: 50, prioritized: 1 })
  const { done, completed } = work(t, 'plain', 51, async job => (job.data as { i: number }).i * 2 + 1, {
    concurrency: 4,
  })
  t.equal(await urgent.waitUntilFinished(events), 101)
  await done
  t.same(
    completed.map(job => job.returnvalue as number).sort((a, b) => a - b),
    Array.from({ length: 51 }, (_, i) => i * 2 + 1),
  )
  t.same(await queue.getJobCounts('waiting', 'active', 'completed', 'failed'), {
    waiting: 0,
    active: 0,
    completed: 51,
    failed: 0,
  })
})

t.test('delayed, repeated and rate-limited jobs', async t => {
  const delayed = queueOf(t, 'delayed')
  await delayed.add('later', 1, { delay: 100 })
  t.equal(await delayed.getDelayedCount(), 1)
  await work(t, 'delayed', 1, async () => 'done').done

  const repeated = queueOf(t, 'repeated')
  await repeated.upsertJobScheduler('tick', { every: 50 }, { name: 'tick' })
  const ticks = work(t, 'repeated', 3, async () => undefined)
  await ticks.done
  t.ok(new Set(ticks.completed.map(job => job.id)).size >= 3)
  t.equal(await repeated.removeJobScheduler('tick'), true)

  const limited = queueOf(t, 'limited')
  await limited.addBulk(Array.from({ length: 5 }, (_, i) => ({ name: 'job', data: i })))
  await work(t, 'limited', 5, async () => undefined, { limiter: { max: 1, duration: 20 } }).done
  t.equal(await limited.getCompletedCount(), 5)
})

t.test('a job that fails is tried again, then kept as failed', async t => {
  const queue = queueOf(t, 'failing')
  await queue.add('twice', 1, { attempts: 2, backoff: { type: 'fixed', delay: 20 } })
  await queue.add('never', 2, { attempts: 2, backoff: { type: 'fixed', delay: 20 } })
  const { done, failed } = work(t, 'failing', 1, async job => {
    if (job.name === 'never' || job.attemptsMade === 0) throw new Error('not this time')
  })
  await done
  while ((await queue.getFailedCount()) === 0) continue
  t.equal(failed.length, 3)
  const [kept] = await queue.getFailed()
  t.equal(kept.name, 'never')
  t.equal(kept.failedReason, 'not this time')
})

t.test('a flow: the parent runs when its children are done, and sees what they gave', async t => {
  const flows = new FlowProducer({ connection })
  t.teardown(() => flows.close())
  queueOf(t, 'parents')
  work(t, 'children', 3, async job => job.data as number)
  const parents = work(t, 'parents', 1, async job =>
    Object.values(await job.getChildrenValues<number>()).reduce((sum, value) => sum + value, 0),
  )
  await flows.add({
    name: 'sum',
    queueName: 'parents',
    children: [1, 2, 3].map(data => ({ name: 'part', queueName: 'children', data })),
  })
  await parents.done
  t.equal(parents.completed[0].returnvalue, 6)
})

t.test('a job whose worker was killed is taken over', async t => {
  const queue = queueOf(t, 'stalled')
  await queue.add('job', 1)
  const program = `
    const { Worker } = require('bullmq')
    const connection = { host: '127.0.0.1', port: ${server.port}, maxRetriesPerRequest: null }
    const options = { connection, lockDuration: 300, stalledInterval: 100 }
    new Worker('stalled', () => { console.log('taken'); return new Promise(() => undefined) }, options)`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.equal(await queue.getActiveCount(), 1)
  const { done, completed } = work(t, 'stalled', 1, async () => 'by another', { stalledInterval: 100 })
  await done
  t.equal(completed[0].returnvalue, 'by another')
})
