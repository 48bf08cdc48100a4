import t from 'tap'
import { pubsubCommands } from '../../src/commands/pubsub.js'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { ExecHarness } from '../support/exec-harness.js'
import type { FakeClient } from '../support/exec-harness.js'

function setUp(t: { teardown(fn: () => void): void }, letters: string) {
  const harness = new ExecHarness([...pubsubCommands, ...keyCommands, ...stringCommands])
  t.teardown(() => harness.close())
  const [listener, client] = [harness.client(), harness.client()]
  listener.ask('PSUBSCRIBE', '*')
  harness.executor.publishEvents(letters)
  return { harness, listener, client }
}

/** '<channel> <message>' of each message received. */
function heard(listener: FakeClient): string[] {
  return [...listener.received().matchAll(/pmessage\r\n\$1\r\n\*\r\n\$\d+\r\n(.*)\r\n\$\d+\r\n(.*)\r\n/g)].map(
    ([, channel, message]) => `${channel} ${message}`,
  )
}

t.test('an event is told by key and by event, as K and E say', async t => {
  const both = setUp(t, 'KE$')
  both.client.ask('SET', 'k', 'v')
  t.same(heard(both.listener), ['__keyspace@0__:k set', '__keyevent@0__:set k'])
  both.harness.executor.publishEvents('K$')
  both.client.ask('SET', 'k', 'v')
  t.same(heard(both.listener), ['__keyspace@0__:k set'])
  both.harness.executor.publishEvents('E$')
  both.client.ask('SET', 'k', 'v')
  t.same(heard(both.listener), ['__keyevent@0__:set k'])
})

t.test('without K and E, or without the class, nothing is told', async t => {
  for (const letters of ['', 'g$', 'KE', 'KEg']) {
    const { client, listener } = setUp(t, letters)
    client.ask('SET', 'k', 'v')
    t.same(heard(listener), [], letters)
  }
})

t.test('new keys and missed ones are told only when n and m ask for it', async t => {
  const { harness, client, listener } = setUp(t, 'E$nm')
  client.ask('GET', 'k')
  client.ask('SET', 'k', 'v')
  client.ask('SET', 'k', 'w')
  t.same(heard(listener), [
    '__keyevent@0__:keymiss k',
    '__keyevent@0__:new k',
    '__keyevent@0__:set k',
    '__keyevent@0__:set k',
  ])
  harness.executor.publishEvents('E$')
  client.ask('GET', 'none')
  client.ask('SET', 'other', 'v')
  t.same(heard(listener), ['__keyevent@0__:set other'])
})

t.test('an expired key is told when it is met, and when the expire cycle finds it', async t => {
  const { harness, client, listener } = setUp(t, 'Ex')
  client.ask('SET', 'a', 'v', 'PX', 10)
  client.ask('SET', 'b', 'v', 'PX', 10)
  harness.clock.advance(100)
  client.ask('GET', 'a')
  t.same(heard(listener), ['__keyevent@0__:expired a'])
  harness.executor.background(() => void harness.executor.keyspace.database(0).expireSome(10))
  harness.endTick()
  t.same(heard(listener), ['__keyevent@0__:expired b'])
})

t.test('during a pause an expired key is not seen, and stays', async t => {
  const { harness, client, listener } = setUp(t, 'Ex')
  client.ask('SET', 'a', 'v', 'PX', 10)
  harness.executor.pause.begin(harness.clock.nowMs() + 1000, 'write', harness.clock.nowMs())
  harness.clock.advance(100)
  t.equal(client.ask('GET', 'a'), '$-1\r\n')
  t.same(heard(listener), [])
  harness.executor.pause.end()
  t.equal(client.ask('GET', 'a'), '$-1\r\n')
  t.same(heard(listener), ['__keyevent@0__:expired a'])
})
