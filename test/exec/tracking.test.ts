import t from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { ExecHarness } from '../support/exec-harness.js'
import type { FakeClient } from '../support/exec-harness.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const commands = commandTable().commands.filter(
    spec => !['multi', 'exec', 'discard', 'watch', 'unwatch'].includes(spec.name),
  )
  const harness = new ExecHarness(commands)
  t.teardown(() => harness.close())
  const client = (...tracking: string[]) => {
    const made = harness.client()
    made.session.protocol = 3
    if (tracking.length > 0) made.ask('CLIENT', 'TRACKING', ...tracking)
    return made
  }
  return { harness, client, tracking: harness.executor.tracking }
}

/** Messages of invalidation among what the client received: their keys, 'all' for all of them. */
function told(client: FakeClient): string[] {
  const messages = client.received().match(/>2\r\n\$10\r\ninvalidate\r\n(_\r\n|\*\d+\r\n(\$\d+\r\n.*\r\n)+)/g) ?? []
  return messages.map(
    text =>
      [...text.matchAll(/\$\d+\r\n(.*)\r\n/g)]
        .slice(1)
        .map(([, key]) => key)
        .join(' ') || 'all',
  )
}

t.test('nothing is asked of tracking before somebody tracks, or after the last key was forgotten', async t => {
  const { client, tracking } = setUp(t)
  const [one, writer] = [client(), client()]
  one.ask('GET', 'k')
  writer.ask('SET', 'k', 1)
  t.equal(tracking.active, false)
  one.ask('CLIENT', 'TRACKING', 'ON')
  t.equal(tracking.active, true)
  one.ask('GET', 'k')
  one.ask('CLIENT', 'TRACKING', 'OFF')
  t.equal(tracking.active, true, 'the key is remembered')
  t.same([tracking.clientCount, tracking.keyCount, tracking.itemCount], [0, 1, 1])
  writer.ask('SET', 'k', 2)
  t.equal(tracking.active, false)
  t.same(told(one), [], 'who stopped hears nothing')
})

t.test('a reader hears once of a change, behind the reply when it is its own', async t => {
  const { harness, client, tracking } = setUp(t)
  const [one, two, writer] = [client('ON'), client('ON'), client()]
  one.ask('MGET', 'a', 'b', 'a')
  two.ask('GET', 'a')
  t.same([tracking.keyCount, tracking.itemCount], [2, 3])
  writer.send('SET', 'a', 1)
  writer.send('SET', 'a', 2)
  harness.endTick()
  t.same(told(one), ['a'])
  t.same(told(two), ['a'])
  t.same([tracking.keyCount, tracking.itemCount], [1, 1])
  t.equal(one.ask('APPEND', 'b', 'xy'), ':2\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nb\r\n')
})

t.test('keys that go by themselves are told, and nobody counts as who changed them', async t => {
  const { harness, client } = setUp(t)
  const [reader, listener] = [client('ON'), client('ON', 'BCAST', 'NOLOOP')]
  listener.ask('SET', 'k', 1, 'PX', 10)
  reader.ask('GET', 'k')
  t.same(told(listener), [], 'its own change')
  harness.clock.advance(20)
  listener.send('GET', 'k')
  harness.endTick()
  t.same(told(reader), ['k'])
  t.same(told(listener), ['k'])
  listener.ask('SET', 'k', 1)
  reader.ask('GET', 'k')
  harness.executor.background(() => harness.executor.removals.evict(harness.executor.keyspace.database(0), 'k', 'DEL'))
  harness.endTick()
  t.same(told(reader), ['k'])
  t.same(told(listener), ['k'])
})

t.test('a key that went before the command is told before the reply', async t => {
  const { harness, client } = setUp(t)
  const one = client('ON')
  harness.config.set([['tracking-table-max-keys', '1']])
  one.send('MGET', 'a', 'b')
  one.send('PING')
  harness.endTick()
  t.equal(one.received(), '*2\r\n_\r\n_\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n+PONG\r\n')
})

t.test('beyond tracking-table-max-keys the keys read first are dropped, more at once each time', async t => {
  const { harness, client, tracking } = setUp(t)
  const one = client('ON')
  for (let i = 0; i < 450; i++) one.send('GET', `key${i}`)
  harness.endTick()
  one.received()
  harness.config.set([['tracking-table-max-keys', '10']])
  harness.executor.background(() => undefined)
  harness.endTick()
  t.same(
    told(one),
    Array.from({ length: 100 }, (_, i) => `key${i}`),
  )
  harness.executor.background(() => undefined)
  harness.endTick()
  t.equal(told(one).length, 200)
  harness.executor.background(() => undefined)
  harness.endTick()
  t.equal(told(one).length, 140)
  t.equal(tracking.keyCount, 10)
  harness.config.set([['tracking-table-max-keys', '0']])
  one.ask('GET', 'more')
  t.equal(tracking.keyCount, 11, '0 is no limit')
})

t.test('broadcasts are one message for each prefix and tick, keys in order', async t => {
  const { harness, client, tracking } = setUp(t)
  const [one, two, writer] = [client('ON', 'BCAST', 'PREFIX', 'b', 'PREFIX', 'a'), client('ON', 'BCAST'), client()]
  t.equal(tracking.prefixCount, 3)
  for (const key of ['b1', 'a2', 'c', 'a1', 'a2']) writer.send('SET', key, 1)
  harness.endTick()
  t.same(told(one), ['a1 a2', 'b1'])
  t.same(told(two), ['a1 a2 b1 c'])
  harness.endTick()
  t.same(told(one), [], 'once')
  one.session.onClose()
  t.equal(tracking.prefixCount, 1, 'prefixes go with their last client')
  two.ask('RESET')
  t.same([tracking.prefixCount, tracking.clientCount, tracking.active], [0, 0, false])
})

t.test('a message to the client that changed the key stands behind its reply', async t => {
  const { client } = setUp(t)
  const receiver = client()
  const reader = client('ON', 'REDIRECT', String(receiver.session.id))
  reader.ask('GET', 'k')
  t.equal(receiver.ask('SET', 'k', 1), '+OK\r\n>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n')
  t.same(told(reader), [])
})

t.test('null for all keys is in the protocol of who is told', async t => {
  const { client } = setUp(t)
  const [receiver, other, writer] = [client(), client(), client()]
  receiver.session.protocol = 2
  receiver.ask('SUBSCRIBE', '__redis__:invalidate')
  client('ON', 'REDIRECT', String(receiver.session.id))
  const second = client()
  second.session.protocol = 2
  second.ask('CLIENT', 'TRACKING', 'ON', 'REDIRECT', other.session.id)
  writer.ask('FLUSHALL')
  t.equal(receiver.received(), '*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n$-1\r\n')
  t.same(told(other), ['all'])
})

t.test('who was to be told and is gone is reported', async t => {
  const { client } = setUp(t)
  const [receiver, writer] = [client(), client()]
  const { id } = receiver.session
  const reader = client('ON', 'REDIRECT', String(id))
  reader.ask('GET', 'k')
  receiver.session.onClose()
  writer.ask('SET', 'k', 1)
  t.equal(reader.received(), `>2\r\n$21\r\ntracking-redir-broken\r\n:${id}\r\n`)
  t.match(reader.ask('CLIENT', 'INFO'), ` flags=tR db=`)
  reader.ask('CLIENT', 'TRACKING', 'ON')
  t.match(reader.ask('CLIENT', 'INFO'), ` flags=t db=`)
})
