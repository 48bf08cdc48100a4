// Cases of the worker contract: the three stories every user of Streams meets.

import { MemoryAuthority, RedisAuthority } from '../../src/worker/index.js'
import type { Case, Cases } from './contract.js'
import { dieHolding, eventually, GROUP } from './contract.js'

/** Registers a job with its description, as the producer of a job with an authority does. */
async function dispatch(at: Case, jobId: string): Promise<string> {
  const { authority, stream, redis } = at
  if (authority instanceof RedisAuthority) {
    return (await authority.dispatch({ stream, jobId, fields: { size: 'large' } }))!
  }
  const id = (await redis.xadd(stream, '*', 'size', 'large', 'job', jobId))!
  ;(authority as unknown as MemoryAuthority).expect(jobId, id, { size: 'large', job: jobId })
  return id
}

export const storyCases: Cases = {
  'complete: handled, recorded, then acknowledged; the entry stays for replay': async (t, at) => {
    const order: string[] = []
    const { heard, counter } = await at.start({
      handler: async job => {
        order.push('handled')
        return `result of ${job.id}`
      },
      authority: {
        isDone: jobId => at.authority.isDone(jobId),
        markDone: async (jobId, result) => {
          t.equal(await at.pending(), 1, 'not acknowledged before it is recorded')
          order.push('recorded')
          await at.authority.markDone(jobId, result)
        },
        listUnfinished: () => at.authority.listUnfinished(),
      },
    })
    const [id] = await at.add('a')
    await eventually('it is acknowledged', async () => heard.processed.length === 1 && (await at.pending()) === 0)
    t.same(order, ['handled', 'recorded'])
    t.equal(await at.authority.resultOf('a'), 'result of a')
    t.equal(await at.redis.xlen(at.stream), 1)
    const [{ job }] = heard.processed
    t.same([job.entryId, job.id, job.deliveries, job.fields], [id, 'a', 1, { job: 'a' }])
    t.equal(counter('processed_total'), 1)
  },
  'crash after completion: claimed, found done, acknowledged without running again': async (t, at) => {
    const ids = await at.add('a', 'b')
    await dieHolding(at, 'dead', 2)
    await at.authority.markDone('a', 'done by the dead one')
    const ran: string[] = []
    const { heard, counter } = await at.start({
      handler: async job => void ran.push(job.id),
    })
    await eventually('nothing is pending', async () => (await at.pending()) === 0)
    await eventually('it is told', async () => heard.skipped.length === 1 && heard.processed.length === 1)
    t.same(ran, ['b'])
    t.equal(await at.authority.resultOf('a'), 'done by the dead one', 'the first record stays')
    t.same(heard.claimed.flatMap(({ entryIds }) => entryIds).sort(), ids)
    t.same([counter('claimed_total'), counter('skipped_total')], [2, 1])
    t.equal(heard.processed[0].job.deliveries, 2)
  },
  'crash before completion, payload trimmed: unfinished jobs are dispatched anew': async (t, at) => {
    const lost = await dispatch(at, 'lost')
    await dispatch(at, 'done')
    await dieHolding(at, 'dead', 2)
    await at.authority.markDone('done', 'before it died')
    await at.redis.xtrim(at.stream, 'MAXLEN', 0)
    const { heard, counter } = await at.start({ handler: async job => job.fields.size })
    await eventually('it is done', async () => (await at.authority.resultOf('lost')) === 'large')
    await eventually('it is acknowledged', async () => heard.processed.length === 1 && (await at.pending()) === 0)
    t.same(
      heard.redispatched.map(({ job }) => [job.jobId, job.entryId]),
      [['lost', lost]],
    )
    t.equal(heard.redispatched[0].entryId, heard.processed[0].job.entryId)
    t.equal(counter('redispatched_total'), 1)
    for await (const job of at.authority.listUnfinished()) t.fail(`${job.jobId} is unfinished`)
  },
  'the claim tells whose payload is gone, and every worker may look without doubling': async (t, at) => {
    const { worker: first, heard } = await at.start({})
    await first.stop()
    const jobs = Array.from({ length: 30 }, (_, i) => `job-${i}`)
    for (const job of jobs) await dispatch(at, job)
    await dieHolding(at, 'dead', 30)
    const begun = [await at.start({ reconcileMs: 1 }), await at.start({ reconcileMs: 1 })]
    await at.redis.xtrim(at.stream, 'MAXLEN', 0)
    await eventually('all are done', async () => {
      const results = await Promise.all(jobs.map(job => at.authority.isDone(job)))
      return results.every(done => done)
    })
    const all = [heard, ...begun.map(({ heard }) => heard)]
    await eventually('all are told', async () => all.reduce((sum, each) => sum + each.processed.length, 0) >= 30)
    const redispatched = all.flatMap(each => each.redispatched.map(({ job }) => job.jobId))
    t.equal(redispatched.length, new Set(redispatched).size, 'each once at most')
    const processed = all.flatMap(each => each.processed.map(({ job }) => job.id))
    t.same([...processed].sort(), [...jobs].sort(), 'each handled once')
  },
  'a job without a description is reported, not dropped': async (t, at) => {
    const authority = new MemoryAuthority()
    const [id] = await at.add('mystery')
    authority.expect('mystery', id, undefined)
    await dieHolding(at, 'dead', 1)
    await at.redis.xdel(at.stream, id)
    const { heard, counter } = await at.start({ authority })
    await eventually('it is told', async () => heard.unrecoverable.length > 0 && heard.payloadGone.length > 0)
    t.same(heard.unrecoverable[0].job, { jobId: 'mystery', entryId: id, fields: undefined })
    t.same(heard.payloadGone[0].entryIds, [id])
    t.ok(counter('unrecoverable_total') >= 1)
    t.equal(await authority.isDone('mystery'), false)
  },
  'a job that was registered and never dispatched is dispatched': async (t, at) => {
    const authority = new MemoryAuthority()
    authority.expect('early', undefined, { job: 'early' })
    // What is done before its new entry is noted needs no telling: so it is not done before it was told.
    let finish: () => void = () => undefined
    const told = new Promise<void>(resolve => (finish = resolve))
    const { heard } = await at.start({ authority, handler: () => told })
    await eventually('it is told', async () => heard.redispatched.length >= 1)
    finish()
    await eventually('it is done', async () => authority.results.has('early'))
    t.equal(heard.redispatched[0].job.jobId, 'early')
  },
  'a version makes a job new: replay runs it again on purpose': async (t, at) => {
    const ran: string[] = []
    const handler = async (job: { id: string }): Promise<void> => void ran.push(job.id)
    const { worker: old } = await at.start({ handler })
    await at.add('a', 'b')
    await eventually('both are done', async () => (await at.pending()) === 0 && ran.length === 2)
    await old.replay('0')
    await eventually('the replay is read', async () => (await old.figures())?.lag === 0 && (await at.pending()) === 0)
    t.same(ran, ['a', 'b'], 'what is done does not run again')
    await old.stop()
    const { worker: next } = await at.start({ handler, version: '2' })
    await next.replay('0')
    await eventually('both have run again', async () => ran.length === 4)
    t.same(ran.slice(2).sort(), ['a@2', 'b@2'])
    t.equal(await at.authority.isDone('a'), true, 'the old version stays done')
  },
  'an entry names its own version, and one without a job field is its own job': async (t, at) => {
    await at.redis.xadd(at.stream, '*', 'job', 'a', 'version', '7')
    const id = await at.redis.xadd(at.stream, '*', 'other', 'x')
    const { heard } = await at.start({ version: '2' })
    await eventually('both are done', async () => heard.processed.length === 2)
    t.same(heard.processed.map(({ job }) => job.id).sort(), ['a@7', `${id}@2`].sort())
  },
  'dispatching a job twice adds one entry': async (t, at) => {
    const authority = new RedisAuthority(at.redis, 'own')
    const job = { stream: at.stream, jobId: 'once', fields: { n: '1' } }
    const id = await authority.dispatch(job)
    t.equal(await authority.dispatch(job), id)
    t.equal(await at.redis.xlen(at.stream), 1)
    const { heard } = await at.start({ authority })
    await eventually('it is done', async () => heard.processed.length === 1)
    t.equal(await authority.dispatch(job), undefined, 'done is done')
    t.ok(await authority.dispatch({ ...job, version: '2' }), 'a new version is a new job')
    t.same(await at.redis.xinfo('GROUPS', at.stream).then(groups => (groups as string[][])[0][1]), GROUP)
  },
}
