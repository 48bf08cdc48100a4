import t from 'tap'
import type { QueueBackend } from '../../src/queue/queue-backend.js'
import { Publisher } from '../../src/queue/publisher.js'
import { StorageFailure } from '../../src/queue/queue-errors.js'

interface Asked {
  sequence: number
  bodies: string[]
}

/** A backend of which only `store` is there; `fails` says how it fails, by turns. */
function publisher(fails: (StorageFailure | undefined)[], retryMs = 1_000_000) {
  const asked: Asked[] = []
  const stop = new AbortController()
  const failures: Error[] = []
  let nowMs = 0
  const store: QueueBackend['store'] = async (_storage, _producer, sequence, bodies) => {
    asked.push({ sequence, bodies: bodies.map(String) })
    nowMs += 10
    const error = fails.shift()
    if (error !== undefined) throw error
    return { firstUid: asked.length * 100, publishedUs: 5 }
  }
  const made = new Publisher({
    backend: { store } as QueueBackend,
    storage: 's',
    producer: 'p',
    retryMs,
    nowMs: () => nowMs,
    signal: stop.signal,
    onFailure: error => failures.push(error),
  })
  return { made, asked, stop, failures }
}

const gone = () => new StorageFailure('unreachable', 'store', new Error('Connection is closed.'))

t.test('messages that come together share a script and get consecutive uids', async t => {
  const { made, asked } = publisher([])
  const messages = await Promise.all(['a', 'b', 'c'].map(body => made.publish(Buffer.from(body))))
  t.same(asked, [{ sequence: 1, bodies: ['a', 'b', 'c'] }])
  t.same(
    messages.map(({ uid, publishedUs }) => [uid, publishedUs]),
    [
      [100, 5],
      [101, 6],
      [102, 7],
    ],
  )
})

t.test('a lost answer is asked for again under the same number', async t => {
  const { made, asked, failures } = publisher([gone(), gone()])
  t.equal((await made.publish(Buffer.from('a'))).uid, 300)
  await made.publish(Buffer.from('b'))
  t.same(
    asked.map(({ sequence }) => sequence),
    [1, 1, 1, 2],
  )
  t.equal(failures.length, 2, 'each time is told')
})

t.test('it gives up in time, at its signal, and at once when the server refuses', async t => {
  const late = publisher([gone(), gone(), gone()], 15)
  await t.rejects(late.made.publish(Buffer.from('a')), { code: 'unreachable' })
  t.equal(late.asked.length, 2)
  const stopped = publisher([gone(), gone()])
  stopped.stop.abort()
  await t.rejects(stopped.made.publish(Buffer.from('a')), { code: 'unreachable' })
  const refused = publisher([new StorageFailure('oom', 'store', new Error('OOM'))])
  await t.rejects(refused.made.publish(Buffer.from('a')), { code: 'oom' })
  t.equal(refused.asked.length, 1)
})
