import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('SHUTDOWN, ROLE and REPLICAOF answer as redis-server', t =>
  sameAsRedis(t, [
    'SHUTDOWN foo',
    'SHUTDOWN ABORT',
    'SHUTDOWN SAVE NOSAVE',
    'SHUTDOWN ABORT NOW',
    'ROLE',
    'REPLICAOF NO ONE',
    'SLAVEOF no one',
    'REPLICAOF 1.2.3.4 abc',
    'REPLICAOF 1.2.3.4 99999',
    'TIME x',
  ]),
)

t.test('SHUTDOWN passes its options on and is not answered', async t => {
  const server = new FakeServer()
  t.equal(server.ask('SHUTDOWN', 'NOSAVE', 'NOW'), '')
  t.equal(server.ask('SHUTDOWN', 'FORCE'), '')
  t.same(server.log, [
    'shutdown {"save":false,"now":true,"force":false}',
    'shutdown {"save":true,"now":false,"force":true}',
  ])
})

t.test('a master to follow is refused', async t => {
  t.equal(new FakeServer().ask('REPLICAOF', '1.2.3.4', '6379'), '-ERR replication is not supported\r\n')
})

t.test('TIME tells seconds and microseconds of the clock', async t => {
  const server = new FakeServer()
  server.context.clock.advance(1.5)
  t.equal(server.ask('TIME'), '*2\r\n$10\r\n1700000000\r\n$4\r\n1500\r\n')
})

t.test('LOLWUT tells the versions', async t => {
  t.match(new FakeServer().ask('LOLWUT', 'VERSION', '5'), /Millrace \d+\.\d+\.\d+\. Redis ver\. 7\.2\.4\n/)
})
