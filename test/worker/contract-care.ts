// Cases of the worker contract: concurrency, heartbeats, stopping, lost groups, dead consumers, figures.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Case, Cases } from './contract.js'
import { dieHolding, eventually, GROUP, QUICK } from './contract.js'

async function consumers({ redis, stream }: Case): Promise<string[]> {
  const rows = (await redis.xinfo('CONSUMERS', stream, GROUP)) as string[][]
  return rows.map(row => row[1]).sort()
}

/** A handler that stays until it is let go, or told to end. */
function gate() {
  const begun: string[] = []
  let open: () => void = () => undefined
  const opened = new Promise<void>(resolve => (open = resolve))
  const handler = async (job: { id: string; signal: AbortSignal }): Promise<void> => {
    begun.push(job.id)
    await Promise.race([
      opened,
      new Promise((_resolve, reject) => job.signal.addEventListener('abort', () => reject(new Error('told to end')))),
    ])
  }
  return { begun, open, handler }
}

export const careCases: Cases = {
  'no more handlers than asked for run at a time, and no more is fetched ahead': async (t, at) => {
    const { begun, open, handler } = gate()
    const { heard } = await at.start({ handler, concurrency: 3, prefetch: 2, idleMs: 60_000, heartbeatMs: 1000 })
    await at.add(...Array.from({ length: 20 }, (_, i) => `job-${i}`))
    await eventually('three run', async () => begun.length === 3)
    await eventually('two wait', async () => (await at.pending()) === 5)
    await sleep(30)
    t.equal(begun.length, 3)
    t.equal(await at.pending(), 5)
    open()
    await eventually('all are done', async () => heard.processed.length === 20)
  },
  'workers share a stream, each entry to one of them': async (t, at) => {
    const ran: string[] = []
    const handler = async (job: { id: string }): Promise<void> => void ran.push(job.id)
    await Promise.all([1, 2, 3].map(() => at.start({ handler, concurrency: 4, idleMs: 60_000, heartbeatMs: 1000 })))
    const jobs = Array.from({ length: 300 }, (_, i) => `job-${i}`)
    await at.add(...jobs)
    await eventually('all are done', async () => ran.length >= 300 && (await at.pending()) === 0)
    t.same([...ran].sort(), [...jobs].sort())
  },
  'a long job is kept by its heartbeats, and is not taken for dead': async (t, at) => {
    const { begun, open, handler } = gate()
    const first = await at.start({ handler })
    await at.add('long')
    await eventually('it runs', async () => begun.length === 1)
    const second = await at.start({ handler })
    await sleep(QUICK.idleMs * 3)
    t.same(begun, ['long'], 'the other one did not claim it')
    t.equal(second.heard.claimed.length, 0)
    const [row] = (await at.redis.xpending(at.stream, GROUP, '-', '+', 1)) as [string, string, number, number][]
    t.same([row[1], row[3]], [first.worker.consumer, 1], 'the count has not risen')
    open()
    await eventually('it is done', async () => first.heard.processed.length === 1)
  },
  'a job that another consumer took over is told to end, and not taken back': async (t, at) => {
    const { begun, handler } = gate()
    const { heard } = await at.start({ handler })
    const [id] = await at.add('long')
    await eventually('it runs', async () => begun.length === 1)
    await at.redis.xclaim(at.stream, GROUP, 'thief', 0, id)
    await eventually('it is lost', async () => heard.lost.length === 1)
    t.equal(heard.lost[0].job.signal.aborted, true)
    const [row] = (await at.redis.xpending(at.stream, GROUP, '-', '+', 1)) as [string, string][]
    t.equal(row[1], 'thief')
    t.equal(heard.failed.length, 0, 'that is no failure of the job')
  },
  'a payload trimmed under a running job changes nothing for it': async (t, at) => {
    const { begun, open, handler } = gate()
    let fail = true
    const { heard } = await at.start({
      handler: async job => {
        await handler(job)
        if (fail) {
          fail = false
          throw new Error('first try')
        }
      },
    })
    await at.add('long')
    await eventually('it runs', async () => begun.length === 1)
    await at.redis.xtrim(at.stream, 'MAXLEN', 0)
    await eventually('a heartbeat has met it', async () => (await at.pending()) === 0)
    open()
    await eventually('it is done, at the second try', async () => heard.processed.length === 1)
    t.equal(heard.failed.length, 1)
    t.equal(heard.processed[0].job.deliveries, 2)
    t.equal(await at.authority.isDone('long'), true)
  },
  'a stop waits for the running, hands back the waiting, and leaves no consumer': async (t, at) => {
    const { begun, open, handler } = gate()
    await at.add(...Array.from({ length: 6 }, (_, i) => `job-${i}`))
    const { worker, heard, counter } = await at.start({ handler, concurrency: 2, prefetch: 4, idleMs: 60_000 })
    await eventually('two run, four wait', async () => begun.length === 2 && (await at.pending()) === 6)
    const stopped = worker.stop()
    await eventually('they are handed back', async () => counter('handed_back_total') === 4)
    open()
    await stopped
    await worker.ended
    t.equal(heard.processed.length, 2)
    t.equal(heard.stopped.length, 1)
    t.equal(await at.pending(), 4)
    const rows = (await at.redis.xpending(at.stream, GROUP, 'IDLE', 60_000, '-', '+', 9)) as [
      string,
      string,
      number,
      number,
    ][]
    t.same(
      rows.map(row => row[3]),
      [0, 0, 0, 0],
      'a delivery that was not begun does not count',
    )
    const next = await at.start({ idleMs: 60_000, retireMs: 600_000, concurrency: 10, deliveriesMax: 1 })
    await eventually('another one has them at once', async () => next.heard.processed.length === 4)
  },
  'a stop whose time runs out tells the handlers to end and hands their jobs back': async (t, at) => {
    const { begun, handler } = gate()
    const { worker, heard } = await at.start({ handler, idleMs: 60_000 })
    await at.add('long')
    await eventually('it runs', async () => begun.length === 1)
    await worker.stop({ graceMs: 1 })
    t.equal(heard.failed.length, 0, 'that is no failure of the job')
    const rows = (await at.redis.xpending(at.stream, GROUP, 'IDLE', 60_000, '-', '+', 9)) as [
      string,
      string,
      number,
      number,
    ][]
    t.same(
      rows.map(row => row[3]),
      [1],
      'claimable at once, and the delivery counts',
    )
    const next = await at.start({ idleMs: 60_000, retireMs: 600_000 })
    await eventually('another one does it', async () => next.heard.processed.length === 1)
  },
  'a stop ends a read that waits': async (t, at) => {
    const stop = new AbortController()
    const { worker } = await at.start({ blockMs: 3_600_000, retireMs: 7_200_000, signal: stop.signal })
    await at.add('a')
    await eventually('it is done', async () => (await at.authority.isDone('a')) === true)
    stop.abort()
    await worker.ended
    t.same(await consumers(at), [], 'and the consumer is gone')
  },
  'a worker that comes back under its name takes up what it had': async (t, at) => {
    await at.add('a', 'b')
    await dieHolding(at, 'stable', 2)
    const { heard } = await at.start({ consumer: 'stable', idleMs: 3_600_000 })
    await eventually('both are done', async () => heard.processed.length === 2)
    t.same(
      heard.processed.map(({ job }) => job.deliveries),
      [2, 2],
    )
  },
  'a lost group is made again at the chosen position': async (t, at) => {
    const { heard } = await at.start({ recoverAt: () => '0' })
    t.same(heard.groupCreated, [{ position: '0', recovered: false }])
    await at.add('a')
    await eventually('it is done', async () => heard.processed.length === 1)
    await at.redis.xgroup('DESTROY', at.stream, GROUP)
    await at.add('b')
    await eventually('the next one is done too', async () => heard.processed.length === 2)
    t.same(heard.groupCreated[1], { position: '0', recovered: true })
    await eventually('the first one was met again', async () => heard.skipped.length === 1)
    t.equal(heard.processed.length, 2, 'and not done again')
  },
  'a lost stream is made again': async (t, at) => {
    const { heard } = await at.start({ recoverAt: '0' })
    await at.redis.del(at.stream)
    await eventually('the group is back', async () => heard.groupCreated.length === 2)
    await at.add('a')
    await eventually('it is done', async () => heard.processed.length === 1)
    t.equal(heard.groupCreated[1].recovered, true)
  },
  'dead consumers are retired, and their entries handed back': async (t, at) => {
    await at.add('a', 'b', 'c')
    await dieHolding(at, 'dead', 3)
    await at.redis.xgroup('CREATECONSUMER', at.stream, GROUP, 'empty')
    const { worker, heard } = await at.start({ retireMs: QUICK.idleMs })
    await eventually('only the living one is left', async () => {
      const names = await consumers(at)
      return names.length === 1 && names[0] === worker.consumer
    })
    await eventually('its jobs are done', async () => heard.processed.length === 3)
    t.same(heard.consumersRetired.flatMap(({ names }) => names).sort(), ['dead', 'empty'])
    t.equal(await at.pending(), 0)
  },
  'figures and metrics tell lag, pending and age': async (t, at) => {
    const { begun, open, handler } = gate()
    const { worker, heard, counter } = await at.start({ handler, concurrency: 1, prefetch: 1 })
    await at.add('a', 'b', 'c', 'd')
    await eventually('one runs, one waits', async () => begun.length === 1 && (await at.pending()) === 2)
    const figures = (await worker.figures())!
    t.same([figures.name, figures.pending, figures.lag], [GROUP, 2, 2])
    t.same(
      figures.consumers.map(({ name, pending }) => [name, pending]),
      [[worker.consumer, 2]],
    )
    t.ok(figures.oldestPendingAgeMs >= 0)
    t.same([counter('lag'), counter('pending'), counter('running'), counter('waiting')], [2, 2, 1, 1])
    open()
    await eventually('all are done', async () => heard.processed.length === 4)
    t.ok(counter('handler_seconds_total') > 0)
    t.equal((await worker.figures())!.oldestPendingAgeMs, 0)
  },
}
