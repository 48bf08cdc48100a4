import t from 'tap'
import { ChangeFeed } from '../../src/exec/change-feed.js'
import type { ClientSession } from '../../src/exec/session.js'
import { requestOf } from '../../src/resp/request.js'
import { FakeSink } from '../support/exec-harness.js'

function setUp() {
  const inner = new FakeSink()
  const feed = new ChangeFeed(inner, name => name === 'XNODELIMITS')
  const follower = () => {
    const client = { following: false, closing: false, sent: '' }
    const push = (chunks: readonly Buffer[]) => void (client.sent += Buffer.concat([...chunks]).toString('latin1'))
    return Object.assign(client, { push }) as unknown as ClientSession & { sent: string; closing: boolean }
  }
  /** One record of commands: [database, word …]. */
  const record = (...changes: (readonly [number, ...string[]])[]) => {
    feed.begin(1)
    for (const [database, ...words] of changes) {
      const request = requestOf(words)
      feed.add(database, request.buffer, request.from, request.to)
    }
    feed.end()
  }
  const words = (client: { sent: string }) => {
    const text = client.sent.split('\r\n').filter(line => line !== '' && !/^[*$]/.test(line))
    client.sent = ''
    return text.join(' ')
  }
  return { inner, feed, follower, record, words }
}

t.test('everything reaches the journal; a follower gets what comes after it began', async t => {
  const { inner, feed, follower, record, words } = setUp()
  record([0, 'SET', 'a', '1'])
  const client = follower()
  feed.follow(client)
  t.ok(client.following)
  record([0, 'SET', 'b', '2'])
  record([0, 'SET', 'c', '3'])
  t.equal(words(client), 'SELECT 0 SET b 2 SET c 3')
  t.same(inner.records, [['0:SET a 1'], ['0:SET b 2'], ['0:SET c 3']])
})

t.test('SELECT stands before another database, MULTI and EXEC around what belongs together', async t => {
  const { feed, follower, record, words } = setUp()
  const client = follower()
  feed.follow(client)
  record([1, 'SET', 'a', '1'], [1, 'SET', 'b', '1'], [2, 'SET', 'c', '1'])
  t.equal(words(client), 'SELECT 1 MULTI SET a 1 SET b 1 SELECT 2 SET c 1 EXEC')
  const later = follower()
  feed.follow(later)
  record([2, 'DEL', 'a'])
  t.same([words(client), words(later)], ['SELECT 2 DEL a', 'SELECT 2 DEL a'], 'who is new is told the database')
})

t.test('keys that expire belong to nothing around them; commands of the journal are left out', async t => {
  const { feed, follower, words } = setUp()
  const client = follower()
  feed.follow(client)
  feed.begin(1)
  feed.addArguments(0, ['XNODELIMITS', 1, 2])
  feed.addArguments(0, ['DEL', 'a'])
  feed.addArguments(0, ['DEL', Buffer.from('b')])
  feed.end()
  t.equal(words(client), 'SELECT 0 DEL a DEL b')
  feed.begin(1)
  feed.addArguments(0, ['XNODELIMITS', 1, 2])
  feed.end()
  t.equal(words(client), '')
})

t.test('spliced effects arrive whole, abandoned records not at all', async t => {
  const { feed, follower, words } = setUp()
  const client = follower()
  feed.follow(client)
  const request = requestOf(['XADD', 's', '*', 'f', 'v'])
  const cut = request.headerOf(2)
  const piece = Buffer.from('$3\r\n1-1\r\nrest')
  feed.begin(1)
  feed.addSpliced(0, request.buffer, request.from, request.to, cut, request.headerOf(3), piece, 9)
  feed.end()
  t.equal(words(client), 'SELECT 0 XADD s 1-1 f v')
  feed.begin(1)
  feed.addArguments(0, ['DEL', 'a'])
  feed.abandon()
  feed.begin(1)
  feed.addArguments(0, ['DEL', 'b'])
  feed.end()
  t.equal(words(client), 'DEL b')
})

t.test('who has gone is forgotten', async t => {
  const { feed, follower, record } = setUp()
  const client = follower()
  feed.follow(client)
  client.closing = true
  record([0, 'SET', 'a', '1'])
  client.closing = false
  record([0, 'SET', 'b', '1'])
  t.equal(client.sent, '')
})
