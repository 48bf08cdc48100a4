import t from 'tap'
import { OutputLimits } from '../../src/exec/output-limits.js'
import type { ClientSession } from '../../src/exec/session.js'

function setUp(outputBytes: number, subscriber = false) {
  const closed: string[] = []
  const logged: string[] = []
  const session = { id: 3, address: '1.2.3.4:5', subscriber, outputBytes, softLimitSinceMs: 0, closed }
  const client = { ...session, close: (when: string) => void closed.push(when) } as unknown as ClientSession & {
    outputBytes: number
  }
  const limits = new OutputLimits(
    {
      normal: { hardBytes: 0, softBytes: 0, softSeconds: 0 },
      replica: { hardBytes: 1, softBytes: 1, softSeconds: 0 },
      pubsub: { hardBytes: 1000, softBytes: 500, softSeconds: 60 },
    },
    message => logged.push(message),
  )
  return { client, limits, closed, logged }
}

t.test('without limits nobody goes', async t => {
  const { client, limits, closed } = setUp(1e12)
  t.equal(limits.check(client, 0), false)
  t.same(closed, [])
})

t.test('the hard limit closes at once, and says who', async t => {
  const { client, limits, closed, logged } = setUp(999, true)
  t.equal(limits.check(client, 0), false)
  client.outputBytes = 1000
  t.equal(limits.check(client, 0), true)
  t.same(closed, ['now'])
  t.same(logged, ['Client id=3 addr=1.2.3.4:5 closed for overcoming of output buffer limits.'])
})

t.test('the soft limit closes when it was passed for too long without a break', async t => {
  const { client, limits, closed } = setUp(500, true)
  t.equal(limits.check(client, 1000), false)
  client.outputBytes = 499
  t.equal(limits.check(client, 50_000), false)
  client.outputBytes = 700
  t.equal(limits.check(client, 60_000), false)
  t.equal(limits.check(client, 120_000), false)
  t.equal(limits.check(client, 120_001), true)
  t.same(closed, ['now'])
})

t.test('limits can be changed for clients that are there', async t => {
  const { client, limits } = setUp(10)
  limits.limits = { ...limits.limits, normal: { hardBytes: 10, softBytes: 0, softSeconds: 0 } }
  t.equal(limits.check(client, 0), true)
})

t.test('a command may ask whether its client will have to go', async t => {
  const { client, limits } = setUp(999, true)
  t.equal(limits.isFull(client), false)
  client.outputBytes = 1000
  t.equal(limits.isFull(client), true)
  t.equal(limits.isFull(setUp(1e12).client), false, 'not without a limit')
})

t.test('who is above the soft limit goes without another command', async t => {
  const { client, limits, closed } = setUp(500, true)
  let now = 1000
  limits.check(client, now)
  limits.watch([client], () => now)
  t.teardown(() => limits.stop())
  now = 61_001
  for (let i = 0; i < 400 && closed.length === 0; i++) await new Promise(resolve => setTimeout(resolve, 10))
  t.same(closed, ['now'])
})
