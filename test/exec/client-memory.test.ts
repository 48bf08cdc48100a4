import t from 'tap'
import { ClientMemory } from '../../src/exec/client-memory.js'
import type { ClientSession } from '../../src/exec/session.js'
import { SessionRegistry } from '../../src/exec/session-registry.js'
import { createLog } from '../../src/base/log.js'

function setUp(...sizes: number[]) {
  const sessions = new SessionRegistry()
  const closed: number[] = []
  const lines: string[] = []
  const evicted = { count: 0 }
  const clients = sizes.map(memoryBytes => {
    const client = { id: sessions.newId(), address: 'a:1', memoryBytes, noEvict: false, notedBytes: 0 }
    const session = Object.assign(client, {
      notedEvictableBytes: 0,
      close() {
        closed.push(client.id)
        client.memoryBytes = 0
      },
    })
    sessions.add(session as unknown as ClientSession)
    return session
  })
  const memory = new ClientMemory({
    sessions,
    log: createLog('debug', { write: line => void lines.push(line) }),
    evicted: () => evicted.count++,
  })
  t.teardown(() => memory.stop())
  const note = (i: number) => memory.note(clients[i] as unknown as ClientSession)
  return { memory, clients, closed, evicted, note, lines }
}

t.test('the sum follows each client that is noted, and one that has gone counts no more', async t => {
  const { memory, clients, note } = setUp(100, 20)
  memory.noteAll()
  t.equal(memory.bytes, 120)
  clients[1].memoryBytes = 50
  t.equal(memory.bytes, 120, 'not before it is noted')
  note(1)
  t.equal(memory.bytes, 150)
  clients[0].memoryBytes = 0
  note(0)
  t.equal(memory.bytes, 50)
})

t.test('above the limit the largest go, and no more than must', async t => {
  const { memory, closed, evicted, lines } = setUp(100, 300, 200, 50)
  memory.bytesMax = 651
  memory.enforce()
  t.same(closed, [], 'the limit itself may be reached')
  memory.bytesMax = 349
  t.ok(memory.over)
  memory.enforce()
  t.same(closed, [2, 3])
  t.equal(evicted.count, 2)
  t.equal(memory.bytes, 150)
  t.match(lines.join(''), /Evicting client id=2 addr=a:1/)
})

t.test('a client with NO-EVICT neither counts nor goes', async t => {
  const { memory, clients, closed } = setUp(1000, 10, 20)
  clients[0].noEvict = true
  memory.bytesMax = 30
  t.equal(memory.over, false)
  t.equal(memory.bytes, 1030, 'though it uses memory like any other')
  memory.bytesMax = 25
  memory.enforce()
  t.same(closed, [3])
  clients[0].noEvict = false
  memory.noteAll()
  memory.enforce()
  t.same(closed, [3, 1])
})

t.test('what is too much goes by itself between commands', async t => {
  const { memory, clients, closed, note } = setUp(10, 10)
  memory.bytesMax = 100
  clients[0].memoryBytes = 1000
  note(0)
  t.same(closed, [], 'not within the command that made it so')
  await new Promise(resolve => setImmediate(resolve))
  t.same(closed, [1])
})

t.test('a client that has gone counts no more, though nobody needed the sums at that moment', async t => {
  const { memory, clients } = setUp(100, 20)
  memory.noteAll()
  // Whatever its buffers still say.
  memory.forget(clients[0] as unknown as ClientSession)
  t.equal(memory.bytes, 20)
  memory.forget(clients[0] as unknown as ClientSession)
  t.equal(memory.bytes, 20, 'once')
  memory.bytesMax = 10
  t.equal(memory.over, true)
  memory.forget(clients[1] as unknown as ClientSession)
  memory.forget(clients[0] as unknown as ClientSession)
  t.equal(memory.over, false)
})
