// The contract of a queue backend: every case runs on memory, redis-server and Millrace alike. A case gets a way to
// make backends over the same data, as many processes would have, and a storage name of its own.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { MessageStateError, MessageStorage, QueueMissingError, StorageFailure } from '../../src/queue/index.js'
import type { Delivery, QueueBackend } from '../../src/queue/index.js'
import { destroyStorage, listStorages } from '../../src/queue/index.js'
import { distributionCases } from './contract-distribution.js'
import { expiryCases } from './contract-expiry.js'
import { leaseCases } from './contract-leases.js'

export interface Place {
  /** A further backend over the same data; disposed of with the test. */
  backend(): QueueBackend
}

export interface Case {
  readonly backend: QueueBackend
  readonly place: Place
  /** Name of this case's storage. */
  readonly name: string
  readonly storage: MessageStorage
}

export type Cases = Record<string, (t: Test, at: Case) => Promise<void>>

/** Runs all cases. @returns how many there are */
export async function queueContract(t: Test, place: Place): Promise<number> {
  const cases: Cases = { ...basicCases, ...distributionCases, ...leaseCases, ...expiryCases }
  let number = 0
  for (const [title, run] of Object.entries(cases)) {
    const name = `case-${++number}`
    await t.test(title, async t => {
      const backend = place.backend()
      const storage = await MessageStorage.open(name, backend)
      t.teardown(async () => {
        await storage.dispose()
        await backend.dispose()
      })
      await run(t, { backend, place, name, storage })
    })
  }
  return number
}

/** Publishes `count` bodies '1' … and puts them into the queue by hand, as a distribution would. */
export async function fill({ backend, name, storage }: Case, queue: string, count: number, first = 1): Promise<void> {
  await storage.publishMany(Array.from({ length: count }, (_, i) => String(first + i)))
  for (let moved = true; moved;) {
    const info = (await storage.queues()).find(({ name }) => name === queue)!
    const { messages, through } = await backend.read(name, info.watermark, 500)
    moved = through > info.watermark
    if (moved) await backend.enqueue(name, [{ queue, from: info.watermark, to: through, accepted: messages }])
  }
}

