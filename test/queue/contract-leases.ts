// Cases of the queue contract about leases, waiting and loops.

import type { Delivery } from '../../src/queue/index.js'
import { MessageStateError } from '../../src/queue/index.js'
import type { Cases } from './contract.js'
import { eventually, fill, texts } from './contract.js'

export const leaseCases: Cases = {
  'a lease that passes makes the message idle again, in its old place': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 1 })
    await fill(at, 'q', 3)
    await queue.fetch(2)
    const returned: number[] = []
    at.storage.on('returned', ({ count }) => returned.push(count))
    const again = await eventually('both come again', async () => {
      const got = await queue.fetch(3)
      return got.length === 3 && got
    })
    t.same(texts(again), ['1', '2', '3'])
    t.equal(returned.reduce((sum, count) => sum + count, 0) >= 2, true)
  },
  'a consumer whose lease has passed is refused what another one has': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 1 })
    await fill(at, 'q', 1)
    const [late] = await queue.fetch()
    await at.storage.declareQueue('q', { leaseMs: 60_000 })
    // The settings are read anew by each step: the old lease ends by the new length, so end it by hand.
    await at.backend.declareQueue(at.name, 'q', { leaseMs: 1 }, 'start')
    const [next] = await eventually('it comes again', async () => {
      const got = await queue.fetch()
      return got.length > 0 && got
    })
    await at.backend.declareQueue(at.name, 'q', { leaseMs: 60_000 }, 'start')
    await t.rejects(late.confirm(), { name: 'MessageStateError', refused: [{ uid: 1, found: 'redelivered' }] })
    await next.confirm()
    t.equal((await queue.counts()).confirmed, 1)
  },
  'a consumer whose lease has passed and whose message is idle is refused': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 1 })
    await fill(at, 'q', 1)
    const [late] = await queue.fetch()
    await eventually('the sweep ends the lease', async () => (await at.backend.returnExpired(at.name, 'q', 10)) === 1)
    await t.rejects(late.extend(), { name: 'MessageStateError', step: 'extend', refused: [{ uid: 1, found: 'idle' }] })
  },
  'the sweep ends leases in slices': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 1 })
    await fill(at, 'q', 5)
    await queue.fetch(5)
    const ended = await eventually('all have passed', async () => {
      const count = await at.backend.returnExpired(at.name, 'q', 2)
      return count > 0 && count
    })
    t.ok(ended <= 2, 'no more than the slice')
  },
  'an extended lease keeps the message and renews its receipt': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 60_000 })
    await fill(at, 'q', 1)
    const [delivery] = await queue.fetch()
    const before = delivery.receiptUs
    await delivery.extend()
    t.ok(delivery.receiptUs > before)
    const stale = await at.backend.settle(at.name, 'q', 'confirm', [{ uid: delivery.uid, receiptUs: before }])
    t.same(stale, [{ done: false, found: 'redelivered' }], 'the old receipt is worth nothing')
    await delivery.confirm()
  },
  'a fetch that waits gets a message that comes later, or nothing in time': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    t.same(await queue.fetch(1, { waitMs: 5 }), [])
    const waiting = queue.fetch(1, { waitMs: 30_000 })
    await fill(at, 'q', 1)
    t.same(texts(await waiting), ['1'])
    const stop = new AbortController()
    const aborted = queue.fetch(1, { waitMs: 30_000, signal: stop.signal })
    stop.abort()
    t.same(await aborted, [], 'a signal ends the wait')
    await t.rejects(queue.fetch(1, { signal: stop.signal }), { name: 'AbortError' })
  },
  'a loop over a queue ends at its signal and gives back what it fetched ahead': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 20)
    const stop = new AbortController()
    const seen: string[] = []
    for await (const delivery of queue.consume({ signal: stop.signal, prefetch: 8 })) {
      seen.push(delivery.text())
      await delivery.confirm()
      if (seen.length === 3) stop.abort()
    }
    t.same(seen, ['1', '2', '3'])
    t.same(await queue.counts(), { total: 20, idle: 17, consuming: 0, confirmed: 3, dropped: 0 })
    for await (const delivery of queue.consume({ prefetch: 4 })) {
      t.equal(delivery.text(), '4')
      break
    }
    t.equal((await queue.counts()).consuming, 1, 'break keeps the one in hand only')
  },
  'work confirms what was handled, releases what threw, and waits for the last handler': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 30)
    const stop = new AbortController()
    const attempts = new Map<string, number>()
    const errors: Delivery[] = []
    at.storage.on('handlerError', ({ delivery }) => errors.push(delivery))
    let [running, most] = [0, 0]
    const work = queue.work(
      async delivery => {
        most = Math.max(most, ++running)
        attempts.set(delivery.text(), (attempts.get(delivery.text()) ?? 0) + 1)
        await new Promise(resolve => setImmediate(resolve))
        running--
        if (delivery.text() === '7' && attempts.get('7') === 1) throw new Error('not yet')
      },
      { signal: stop.signal, concurrency: 4, pollMs: 10 },
    )
    await eventually('all are confirmed', async () => (await queue.counts()).confirmed === 30)
    stop.abort()
    await work
    t.equal(attempts.get('7'), 2)
    t.equal(errors.length, 1)
    t.ok(most > 1 && most <= 4, `${most} at a time`)
    t.equal(running, 0)
  },
  'work extends the leases of handlers that take longer': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 200 })
    await fill(at, 'q', 1)
    const stop = new AbortController()
    let extended: (() => void) | undefined
    const renewed = new Promise<void>(resolve => (extended = resolve))
    const work = queue.work(
      async delivery => {
        const before = delivery.receiptUs
        await eventually('its lease is extended', async () => delivery.receiptUs > before)
        extended!()
      },
      { signal: stop.signal, pollMs: 10 },
    )
    await renewed
    await eventually('it is confirmed', async () => (await queue.counts()).confirmed === 1)
    stop.abort()
    await work
    t.equal((await queue.counts()).total, 1)
  },
  'a drop after an error, when the caller wants it so': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 2)
    const stop = new AbortController()
    const fail = async (): Promise<void> => {
      throw new MessageStateError('confirm', [])
    }
    const work = queue.work(fail, { signal: stop.signal, onError: 'drop', pollMs: 10 })
    await eventually('both are dropped', async () => (await queue.counts()).dropped === 2)
    stop.abort()
    await work
    const metric = at.storage.metrics().find(({ name }) => name === 'millrace_queue_handler_errors_total')
    t.same(metric?.samples, [{ labels: { storage: at.name, queue: 'q' }, value: 2 }])
  },
}
