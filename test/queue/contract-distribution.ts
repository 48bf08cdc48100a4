// Cases of the queue contract about distribution: filters, fairness, crashes between store and enqueue, restarts.

import { MessageStorage } from '../../src/queue/index.js'
import type { Cases } from './contract.js'
import { eventually, texts } from './contract.js'

const QUICK = { pollMs: 20, upkeepMs: 50 }

export const distributionCases: Cases = {
  'distribution offers every message to every filter': async (t, { storage }) => {
    const [even, all] = [await storage.declareQueue('even'), await storage.declareQueue('all')]
    const enqueued: [string, number][] = []
    const distribution = await storage.distribute({
      ...QUICK,
      filter: async (message, queue) => queue === 'all' || Number(message.body) % 2 === 0,
      onEnqueued: (queue, messages) => enqueued.push([queue, messages.length]),
    })
    await storage.publishMany(['1', '2', '3', '4', '5'])
    await eventually('all are enqueued', async () => (await all.counts()).total === 5)
    await eventually('the even ones too', async () => (await even.counts()).total === 2)
    t.same(texts(await even.fetch(9)), ['2', '4'])
    t.same(texts(await all.fetch(9)), ['1', '2', '3', '4', '5'])
    t.equal(
      enqueued.reduce((sum, [, count]) => sum + count, 0),
      7,
      'the callback saw each',
    )
    await distribution.stop()
    t.same(
      (await storage.queues()).map(({ watermark }) => watermark),
      [5, 5],
      'refused messages were offered too',
    )
  },
  'messages of another process are distributed, woken by their publication': async (t, { place, name, storage }) => {
    const queue = await storage.declareQueue('q')
    await storage.distribute({ pollMs: 60_000, upkeepMs: 60_000 })
    const other = await MessageStorage.open(name, place.backend())
    await other.publish('from afar')
    const deliveries = await queue.fetch(1, { waitMs: 20_000 })
    t.same(texts(deliveries), ['from afar'])
  },
  'a queue declared later gets what is stored': async (t, { storage }) => {
    await storage.distribute({ pollMs: 60_000, upkeepMs: 60_000 })
    await storage.publishMany(['a', 'b'])
    const queue = await storage.declareQueue('late')
    await eventually('both are enqueued', async () => (await queue.counts()).total === 2)
    t.same(texts(await queue.fetch(5)), ['a', 'b'])
  },
  'a process killed between store and enqueue neither loses nor repeats': async (t, { backend, place, name }) => {
    const victim = await MessageStorage.open(name, place.backend())
    const queue = await victim.declareQueue('q')
    await victim.publishMany(['1', '2', '3', '4'])
    // It had enqueued the first two when it was killed.
    const { messages } = await backend.read(name, 0, 2)
    await backend.enqueue(name, [{ queue: 'q', from: 0, to: 2, accepted: messages }])
    await victim.dispose()
    const heir = await MessageStorage.open(name, place.backend())
    const distribution = await heir.distribute(QUICK)
    await eventually('the rest is enqueued', async () => (await queue.counts()).total === 4)
    await distribution.stop()
    t.same(texts(await queue.fetch(9)), ['1', '2', '3', '4'])
    await heir.dispose()
  },
  'an enqueue from a watermark that has moved does nothing': async (t, { backend, name, storage }) => {
    const queue = await storage.declareQueue('q')
    await storage.publishMany(['1', '2'])
    const { messages } = await backend.read(name, 0, 2)
    const batch = { queue: 'q', from: 0, to: 2, accepted: messages }
    t.same(await backend.enqueue(name, [batch]), [{ moved: true, watermark: 2 }])
    t.same(await backend.enqueue(name, [batch]), [{ moved: false, watermark: 2 }])
    t.equal((await queue.counts()).total, 2)
    t.same(await backend.enqueue(name, [{ ...batch, queue: 'none' }]), [undefined], 'a queue that is gone')
  },
  'a restart in mid-distribution goes on above the watermark': async (t, { place, name, storage }) => {
    const queue = await storage.declareQueue('q')
    await storage.publishMany(Array.from({ length: 300 }, (_, i) => String(i + 1)))
    let first = true
    const stopping = new AbortController()
    const distribution = await storage.distribute({
      ...QUICK,
      sliceMessages: 7,
      signal: stopping.signal,
      onEnqueued: () => {
        if (first) stopping.abort()
        first = false
      },
    })
    await eventually('the first slice is enqueued', async () => !first)
    await distribution.stop()
    const before = await queue.counts()
    t.ok(before.total > 0 && before.total < 300, `stopped at ${before.total}`)
    const heir = await MessageStorage.open(name, place.backend())
    await heir.distribute(QUICK)
    await eventually('all are enqueued', async () => (await queue.counts()).total === 300)
    t.same(
      texts(await queue.fetch(500)),
      Array.from({ length: 300 }, (_, i) => String(i + 1)),
    )
    await heir.dispose()
  },
  'several processes distribute the same queues, each message once': async (t, { place, name, storage }) => {
    const queues = await Promise.all(['a', 'b', 'c'].map(queue => storage.declareQueue(queue)))
    const others = await Promise.all([1, 2].map(() => MessageStorage.open(name, place.backend())))
    for (const each of [storage, ...others]) await each.distribute({ ...QUICK, sliceMessages: 10 })
    await Promise.all(
      [storage, ...others].map((each, p) => each.publishMany(Array.from({ length: 200 }, (_, i) => `${p}-${i}`))),
    )
    for (const queue of queues) {
      await eventually('all are enqueued', async () => (await queue.counts()).total >= 600)
      const bodies = texts(await queue.fetch(1000))
      t.equal(new Set(bodies).size, 600)
      t.equal(bodies.length, 600)
    }
    for (const other of others) await other.dispose()
  },
  'a queue that is far behind does not starve the others': async (t, { storage }) => {
    const behind = await storage.declareQueue('behind')
    await storage.publishMany(Array.from({ length: 1000 }, (_, i) => String(i)))
    const ahead = await storage.declareQueue('ahead', { from: 'end' })
    let behindWhenAhead = -1
    const seen = { behind: 0, ahead: 0 }
    await storage.publish('new')
    await storage.distribute({
      ...QUICK,
      sliceMessages: 10,
      onEnqueued: (queue, messages) => {
        seen[queue as 'behind' | 'ahead'] += messages.length
        if (queue === 'ahead') behindWhenAhead = seen.behind
      },
    })
    await eventually('the far one has all', async () => (await behind.counts()).total === 1001)
    t.equal((await ahead.counts()).total, 1)
    t.ok(behindWhenAhead <= 20, `the other was served after ${behindWhenAhead} of 1,001`)
  },
  'a filter that throws holds its own queue and loses nothing': async (t, { storage }) => {
    const [bad, good] = [await storage.declareQueue('bad'), await storage.declareQueue('good')]
    let broken = true
    const errors: string[] = []
    storage.on('filterError', ({ queue, error }) => errors.push(`${queue}: ${error.message}`))
    await storage.distribute({
      ...QUICK,
      filter: (message, queue) => {
        if (queue === 'bad' && broken && String(message.body) === '2') throw new Error('no idea')
        return true
      },
    })
    await storage.publishMany(['1', '2', '3'])
    await eventually('the other queue goes on', async () => (await good.counts()).total === 3)
    await eventually('the error is told', async () => errors.length > 0)
    t.equal(errors[0], 'bad: no idea')
    t.ok((await bad.counts()).total <= 1, 'nothing behind the message was enqueued')
    broken = false
    await eventually('it goes on when mended', async () => (await bad.counts()).total === 3)
    t.same(texts(await bad.fetch(5)), ['1', '2', '3'])
  },
}