/** Looks until `look` finds something; for what happens in its own time. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 3000; tries++) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await sleep(5)
  }
  throw new Error(`${what} did not happen`)
}

export const texts = (deliveries: readonly Delivery[]): string[] => deliveries.map(delivery => delivery.text())

const basicCases: Cases = {
  'a storage is listed once however often it is opened, and gone when destroyed': async (t, { backend, name }) => {
    await MessageStorage.open(name, backend)
    t.equal((await listStorages(backend)).filter(listed => listed === name).length, 1)
    t.equal(await destroyStorage(backend, name), true)
    t.notOk((await listStorages(backend)).includes(name))
    t.equal(await destroyStorage(backend, name), false, 'there is none any more')
  },
  'uids count from 1 without gaps, in the order of publishing': async (t, { storage }) => {
    const one = await storage.publish('a')
    const many = await storage.publishMany(['b', 'c', 'd'])
    t.same(
      [one, ...many].map(({ uid }) => uid),
      [1, 2, 3, 4],
    )
    const times = [one, ...many].map(({ publishedUs }) => publishedUs)
    t.ok(
      times.every((time, i) => i === 0 || time > times[i - 1]),
      'no two have the same time',
    )
  },
  'publishers of several processes share the uids': async (t, { place, name, storage }) => {
    const other = await MessageStorage.open(name, place.backend())
    const published = await Promise.all([
      ...Array.from({ length: 40 }, (_, i) => storage.publish(`a${i}`)),
      ...Array.from({ length: 40 }, (_, i) => other.publish(`b${i}`)),
    ])
    t.same(
      published.map(({ uid }) => uid).sort((a, b) => a - b),
      Array.from({ length: 80 }, (_, i) => i + 1),
    )
    t.equal(await storage.messageCount(), 80)
  },
  'bodies come back byte for byte, the empty one too': async (t, at) => {
    const bodies = [Buffer.from(''), Buffer.from([0, 10, 13, 255, 32]), Buffer.from('ü\n'), Buffer.alloc(100_000, 7)]
    const queue = await at.storage.declareQueue('q')
    await at.storage.publishMany(bodies)
    await fill(at, 'q', 0)
    t.same(
      (await queue.fetch(10)).map(({ body }) => body),
      bodies,
    )
    const stored: Buffer[] = []
    for await (const { body } of at.storage.messages()) stored.push(body)
    t.same(stored, bodies)
  },
  'a store asked for again under its sequence number stores nothing twice': async (t, { backend, name, storage }) => {
    const first = await backend.store(name, 'someone', 7, [Buffer.from('a'), Buffer.from('b')])
    const again = await backend.store(name, 'someone', 7, [Buffer.from('a'), Buffer.from('b')])
    t.same([again.firstUid, again.publishedUs], [first.firstUid, first.publishedUs])
    t.equal(await storage.messageCount(), 2)
    t.equal((await backend.store(name, 'someone', 8, [Buffer.from('c')])).firstUid, 3)
  },
  'a queue is declared once, and again with other settings': async (t, { backend, name, storage }) => {
    t.equal(await backend.declareQueue(name, 'q', { leaseMs: 5 }, 'start'), true)
    t.equal(await backend.declareQueue(name, 'q', { leaseMs: 9 }, 'start'), false)
    t.same(await storage.queues(), [{ name: 'q', settings: { leaseMs: 9 }, watermark: 0 }])
  },
  'a new queue begins with everything stored, or with the next message': async (t, { storage }) => {
    await storage.publishMany(['a', 'b'])
    await storage.declareQueue('all', { from: 'start' })
    await storage.declareQueue('new', { from: 'end' })
    t.same(
      (await storage.queues()).map(({ name, watermark }) => [name, watermark]),
      [
        ['all', 0],
        ['new', 2],
      ],
    )
  },
  'fetch gives the oldest idle messages, no more than asked for': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 25)
    t.same(
      texts(await queue.fetch(12)),
      Array.from({ length: 12 }, (_, i) => String(i + 1)),
      'beyond 9 as numbers',
    )
    t.same(
      texts(await queue.fetch(100)),
      Array.from({ length: 13 }, (_, i) => String(i + 13)),
    )
    t.same(await queue.fetch(), [], 'none is left')
  },
  'a delivery tells where its message comes from': async (t, at) => {
    await at.storage.publish('before')
    const queue = await at.storage.declareQueue('q', { from: 'end' })
    await fill(at, 'q', 1)
    const [delivery] = await queue.fetch()
    t.same([delivery.uid, delivery.storageUid, delivery.text()], [1, 2, '1'])
    t.ok(delivery.message.enqueuedUs > delivery.message.publishedUs)
    t.ok(delivery.receiptUs > delivery.message.enqueuedUs)
  },
  'counts follow each step and are those of the sets': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 10)
    const deliveries = await queue.fetch(6)
    await queue.confirm(deliveries.slice(0, 3))
    await deliveries[3].drop()
    await deliveries[4].release()
    t.same(await queue.counts(), { total: 10, idle: 5, consuming: 1, confirmed: 3, dropped: 1 })
    t.same(
      (await queue.list('confirmed')).map(({ body }) => String(body)),
      ['1', '2', '3'],
    )
    t.same(
      (await queue.list('consuming')).map(({ uid }) => uid),
      [6],
    )
    t.same(
      (await queue.list('idle', 2)).map(({ uid }) => uid),
      [5, 7],
      'a released message has its old place',
    )
  },
  'each step refuses a message in another state and names it': async (t, at) => {
    const { backend, name, storage } = at
    const queue = await storage.declareQueue('q')
    await fill(at, 'q', 3)
    const [confirmed, dropped, released] = (await queue.fetch(3)).map(({ uid, receiptUs }) => ({ uid, receiptUs }))
    await backend.settle(name, 'q', 'confirm', [confirmed])
    await backend.settle(name, 'q', 'drop', [dropped])
    await backend.settle(name, 'q', 'release', [released])
    for (const step of ['confirm', 'drop', 'release', 'extend'] as const) {
      const unknown = { uid: 99, receiptUs: confirmed.receiptUs }
      const outcomes = await backend.settle(name, 'q', step, [confirmed, dropped, released, unknown])
      t.same(
        outcomes.map(outcome => !outcome.done && outcome.found),
        ['confirmed', 'dropped', 'idle', 'gone'],
        step,
      )
    }
    t.same(await queue.counts(), { total: 3, idle: 1, consuming: 0, confirmed: 1, dropped: 1 }, 'nothing was moved')
  },
  'a refusal is an error that names the messages; the others are done': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 3)
    const deliveries = await queue.fetch(3)
    await at.backend.settle(at.name, 'q', 'drop', [deliveries[1]])
    const error = await queue.confirm(deliveries).catch((error: unknown) => error)
    t.ok(error instanceof MessageStateError)
    t.same((error as MessageStateError).refused, [{ uid: 2, found: 'dropped' }])
    t.same(await queue.counts(), { total: 3, idle: 0, consuming: 0, confirmed: 2, dropped: 1 })
    await t.rejects(deliveries[0].drop(), { name: 'MessageStateError', refused: [{ uid: 1, found: 'confirmed' }] })
  },
  'the same message twice in one step is done once': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 1)
    const [delivery] = await queue.fetch()
    const outcomes = await at.backend.settle(at.name, 'q', 'confirm', [delivery, delivery])
    t.same(
      outcomes.map(outcome => (outcome.done ? 'done' : outcome.found)),
      ['done', 'confirmed'],
    )
  },
  'two queues settle the same message apart': async (t, at) => {
    const [a, b] = [await at.storage.declareQueue('a'), await at.storage.declareQueue('b')]
    await fill(at, 'a', 2)
    await fill(at, 'b', 0)
    await (await a.fetch())[0].confirm()
    t.equal((await a.counts()).confirmed, 1)
    t.same(await b.counts(), { total: 2, idle: 2, consuming: 0, confirmed: 0, dropped: 0 })
  },
  'ten storages over the same keys fetch 1,000 messages concurrently, each exactly once': async (t, at) => {
    await at.storage.declareQueue('q')
    await fill(at, 'q', 1000)
    const storages = await Promise.all(
      Array.from({ length: 10 }, () => MessageStorage.open(at.name, at.place.backend())),
    )
    const taken = await Promise.all(
      storages.map(async (storage, i) => {
        const queue = await storage.queue('q')
        const uids: number[] = []
        for (let got = await queue.fetch(1 + i); got.length > 0; got = await queue.fetch(1 + i)) {
          uids.push(...got.map(({ storageUid }) => storageUid))
          await queue.confirm(got)
        }
        return uids
      }),
    )
    t.same(
      taken.flat().sort((a, b) => a - b),
      Array.from({ length: 1000 }, (_, i) => i + 1),
    )
    t.ok(taken.filter(uids => uids.length > 0).length > 1, 'more than one took part')
    t.equal((await (await at.storage.queue('q')).counts()).confirmed, 1000)
  },
  'a destroyed queue is gone with its messages, the storage keeps its own': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 3)
    t.equal(await at.storage.destroyQueue('q'), true)
    t.equal(await at.storage.destroyQueue('q'), false)
    await t.rejects(queue.fetch(), QueueMissingError)
    await t.rejects(at.storage.queue('q'), { name: 'QueueMissingError', queue: 'q' })
    t.equal(await at.storage.messageCount(), 3)
    const anew = await at.storage.declareQueue('q')
    t.equal((await anew.counts()).total, 0, 'a queue of that name begins anew')
  },
  'a destroyed storage takes its queues along and refuses what comes later': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 3)
    await at.storage.setPolicy({ kind: 'last', count: 2 })
    await destroyStorage(at.backend, at.name)
    const failures: StorageFailure[] = []
    at.storage.on('failure', failure => failures.push(failure))
    await t.rejects(at.storage.publish('late'), { name: 'StorageFailure', code: 'gone' })
    t.equal(failures.at(-1)?.code, 'gone', 'the event carries the same error')
    await t.rejects(queue.fetch())
    const again = await MessageStorage.open(at.name, at.backend)
    t.equal(await again.messageCount(), 0)
    t.same(await again.queues(), [])
    t.same(await again.policy(), { kind: 'never' })
    t.equal((await again.publish('first')).uid, 1)
  },
  'dispose deletes nothing': async (t, at) => {
    const other = await MessageStorage.open(at.name, at.place.backend())
    await other.declareQueue('q')
    await other.publish('kept')
    await other.dispose()
    await t.rejects(other.publish('late'), { name: 'UsageError' })
    t.equal(await at.storage.messageCount(), 1)
    t.same(
      (await at.storage.queues()).map(({ name }) => name),
      ['q'],
    )
  },
}
