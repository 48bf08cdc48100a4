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
  const due: string[] = []
  const blocked: BlockedClients<string> = new BlockedClients(deadlines, waiter => {
    due.push(waiter.session)
    blocked.makeDue(waiter)
  })
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
  return { clock, deadlines, blocked, timedOut, due, wait, served }
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

t.test(
  'a wait that asks for a time is served at that time without a touch, and asked again until it is served',
  async t => {
    const { clock, deadlines, blocked, due, served } = setUp(t)
    const wait = {
      keys: ['k', 'l'],
      timeoutMs: 0,
      kind: 'stream',
      retryMs: 10,
      serve: () => true,
      onTimeout: () => undefined,
    }
    const waiter = new Waiter('a', wait, 0, COMMAND)
    blocked.add(waiter, () => undefined)
    clock.advance(9)
    deadlines.run()
    t.same(due, [])
    clock.advance(1)
    deadlines.run()
    t.same(due, ['a'])
    t.ok(blocked.hasReady)
    wait.retryMs = 5
    const asked: string[] = []
    t.same(
      served((_, key) => {
        asked.push(key)
        return false
      }),
      [],
    )
    t.same(asked, ['k', 'l'], 'at each of its keys')
    t.notOk(blocked.hasReady)
    clock.advance(4)
    blocked.touch(0, 'l')
    t.same(
      served(() => false),
      [],
      'a touch sets the time anew',
    )
    clock.advance(4)
    deadlines.run()
    t.same(due, ['a'])
    clock.advance(1)
    deadlines.run()
    t.same(served(), ['a:k'])
    t.equal(blocked.count, 0)
    clock.advance(100)
    deadlines.run()
    t.same(due, ['a', 'a'], 'who was served is not due any more')
  },
)

t.test('a wait that left before its time is not served', async t => {
  const { clock, deadlines, blocked, due, served } = setUp(t)
  const wait = { keys: ['k'], timeoutMs: 0, kind: 'stream', retryMs: 10, serve: () => true, onTimeout: () => undefined }
  const [a, b] = ['a', 'b'].map(name => new Waiter(name, wait, 0, COMMAND))
  blocked.add(a, () => undefined)
  blocked.add(b, () => undefined)
  blocked.remove(a)
  clock.advance(10)
  deadlines.run()
  blocked.remove(b)
  t.same(due, ['b'])
  t.same(served(), [], 'due, and gone since')
})
