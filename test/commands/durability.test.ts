import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('mistakes are answered as by redis-server', t =>
  sameAsRedis(t, ['BGSAVE foo', 'BGSAVE SCHEDULE x', 'WAIT a 1', 'WAIT 0 -1', 'WAIT 0 0', 'WAIT 1 abc', 'LASTSAVE x']),
)

t.test('SAVE answers when the checkpoint is durable, after a running one when there is one', async t => {
  const server = new FakeServer()
  t.equal(await server.askLater('SAVE'), '+OK\r\n')
  t.same(server.log, ['checkpoint'])
  server.durability.checkpointRunning = true
  t.equal(await server.askLater('SAVE'), '+OK\r\n')
  t.same(server.log, ['checkpoint', 'checkpoint', 'checkpoint'])
  server.durability.checkpoint = () => Promise.reject(new Error('no space'))
  t.equal(await server.askLater('SAVE'), '-ERR no space\r\n')
})

t.test('BGSAVE and BGREWRITEAOF start a checkpoint and answer at once', async t => {
  const server = new FakeServer()
  t.equal(server.ask('BGSAVE'), '+Background saving started\r\n')
  t.equal(server.ask('BGREWRITEAOF'), '+Background append only file rewriting started\r\n')
  t.same(server.log, ['checkpoint', 'checkpoint'])
  server.durability.checkpointRunning = true
  t.equal(server.ask('BGSAVE'), '-ERR Background save already in progress\r\n')
  t.equal(server.ask('BGSAVE', 'SCHEDULE'), '+Background saving scheduled\r\n')
})

t.test('LASTSAVE tells the last checkpoint in seconds', async t => {
  t.equal(new FakeServer().ask('LASTSAVE'), ':1700000000\r\n')
})

t.test('WAIT for replicas ends with its time only', async t => {
  const server = new FakeServer()
  t.equal(server.ask('WAIT', '1', '100'), '')
  t.equal(server.context.wait?.timeoutMs, 100)
  server.context.mayBlock = false
  t.equal(server.ask('WAIT', '1', '100'), ':0\r\n')
})

t.test('WAITAOF answers what is on the device', async t => {
  const server = new FakeServer()
  t.equal(server.ask('WAITAOF', '0', '0', '0'), '*2\r\n:0\r\n:0\r\n')
  server.context.config.set([['appendfsync', 'always']])
  t.equal(server.ask('WAITAOF', '0', '0', '0'), '*2\r\n:1\r\n:0\r\n')
  t.equal(await server.askLater('WAITAOF', '1', '0', '0'), '*2\r\n:1\r\n:0\r\n')
  t.equal(await server.askLater('WAITAOF', '1', '1', '1'), '*2\r\n:1\r\n:0\r\n', 'a replica never comes')
  server.durability.synced = () => Promise.reject(new Error('I/O error'))
  t.equal(await server.askLater('WAITAOF', '1', '0', '1'), '*2\r\n:0\r\n:0\r\n')
  t.equal(server.ask('WAITAOF', '2', '0', '0'), '-ERR value is out of range, value must between 0 and 1\r\n')
  t.equal(server.ask('WAITAOF', '1', '0', '-1'), '-ERR timeout is negative\r\n')
})
