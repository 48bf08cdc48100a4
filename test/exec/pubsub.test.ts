import t from 'tap'
import { connectionCommands } from '../../src/commands/connection.js'
import { pubsubCommands } from '../../src/commands/pubsub.js'
import { ExecHarness } from '../support/exec-harness.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const harness = new ExecHarness([...connectionCommands, ...pubsubCommands])
  t.teardown(() => harness.close())
  return harness
}

/** Bulks of a reply, without the lengths. */
const flat = (reply: string) =>
  reply
    .replace(/\$\d+\r\n/g, '')
    .replaceAll('\r\n', ' ')
    .trim()

t.test('a message goes to channel and pattern, in RESP2 and RESP3, in the order of subscription', async t => {
  const harness = setUp(t)
  const [two, three, speaker] = [harness.client(), harness.client(), harness.client()]
  three.session.protocol = 3
  t.equal(flat(two.ask('SUBSCRIBE', 'a', 'b')), '*3 subscribe a :1 *3 subscribe b :2')
  t.equal(flat(three.ask('PSUBSCRIBE', 'a*', '?')), '>3 psubscribe a* :1 >3 psubscribe ? :2')
  t.equal(speaker.ask('PUBLISH', 'a', 'x'), ':3\r\n')
  t.equal(two.received(), '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n')
  t.equal(flat(three.received()), '>4 pmessage a* a x >4 pmessage ? a x')
  t.equal(speaker.ask('PUBLISH', 'c', 'x'), ':1\r\n')
  t.equal(two.received(), '')
})

t.test('shard channels are a world of their own', async t => {
  const harness = setUp(t)
  const [one, speaker] = [harness.client(), harness.client()]
  one.ask('SSUBSCRIBE', 's')
  one.ask('SUBSCRIBE', 'c')
  t.equal(speaker.ask('PUBLISH', 's', 'x'), ':0\r\n')
  t.equal(speaker.ask('SPUBLISH', 'c', 'x'), ':0\r\n')
  t.equal(speaker.ask('SPUBLISH', 's', 'x'), ':1\r\n')
  t.equal(flat(one.received()), '*3 smessage s x')
  t.equal(flat(one.ask('SUNSUBSCRIBE')), '*3 sunsubscribe s :0', 'shard channels are counted by themselves')
})

t.test('a long message is not copied for each subscriber, and arrives whole', async t => {
  const harness = setUp(t)
  const [one, other, speaker] = [harness.client(), harness.client(), harness.client()]
  one.ask('SUBSCRIBE', 'a')
  other.ask('SUBSCRIBE', 'a')
  const text = 'm'.repeat(100_000)
  speaker.ask('PUBLISH', 'a', text)
  t.ok(one.received().endsWith(`$100000\r\n${text}\r\n`))
  t.ok(other.received().endsWith(`$100000\r\n${text}\r\n`))
})

t.test('a subscribed RESP2 client may do little, until it left everything', async t => {
  const harness = setUp(t)
  const one = harness.client()
  one.ask('SUBSCRIBE', 'a')
  one.ask('SSUBSCRIBE', 's')
  t.match(one.ask('ECHO', 'x'), /^-ERR Can't execute 'echo': only \(P\|S\)SUBSCRIBE/)
  t.equal(flat(one.ask('PING', 'x')), '*2 pong x')
  one.ask('UNSUBSCRIBE')
  t.match(one.ask('ECHO', 'x'), /^-ERR/)
  one.ask('SUNSUBSCRIBE', 's')
  t.equal(flat(one.ask('ECHO', 'x')), 'x')
  one.session.protocol = 3
  one.ask('SUBSCRIBE', 'a')
  t.equal(flat(one.ask('ECHO', 'x')), 'x', 'RESP3 tells messages from replies')
})

t.test('who hears itself hears it after the reply, never inside one', async t => {
  const harness = setUp(t)
  const one = harness.client()
  one.session.protocol = 3
  one.ask('SUBSCRIBE', 'a')
  t.equal(flat(one.ask('PUBLISH', 'a', 'x')), ':1 >3 message a x')
  one.ask('MULTI')
  one.ask('PUBLISH', 'a', '1')
  one.ask('ECHO', 'e')
  t.equal(flat(one.ask('EXEC')), '*2 :1 e >3 message a 1')
})

t.test('CLIENT REPLY OFF silences replies, not confirmations and messages', async t => {
  const harness = setUp(t)
  const one = harness.client()
  one.ask('CLIENT', 'REPLY', 'OFF')
  t.equal(flat(one.ask('SUBSCRIBE', 'a')), '*3 subscribe a :1')
  t.equal(one.ask('PING'), '')
  harness.client().ask('PUBLISH', 'a', 'x')
  t.equal(flat(one.received()), '*3 message a x')
})

t.test('RESET and the end of a connection leave everything, without a word', async t => {
  const harness = setUp(t)
  const { pubsub } = harness.executor
  const [one, other] = [harness.client(), harness.client()]
  for (const client of [one, other]) {
    client.ask('SUBSCRIBE', 'a')
    client.ask('PSUBSCRIBE', 'p')
    client.ask('SSUBSCRIBE', 's')
  }
  t.equal(pubsub.subscriberCount('channel', 'a'), 2)
  t.equal(one.ask('RESET'), '+RESET\r\n')
  t.equal(pubsub.subscriberCount('channel', 'a'), 1)
  t.equal(one.session.subscriber, false)
  other.session.onClose()
  t.same([...pubsub.names('channel'), ...pubsub.names('pattern'), ...pubsub.names('shard')], [])
  t.notOk(pubsub.anybody)
})

t.test('a subscriber that takes nothing is closed at the limit of its class', async t => {
  const harness = setUp(t)
  const [one, speaker] = [harness.client(), harness.client()]
  const { pubsub } = harness.config.values.clientOutputBufferLimit
  one.ask('SUBSCRIBE', 'a')
  const text = 'm'.repeat(pubsub.hardBytes / 4)
  for (let i = 0; i < 3; i++) speaker.send('PUBLISH', 'a', text)
  t.notOk(one.session.closing)
  speaker.send('PUBLISH', 'a', text)
  t.ok(one.transport.destroyed)
  harness.endTick()
  t.equal(speaker.ask('PUBLISH', 'a', text).split('\r\n').at(-2), ':0', 'who goes is no receiver')
})

t.test('messages leave with the tick that made them, not before it is committed', async t => {
  const harness = setUp(t)
  const [one, speaker] = [harness.client(), harness.client()]
  one.ask('SUBSCRIBE', 'a')
  harness.holdCommits = true
  t.equal(speaker.ask('PUBLISH', 'a', 'x'), '')
  t.equal(one.received(), '')
  for (const done of harness.commits) done()
  t.equal(flat(one.received()), '*3 message a x')
})
