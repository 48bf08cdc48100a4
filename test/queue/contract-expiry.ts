// Cases of the queue contract about expiration policies.

import type { Case, Cases } from './contract.js'
import { eventually, fill } from './contract.js'

async function bodies({ storage }: Case): Promise<string[]> {
  const found: string[] = []
  for await (const { body } of storage.messages()) found.push(String(body))
  return found
}

export const expiryCases: Cases = {
  'a policy is kept in the storage and checked': async (t, { storage }) => {
    t.same(await storage.policy(), { kind: 'never' })
    for (const policy of [{ kind: 'after', seconds: 1.5 }, { kind: 'last', count: 0 }, { kind: 'never' }] as const) {
      await storage.setPolicy(policy)
      t.same(await storage.policy(), policy)
    }
    await t.rejects(storage.setPolicy({ kind: 'after', seconds: 0 }), { name: 'UsageError' })
    await t.rejects(storage.setPolicy({ kind: 'last', count: 1.5 }), { name: 'UsageError' })
    t.same(await storage.policy(), { kind: 'never' }, 'a refused one changes nothing')
  },
  'with the policy never, nothing expires': async (t, at) => {
    await at.storage.declareQueue('q')
    await fill(at, 'q', 5)
    t.same(await at.storage.expire(), { stored: 0, queued: 0 })
    t.equal(await at.storage.messageCount(), 5)
  },
  'the last N are kept, in the storage and in each queue': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 1200)
    const [first] = await queue.fetch()
    await first.confirm()
    await at.storage.setPolicy({ kind: 'last', count: 10 })
    t.same(await at.storage.expire(), { stored: 1190, queued: 1190 }, 'more than one slice')
    t.same(
      await bodies(at),
      Array.from({ length: 10 }, (_, i) => String(1191 + i)),
    )
    t.same(await queue.counts(), { total: 10, idle: 10, consuming: 0, confirmed: 0, dropped: 0 })
    t.same(await at.storage.expire(), { stored: 0, queued: 0 }, 'nothing more is due')
  },
  'what is being consumed does not expire under its consumer': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 6)
    const [one, two] = await queue.fetch(2)
    await at.storage.setPolicy({ kind: 'last', count: 1 })
    await at.storage.expire()
    t.same(await queue.counts(), { total: 3, idle: 1, consuming: 2, confirmed: 0, dropped: 0 })
    await one.confirm()
    await at.storage.expire()
    t.same(await queue.counts(), { total: 2, idle: 1, consuming: 1, confirmed: 0, dropped: 0 })
    await two.release()
    await at.storage.expire()
    t.same(await queue.counts(), { total: 1, idle: 1, consuming: 0, confirmed: 0, dropped: 0 })
  },
  'messages expire so many seconds after they were published': async (t, at) => {
    const queue = await at.storage.declareQueue('q')
    await fill(at, 'q', 3)
    await at.storage.setPolicy({ kind: 'after', seconds: 3600 })
    t.same(await at.storage.expire(), { stored: 0, queued: 0 })
    await at.storage.setPolicy({ kind: 'after', seconds: 0.001 })
    await eventually('all are gone', async () => {
      await at.storage.expire()
      return (await at.storage.messageCount()) === 0
    })
    t.equal((await queue.counts()).total, 0)
    await fill(at, 'q', 2)
    t.equal((await at.storage.queues())[0].watermark, 5, 'distribution goes on above what expired')
  },
  'a slice is bounded, and the next one goes on where it ended': async (t, { backend, name, storage }) => {
    await storage.declareQueue('q')
    await fill({ backend, name, storage } as Case, 'q', 10)
    const policy = { kind: 'last', count: 1 } as const
    t.same(await backend.expireQueue(name, 'q', policy, 0, 4), { removed: 4, next: 4 })
    t.same(await backend.expireQueue(name, 'q', policy, 4, 100), { removed: 5, next: undefined })
    t.same(await backend.expireStorage(name, policy, 4), { removed: 4, undistributed: 0 })
  },
  'messages that expire before a filter saw them are told': async (t, at) => {
    await at.storage.declareQueue('q')
    await at.storage.publishMany(['1', '2', '3'])
    const told: number[] = []
    at.storage.on('expired', ({ undistributed }) => told.push(undistributed))
    await at.storage.setPolicy({ kind: 'last', count: 1 })
    await at.storage.expire()
    t.same(told, [2])
  },
  'distribution passes over a long gap of expired messages': async (t, at) => {
    await at.storage.publishMany(Array.from({ length: 2000 }, (_, i) => String(i + 1)))
    await at.storage.setPolicy({ kind: 'last', count: 1 })
    await at.storage.expire()
    const queue = await at.storage.declareQueue('q')
    await at.storage.distribute({ pollMs: 20 })
    await eventually('the last one is enqueued', async () => (await queue.counts()).total === 1)
    t.equal((await queue.fetch())[0].storageUid, 2000)
  },
  'the upkeep of distribution applies policy and leases by itself': async (t, at) => {
    const queue = await at.storage.declareQueue('q', { leaseMs: 1 })
    await fill(at, 'q', 4)
    await queue.fetch(1)
    await at.storage.setPolicy({ kind: 'last', count: 2 })
    await at.storage.distribute({ pollMs: 10, upkeepMs: 10 })
    await eventually('two are left and idle', async () => {
      const { total, idle } = await queue.counts()
      return total === 2 && idle === 2
    })
    t.equal(await at.storage.messageCount(), 2)
  },
}
