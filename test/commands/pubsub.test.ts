import t from 'tap'
import { pubsubCommands } from '../../src/commands/pubsub.js'
import { ExecHarness } from '../support/exec-harness.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const harness = new ExecHarness(pubsubCommands)
  t.teardown(() => harness.close())
  const [one, asker] = [harness.client(), harness.client()]
  one.session.protocol = 3
  /** Bulks of the reply, without the lengths. */
  const ask = (line: string) =>
    asker
      .ask(...line.split(' '))
      .replace(/\$\d+\r\n/g, '')
      .replaceAll('\r\n', ' ')
      .trim()
  return { harness, one, ask }
}

t.test('PUBSUB lists and counts channels, patterns and shard channels apart', async t => {
  const { one, ask } = setUp(t)
  one.ask('SUBSCRIBE', 'news', 'nets', 'art')
  one.ask('PSUBSCRIBE', 'n*')
  one.ask('SSUBSCRIBE', 'shard')
  t.equal(ask('PUBSUB CHANNELS'), '*3 news nets art')
  t.equal(ask('PUBSUB CHANNELS ne*'), '*2 news nets')
  t.equal(ask('PUBSUB NUMSUB art shard art'), '*6 art :1 shard :0 art :1')
  t.equal(ask('PUBSUB NUMPAT'), ':1')
  t.equal(ask('PUBSUB SHARDCHANNELS'), '*1 shard')
  t.equal(ask('PUBSUB SHARDNUMSUB shard art'), '*4 shard :1 art :0')
})

t.test('UNSUBSCRIBE without a name leaves all, and says so when there was none', async t => {
  const { one, ask } = setUp(t)
  one.ask('SUBSCRIBE', 'a', 'b')
  t.equal(one.ask('UNSUBSCRIBE').match(/unsubscribe/g)?.length, 2)
  t.equal(one.ask('UNSUBSCRIBE'), '>3\r\n$11\r\nunsubscribe\r\n_\r\n:0\r\n')
  t.equal(one.ask('PUNSUBSCRIBE', 'x'), '>3\r\n$12\r\npunsubscribe\r\n$1\r\nx\r\n:0\r\n')
  t.equal(ask('PUBSUB CHANNELS'), '*0')
})

t.test('nothing of it is journaled', async t => {
  const { harness, one, ask } = setUp(t)
  one.ask('SUBSCRIBE', 'a')
  ask('PUBLISH a x')
  ask('SPUBLISH a x')
  t.same(harness.sink.records, [])
})
