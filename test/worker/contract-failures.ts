// Cases of the worker contract: handlers that fail, dead letters, records that fail.

import { listDeadLetters, PermanentFailure, RedisAuthority, requeueDeadLetter } from '../../src/worker/index.js'
import type { DeadLetter } from '../../src/worker/index.js'
import type { Cases } from './contract.js'
import { dieHolding, eventually } from './contract.js'

export const failureCases: Cases = {
  'a failed job is tried again after its backoff, with a higher count': async (t, at) => {
    const deliveries: number[] = []
    const asked: number[] = []
    const { heard, counter } = await at.start({
      backoffMs: count => {
        asked.push(count)
        return 5
      },
      handler: async job => {
        deliveries.push(job.deliveries)
        if (deliveries.length < 3) throw new Error('not yet')
      },
    })
    await at.add('a')
    await eventually('it is done', async () => heard.processed.length === 1 && (await at.pending()) === 0)
    t.same(deliveries, [1, 2, 3])
    t.same(asked, [1, 2])
    t.same(
      heard.failed.map(({ error, retryMs }) => [error.message, retryMs]),
      [
        ['not yet', 5],
        ['not yet', 5],
      ],
    )
    t.equal(counter('failed_total'), 2)
  },
  'after its last delivery it becomes a dead letter that tells where it comes from': async (t, at) => {
    const { worker, heard, counter } = await at.start({
      deliveriesMax: 3,
      handler: async () => {
        throw new Error('never')
      },
    })
    const id = (await at.redis.xadd(at.stream, '*', 'job', 'bad', 'dead.id', 'of the payload'))!
    await eventually('it is dead', async () => heard.deadLettered.length === 1)
    t.equal(await at.pending(), 0)
    t.equal(heard.failed.length, 3)
    t.equal(heard.failed[2].retryMs, undefined)
    const letters: DeadLetter[] = []
    for await (const letter of listDeadLetters(at.redis, `${at.stream}:dead`)) letters.push(letter)
    t.same(letters, [
      {
        id: heard.deadLettered[0].letterId,
        stream: at.stream,
        entryId: id,
        group: 'workers',
        consumer: worker.consumer,
        deliveries: 3,
        reason: 'never',
        jobId: 'bad',
        fields: { job: 'bad', 'dead.id': 'of the payload' },
      },
    ])
    t.equal(counter('dead_lettered_total'), 1)
    t.equal(await at.authority.isDone('bad'), false)
  },
  'a permanent failure is a dead letter at once': async (t, at) => {
    const { heard } = await at.start({
      deadLetters: 'graveyard',
      handler: async () => {
        throw new PermanentFailure('malformed')
      },
    })
    await at.add('bad')
    await eventually('it is dead', async () => heard.deadLettered.length === 1)
    t.equal(heard.failed.length, 1)
    t.equal(heard.deadLettered[0].reason, 'malformed')
    t.equal(await at.redis.xlen('graveyard'), 1)
  },
  'an entry whose workers die again and again becomes a dead letter': async (t, at) => {
    await at.add('killer')
    const [id] = await dieHolding(at, 'dead-1', 1)
    for (const name of ['dead-2', 'dead-3']) await at.redis.xclaim(at.stream, 'workers', name, 0, id)
    const ran: string[] = []
    const { heard } = await at.start({ deliveriesMax: 3, handler: async job => void ran.push(job.id) })
    await eventually('it is dead', async () => heard.deadLettered.length === 1)
    t.same(ran, [], 'it did not kill another one')
    t.match(heard.deadLettered[0].reason, /delivered 3 times/)
  },
  'a dead letter goes back to its stream under a new version': async (t, at) => {
    let broken = true
    const { heard } = await at.start({
      handler: async job => {
        if (broken) throw new PermanentFailure('broken')
        return job.id
      },
    })
    await at.add('a')
    await eventually('it is dead', async () => heard.deadLettered.length === 1)
    broken = false
    for await (const letter of listDeadLetters(at.redis, `${at.stream}:dead`)) {
      await requeueDeadLetter(at.redis, `${at.stream}:dead`, letter, 'mended')
    }
    await eventually('it is done', async () => heard.processed.length === 1)
    t.equal(heard.processed[0].job.id, 'a@mended')
    t.equal(await at.redis.xlen(`${at.stream}:dead`), 0)
  },
  'a dead job is finished for the authority: it is not dispatched anew when trimmed': async (t, at) => {
    const authority = new RedisAuthority(at.redis, 'own')
    await authority.dispatch({ stream: at.stream, jobId: 'bad', fields: {} })
    const { heard } = await at.start({
      authority,
      reconcileMs: 1,
      handler: async () => {
        throw new PermanentFailure('no')
      },
    })
    await eventually('it is dead', async () => heard.deadLettered.length === 1)
    await at.redis.xtrim(at.stream, 'MAXLEN', 0)
    await at.add('later')
    await eventually('the worker went on', async () => heard.deadLettered.length === 2)
    for await (const job of authority.listUnfinished()) t.fail(`${job.jobId} is unfinished`)
    t.equal(heard.redispatched.length, 0)
    t.same(await at.redis.hgetall('{own}:dead'), { bad: 'no', later: 'no' })
  },
  'a record that fails is a failed delivery: nothing is acknowledged': async (t, at) => {
    let failures = 2
    const { heard } = await at.start({
      authority: {
        isDone: jobId => at.authority.isDone(jobId),
        markDone: async (jobId, result) => {
          if (failures-- > 0) throw new Error('no database')
          await at.authority.markDone(jobId, result)
        },
        listUnfinished: () => at.authority.listUnfinished(),
      },
    })
    await at.add('a')
    await eventually('it is done', async () => heard.processed.length === 1)
    t.equal(heard.failed.length, 2)
    t.equal(await at.authority.isDone('a'), true)
  },
  'an authority that cannot be asked holds the entries back, and loses none': async (t, at) => {
    let down = 3
    const { heard } = await at.start({
      authority: {
        isDone: async jobId => {
          if (down-- > 0) throw new Error('no database')
          return at.authority.isDone(jobId)
        },
        markDone: (jobId, result) => at.authority.markDone(jobId, result),
        listUnfinished: () => at.authority.listUnfinished(),
      },
      deliveriesMax: 20,
    })
    await at.add('a', 'b')
    await eventually('both are done', async () => heard.processed.length === 2)
    t.ok(heard.error.some(({ message }) => message === 'no database'))
  },
  'an effect and its completion are one step': async (t, at) => {
    const authority = new RedisAuthority(at.redis, 'own')
    const commands = [
      ['INCRBY', '{own}:sum', 5],
      ['RPUSH', '{own}:log', 'a'],
    ] as const
    t.equal(await authority.effect('a', { sum: 5 }, ['{own}:sum', '{own}:log'], commands), true)
    t.equal(await authority.effect('a', { sum: 5 }, ['{own}:sum', '{own}:log'], commands), false)
    t.equal(await at.redis.get('{own}:sum'), '5')
    t.same(await authority.resultOf('a'), { sum: 5 })
  },
  'old completions can be forgotten': async (t, at) => {
    let nowMs = 1_000
    const clock = { nowMs: () => nowMs, nowUs: () => nowMs * 1000, monotonicUs: () => nowMs * 1000 }
    const authority = new RedisAuthority(at.redis, 'own', clock)
    await authority.markDone('old', 1)
    nowMs = 5_000
    await authority.markDone('new', 2)
    t.equal(await authority.prune(2_000), 1)
    t.same(await authority.areDone(['old', 'new']), [false, true])
  },
}
