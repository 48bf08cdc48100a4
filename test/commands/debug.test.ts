import t from 'tap'
import { StringValue } from '../../src/types/string/string-value.js'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

const ALLOWED = ['--enable-debug-command', 'yes']
const allow = (server: FakeServer) => {
  server.context.config.values.enableDebugCommand = 'yes'
}

t.test('DEBUG is off unless the configuration allows it', t => sameAsRedis(t, ['DEBUG SLEEP 0', 'DEBUG HELP']))

t.test('local allows loopback and Unix sockets only', async t => {
  const server = new FakeServer()
  server.context.config.values.enableDebugCommand = 'local'
  for (const address of ['127.0.0.1:5', '[::1]:5', '/tmp/x:0']) {
    server.me.address = address
    t.equal(server.ask('DEBUG', 'SLEEP', '0'), '+OK\r\n', address)
  }
  server.me.address = '10.0.0.1:5'
  t.match(server.ask('DEBUG', 'SLEEP', '0'), /^-ERR DEBUG command not allowed/)
})

const KINDS = 'string integer double null array set map attrib verbatim true false bignum foo'.split(' ')

t.test('DEBUG answers as redis-server', t =>
  sameAsRedis(
    t,
    [
      'DEBUG',
      'DEBUG foo',
      'DEBUG SLEEP',
      'DEBUG sleep 0',
      'DEBUG SET-ACTIVE-EXPIRE 1',
      'DEBUG OBJECT nokey',
      'DEBUG DIGEST',
      'DEBUG DIGEST-VALUE nokey',
      'DEBUG HTSTATS 99',
      'DEBUG HTSTATS-KEY nokey',
      'DEBUG CHANGE-REPL-ID',
      'DEBUG QUICKLIST-PACKED-THRESHOLD 10b',
      'DEBUG QUICKLIST-PACKED-THRESHOLD abc',
      'DEBUG PAUSE-CRON 0',
      'DEBUG LOG hello',
      'DEBUG RELOAD foo',
      ['DEBUG', 'ERROR', 'ERR abc'],
      ...KINDS.map(kind => `DEBUG PROTOCOL ${kind}`),
    ],
    ALLOWED,
    allow,
  ),
)

t.test('PROTOCOL push sends a push and then a reply, in RESP3 alone', async t => {
  const server = new FakeServer()
  allow(server)
  t.equal(server.ask('DEBUG', 'PROTOCOL', 'push'), '-ERR RESP2 is not supported by this command\r\n')
  server.me.protocol = 3
  t.equal(
    server.ask('DEBUG', 'PROTOCOL', 'push'),
    '>2\r\n$16\r\nserver-cpu-usage\r\n:42\r\n$40\r\nSome real reply following the push reply\r\n',
  )
})

t.test('SLEEP, SET-ACTIVE-EXPIRE and RELOAD reach the server', async t => {
  const server = new FakeServer()
  allow(server)
  server.ask('DEBUG', 'SLEEP', '0.5')
  server.ask('DEBUG', 'SET-ACTIVE-EXPIRE', '0')
  t.equal(server.context.server.activeExpire, false)
  t.equal(await server.askLater('DEBUG', 'RELOAD'), '+OK\r\n')
  t.equal(await server.askLater('DEBUG', 'LOADAOF'), '+OK\r\n')
  t.same(server.log, ['sleep 0.5', 'reload true', 'reload false'])
  server.reloadFails = true
  t.equal(await server.askLater('DEBUG', 'RELOAD', 'NOSAVE'), '-ERR Error trying to load the data: broken\r\n')
})

t.test('POPULATE creates strings and journals them', async t => {
  const server = new FakeServer()
  allow(server)
  t.equal(server.ask('DEBUG', 'POPULATE', '2', 'k', '4'), '+OK\r\n')
  t.same(server.context.effects, ['SET k:0 valu', 'SET k:1 valu'])
  t.equal(server.context.db.size, 2)
  t.match(
    server.ask('DEBUG', 'OBJECT', 'k:0'),
    /^\+Value at:0x[0-9a-f]+ refcount:1 encoding:embstr serializedlength:\d+ lru:/,
  )
})

t.test('DIGEST depends on content and not on order', async t => {
  const digest = (keys: readonly string[]) => {
    const server = new FakeServer()
    allow(server)
    for (const key of keys) {
      const value = StringValue.create(server.context.rows, key)
      Object.assign(value, { digest: (feed: (bytes: Uint8Array) => void) => feed(Buffer.from(key)) })
      server.context.db.put(key, value)
    }
    return server.ask('DEBUG', 'DIGEST')
  }
  t.match(digest(['a', 'b']), /^\+[0-9a-f]{40}\r\n$/)
  t.equal(digest(['a', 'b']), digest(['b', 'a']))
  t.not(digest(['a', 'b']), digest(['a', 'c']))
})
