import t from 'tap'
import { configCommand } from '../../src/commands/config.js'
import { requestOf } from '../../src/resp/request.js'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('CONFIG answers as redis-server', t =>
  sameAsRedis(t, [
    'CONFIG',
    'CONFIG foo',
    'CONFIG GET',
    'CONFIG SET',
    'CONFIG SET hz',
    'CONFIG SET maxmemory 1 hz',
    'CONFIG SET nosuch 1',
    'CONFIG SET maxmemory 1 maxmemory 2',
    'CONFIG SET maxmemory 10000001 maxmemory-clients 200% client-query-buffer-limit invalid',
    'CONFIG GET maxmemory',
    'CONFIG SET maxmemory 10000002 save 3000',
    'CONFIG SET HZ 20',
    'CONFIG GET hz',
    'CONFIG SET daemonize yes',
    'CONFIG SET dbfilename x',
    'CONFIG REWRITE',
    'CONFIG RESETSTAT',
    'CONFIG RESETSTAT x',
  ]),
)

t.test('another port is bound before the answer, and taken back when that fails', async t => {
  const server = new FakeServer()
  t.equal(await server.askLater('CONFIG', 'SET', 'port', '7301', 'maxmemory', '5mb'), '+OK\r\n')
  t.same([server.log, server.context.config.values.port], [['rebind'], 7301])
  server.rebindFails = true
  t.equal(
    await server.askLater('CONFIG', 'SET', 'maxmemory', '6mb', 'PORT', '7302'),
    "-ERR CONFIG SET failed (possibly related to argument 'PORT') - " +
      'Unable to listen on this port. Check server logs.\r\n',
  )
  t.same([server.context.config.values.port, server.context.config.values.maxmemory], [7301, 5 * 1024 * 1024])
  t.equal(server.ask('CONFIG', 'SET', 'port', '7301'), '+OK\r\n', 'the same port is not bound again')
  server.context.mayBlock = false
  t.match(server.ask('CONFIG', 'SET', 'port', '7303'), /not possible inside a transaction/)
  t.equal(server.context.config.values.port, 7301)
})

t.test('passwords are kept out of SLOWLOG and MONITOR', async t => {
  const { secrets } = configCommand.subcommands!.find(({ name }) => name === 'config|set')!
  const words = ['CONFIG', 'SET', 'requirepass', 'a', 'hz', '10', 'MasterAuth', 'b', 'masteruser', 'c', 'port']
  t.same(secrets!(requestOf(words)), [3, 7, 9])
  t.same(secrets!(requestOf(['CONFIG', 'SET', 'hz', 'requirepass'])), [])
})

t.test('protected directives ask for a local client when told so', async t => {
  const server = new FakeServer()
  server.context.config.values.enableProtectedConfigs = 'local'
  t.equal(server.ask('CONFIG', 'SET', 'dbfilename', 'x'), '+OK\r\n')
  t.match(server.ask('CONFIG', 'SET', 'dir', 'x'), /can't set immutable config/)
  server.me.address = '10.0.0.1:99'
  t.match(server.ask('CONFIG', 'SET', 'dir', 'x'), /can't set protected config/)
  t.match(server.ask('CONFIG', 'SET', 'dbfilename', 'x'), /can't set protected config/)
})

t.test('RESETSTAT clears the counters', async t => {
  const server = new FakeServer()
  server.stats.countError('ERR x')
  server.ask('CONFIG', 'RESETSTAT')
  t.equal(server.stats.totalErrorReplies, 0)
})
