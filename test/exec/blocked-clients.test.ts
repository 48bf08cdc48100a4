import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { BlockedClients, Waiter } from '../../src/exec/blocked-clients.js'
import type { WaitingCommand } from '../../src/exec/blocked-clients.js'
import { Deadlines } from '../../src/exec/deadlines.js'

/** The queues do not look at it. */
const COMMAND = {} as WaitingCommand

function setUp(t: { teardown(fn: () => void): void }) {
  const clock = new FakeClock(0)
  const deadlines = new Deadlines(() => clock.monotonicUs() / 1000)
  t.teardown(() => deadlines.close())
  const blocked = new BlockedClients<string>(deadlines)
  const timedOut: string[] = []
  const wait = (session: string, keys: string[], timeoutMs = 0, database = 0) => {
    const parts = { keys, timeoutMs, kind: 'stream', serve: () => true, onTimeout: () => undefined }
    const waiter = new Waiter(session, parts, database, COMMAND)
    blocked.add(waiter, late => timedOut.push(late.session))
    return waiter
  }
  const served = (serve: (session: string, key: string) => boolean = () => true) => {
    const order: string[] = []
    blocked.serveReady((waiter, key) => {
      const done = serve(waiter.session, key)
      if (done) order.push(`${waiter.session}:${key}`)
      return done
    })
    return order
  }
  return { clock, deadlines, blocked, timedOut, wait, served }
}

t.test('waiters of a touched key are tried first come first served; those not served stay', async t => {
  const { blocked, wait, served } = setUp(t)
  wait('a', ['k'])
  wait('b', ['k'])
  wait('c', ['k'])
  wait('d', ['other'])
  blocked.touch(0, 'k')
  t.ok(blocked.hasReady)
  let items = 2
  t.same(
    served(() => items-- > 0),
    ['a:k', 'b:k'],
  )
  t.equal(blocked.count, 2)
  blocked.touch(0, 'k')
  t.same(served(), ['c:k'])
  t.equal(blocked.keyCount, 1)
})

t.test('nobody is woken by another key or database', async t => {
  const { blocked, wait } = setUp(t)
  wait('a', ['k'])
  blocked.touch(0, 'x')
  blocked.touch(1, 'k')
  t.notOk(blocked.hasReady)
  blocked.touchAll(1)
  t.notOk(blocked.hasReady)
  blocked.touchAll(0)
  t.ok(blocked.hasReady)
})

t.test('who waits for several keys leaves all their queues at once', async t => {
  const { blocked, wait, served } = setUp(t)
  wait('a', ['k1', 'k2'])
  blocked.touch(0, 'k2')
  blocked.touch(0, 'k1')
  t.same(served(), ['a:k2'])
  t.equal(blocked.count, 0)
  t.equal(blocked.keyCount, 0)
})

t.test('serving one may make another key ready; it goes on until nothing is', async t => {
  const { blocked, wait, served } = setUp(t)
  wait('mover', ['source'])
  wait('reader', ['target'])
  blocked.touch(0, 'source')
  const order = served((session, key) => {
    if (session === 'mover') blocked.touch(0, 'target')
    return key !== ''
  })
  t.same(order, ['mover:source', 'reader:target'])
})

t.test('a waiter that was removed while others were served is left alone', async t => {
  const { blocked, wait, served } = setUp(t)
  wait('a', ['k'])
  const b = wait('b', ['k'])
  blocked.touch(0, 'k')
  t.same(
    served(session => {
      if (session === 'a') blocked.remove(b)
      return true
    }),
    ['a:k'],
  )
})

t.test('a wait ends at its time, but not after it was served', async t => {
  const { clock, deadlines, blocked, timedOut, wait, served } = setUp(t)
  wait('late', ['k1'], 10)
  wait('served', ['k2'], 10)
  wait('patient', ['k3'])
  blocked.touch(0, 'k2')
  served()
  clock.advance(10)
  deadlines.run()
  t.same(timedOut, ['late'])
  t.equal(blocked.count, 1)
})

t.test(
  'when one who takes all there is goes hungry, others of its kind are not asked, those of another kind are',
  async t => {
    const { blocked } = setUp(t)
    const asked: string[] = []
    const add = (session: string, kind: string, exclusive: boolean) => {
      const parts = { keys: ['k'], timeoutMs: 0, kind, exclusive, serve: () => true, onTimeout: () => undefined }
      blocked.add(new Waiter(session, parts, 0, COMMAND), () => undefined)
    }
    for (const [session, kind] of ['list', 'list', 'stream', 'list', 'zset', 'stream'].entries()) {
      add(String(session), kind, kind !== 'stream')
    }
    blocked.touch(0, 'k')
    blocked.serveReady(waiter => {
      asked.push(waiter.session)
      return waiter.session === '0'
    })
    t.same(asked, ['0', '1', '2', '4', '5'])
  },
)

t.test('who is served and comes back waits for the next turn', async t => {
  const { blocked, wait } = setUp(t)
  wait('a', ['k'])
  wait('b', ['k'])
  blocked.touch(0, 'k')
  const asked: string[] = []
  blocked.serveReady(waiter => {
    asked.push(waiter.session)
    if (asked.length < 10) wait(waiter.session, ['k'])
    return true
  })
  t.same(asked, ['a', 'b'])
  t.equal(blocked.count, 2)
})
