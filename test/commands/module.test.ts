import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('MODULE LIST answers as a redis-server without modules', t =>
  sameAsRedis(t, ['MODULE', 'MODULE LIST', 'module list', 'MODULE LIST x', 'MODULE HELP x', 'MODULE foo']),
)

t.test('no module can be loaded', async t => {
  t.equal(new FakeServer().ask('MODULE', 'LOAD', '/none'), "-ERR unknown subcommand 'LOAD'. Try MODULE HELP.\r\n")
})
