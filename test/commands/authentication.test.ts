import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('without a password AUTH and HELLO answer as redis-server', t =>
  sameAsRedis(t, [
    'AUTH x',
    'AUTH a b',
    'AUTH default x',
    'AUTH a b c',
    'AUTH',
    'HELLO 4',
    'HELLO abc',
    'HELLO 3 AUTH',
    'HELLO 3 foo',
    'HELLO 3 AUTH a b',
    'HELLO 3 SETNAME',
    ['HELLO', '3', 'SETNAME', 'a b'],
  ]),
)

t.test('with a password they answer as redis-server', t =>
  sameAsRedis(t, [
    'CONFIG SET requirepass secret',
    'AUTH wrong',
    'AUTH default wrong',
    'AUTH other secret',
    'HELLO 2 AUTH default wrong',
    'AUTH default secret',
    'AUTH secret',
    ['CONFIG', 'SET', 'requirepass', ''],
  ]),
)

t.test('HELLO needs authentication, and can bring it along', async t => {
  const server = new FakeServer()
  server.context.config.set([['requirepass', 'secret']])
  server.me.authenticated = false
  t.match(server.ask('HELLO', '3'), /^-NOAUTH HELLO must be called with the client already authenticated, otherwise/)
  t.equal(server.me.protocol, 2)
  t.match(
    server.ask('HELLO', '3', 'AUTH', 'default', 'secret', 'SETNAME', 'me'),
    /^%7\r\n\$6\r\nserver\r\n\$5\r\nredis\r\n/,
  )
  t.same([server.me.protocol, server.me.authenticated, server.me.name], [3, true, 'me'])
})

t.test('HELLO tells server, version, protocol and connection', async t => {
  const server = new FakeServer()
  t.equal(
    server.ask('HELLO'),
    '*14\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.2.4\r\n$5\r\nproto\r\n:2\r\n$2\r\nid\r\n:1\r\n' +
      '$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n',
  )
})

t.test('AUTH takes the password as it is, whatever its bytes', async t => {
  const server = new FakeServer()
  server.context.config.set([['requirepass', 'p\xe9 ss']])
  server.me.authenticated = false
  t.match(server.ask('AUTH', 'p\xe9 s'), /^-WRONGPASS/)
  t.equal(server.me.authenticated, false)
  t.equal(server.ask('AUTH', Buffer.from('p\xe9 ss', 'latin1')), '+OK\r\n')
  t.equal(server.me.authenticated, true)
})

t.test('RESET resets the session and says so', async t => {
  const server = new FakeServer()
  t.equal(server.ask('RESET'), '+RESET\r\n')
  t.same(server.me.log, ['reset'])
})
