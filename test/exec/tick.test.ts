import t from 'tap'
import type { ClientSession } from '../../src/exec/session.js'
import { Tick } from '../../src/exec/tick.js'
import type { Commit } from '../../src/exec/tick.js'

/** A tick whose commits are answered when the test does so, and sessions that note what happens to them. */
function setUp() {
  const events: string[] = []
  const commits: Parameters<Commit>[0][] = []
  const tick = new Tick(done => {
    events.push('commit')
    commits.push(done)
  })
  const session = (name: string) => {
    const self = {
      enlisted: false,
      seal: () => {
        self.enlisted = false
        events.push(`seal ${name}`)
        return name
      },
      release: (output: string) => events.push(`release ${output}`),
      close: (when: string) => events.push(`close ${name} ${when}`),
      goOn: () => events.push(`go on ${name}`),
    }
    return self as unknown as ClientSession
  }
  return { events, commits, tick, session }
}

t.test('output is sealed, then committed, and leaves when that is done', async t => {
  const { events, commits, tick, session } = setUp()
  const [a, b] = [session('a'), session('b')]
  for (const each of [a, b, a]) tick.enlist(each)
  tick.end()
  t.same(events, ['seal a', 'seal b', 'commit'])
  commits[0]()
  t.same(events.slice(3), ['release a', 'release b'])
})

t.test('what was lost is not answered: the connections break', async t => {
  const { events, commits, tick, session } = setUp()
  tick.enlist(session('a'))
  tick.end()
  commits[0]('MISCONF lost')
  t.same(events.at(-1), 'close a now')
})

t.test('a tick does not wait for the commit of the one before', async t => {
  const { events, commits, tick, session } = setUp()
  const a = session('a')
  tick.enlist(a)
  tick.end()
  tick.enlist(a)
  tick.end()
  t.equal(commits.length, 2)
  t.same(events, ['seal a', 'commit', 'seal a', 'commit'])
})

t.test('clients that may go on do so first, and what they do belongs to this tick', async t => {
  const { events, tick, session } = setUp()
  const [a, b] = [session('a'), session('b')]
  a.goOn = () => {
    events.push('a goes on')
    tick.enlist(a)
    tick.resume(b)
  }
  tick.resume(a)
  tick.begun = true
  tick.end()
  t.same(events, ['a goes on', 'go on b', 'seal a', 'commit'])
  t.equal(tick.begun, false)
})

t.test('a tick ends by itself behind what else is readable in this turn, once', async t => {
  const { events, tick, session } = setUp()
  tick.enlist(session('a'))
  tick.schedule()
  t.same(events, [])
  await new Promise(resolve => setImmediate(resolve))
  t.same(events, ['seal a', 'commit'])
  await new Promise(resolve => setImmediate(resolve))
  t.same(events.length, 2)
})

t.test('what was heard in a turn of the event loop is seen to at its end, once', async t => {
  const { events, tick, session } = setUp()
  const [a, b] = [session('a'), session('b')]
  tick.turnBegins()
  tick.enlist(a)
  tick.resume(b)
  t.same(events, [])
  tick.turnEnds()
  t.same(events, ['go on b', 'seal a', 'commit'])
  tick.turnBegins()
  tick.turnEnds()
  await new Promise(resolve => setImmediate(resolve))
  t.equal(events.length, 3, 'nothing is left for later')
})

t.test('what happens outside of a turn is seen to when the event loop comes round', async t => {
  const { events, tick, session } = setUp()
  tick.enlist(session('a'))
  t.same(events, [])
  await new Promise(resolve => setImmediate(resolve))
  t.same(events, ['seal a', 'commit'])
})
