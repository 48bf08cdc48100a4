import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('PING, ECHO and SELECT answer as redis-server', t =>
  sameAsRedis(t, [
    'PING',
    'PING hello',
    'PING a b',
    'ECHO',
    ['ECHO', 'a b'],
    'SELECT abc',
    'SELECT 16',
    'SELECT -1',
    'SELECT 99999999999',
    'SELECT 3',
    'SELECT',
    'RESET x',
  ]),
)

t.test('PING of a RESP2 subscriber is told from a message', async t => {
  const server = new FakeServer()
  server.me.subscriber = true
  t.equal(server.ask('PING'), '*2\r\n$4\r\npong\r\n$0\r\n\r\n')
  t.equal(server.ask('PING', 'x'), '*2\r\n$4\r\npong\r\n$1\r\nx\r\n')
  server.me.protocol = 3
  t.equal(server.ask('PING'), '+PONG\r\n')
})

t.test('SELECT changes the database of the connection', async t => {
  const server = new FakeServer()
  t.equal(server.ask('SELECT', '15'), '+OK\r\n')
  t.equal(server.me.databaseIndex, 15)
})

t.test('QUIT closes after the reply', async t => {
  const server = new FakeServer()
  t.equal(server.ask('QUIT', 'now'), '+OK\r\n')
  t.same(server.me.log, ['close after-reply'])
})
