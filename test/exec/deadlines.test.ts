import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { Deadlines } from '../../src/exec/deadlines.js'
import { seeded } from '../support/seeded.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const clock = new FakeClock(0)
  const deadlines = new Deadlines(() => clock.monotonicUs() / 1000)
  t.teardown(() => deadlines.close())
  return { clock, deadlines }
}

t.test('what is due runs, in the order of the deadlines, once', async t => {
  const { clock, deadlines } = setUp(t)
  const ran: string[] = []
  deadlines.add(30, () => ran.push('c'))
  deadlines.add(10, () => ran.push('a'))
  deadlines.add(20, () => ran.push('b'))
  deadlines.run()
  t.same(ran, [])
  clock.advance(20)
  deadlines.run()
  t.same(ran, ['a', 'b'])
  clock.advance(1000)
  deadlines.run()
  deadlines.run()
  t.same(ran, ['a', 'b', 'c'])
  t.equal(deadlines.size, 0)
})

t.test('what was cancelled never runs', async t => {
  const { clock, deadlines } = setUp(t)
  const ran: number[] = []
  const all = Array.from({ length: 200 }, (_, i) => deadlines.add(i, () => ran.push(i)))
  for (const [i, deadline] of all.entries()) if (i % 3 !== 0) deadlines.cancel(deadline)
  deadlines.cancel(all[1])
  t.equal(deadlines.size, 67)
  clock.advance(500)
  deadlines.run()
  t.same(
    ran,
    Array.from({ length: 67 }, (_, i) => i * 3),
  )
})

t.test('random deadlines come up in order', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const { clock, deadlines } = setUp(t)
  const ran: number[] = []
  for (let i = 0; i < 500; i++) {
    const atMs = random.between(0, 100)
    deadlines.add(atMs, () => ran.push(atMs))
  }
  clock.advance(100)
  deadlines.run()
  t.equal(ran.length, 500)
  t.same(
    ran,
    ran.toSorted((a, b) => a - b),
  )
})

t.test('the timer calls without help', async t => {
  const deadlines = new Deadlines(() => performance.now())
  await new Promise<void>(resolve => {
    const keepAlive = setTimeout(() => undefined, 5000)
    deadlines.add(1, () => {
      clearTimeout(keepAlive)
      resolve()
    })
  })
  t.equal(deadlines.size, 0)
})
