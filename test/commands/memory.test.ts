import t from 'tap'
import { humanBytes } from '../../src/commands/memory-figures.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('MEMORY answers as redis-server', t =>
  sameAsRedis(t, [
    'MEMORY foo',
    'MEMORY USAGE nokey',
    'MEMORY USAGE x samples',
    'MEMORY USAGE x samples -1',
    'MEMORY USAGE x samples abc',
    'MEMORY USAGE x foo 1',
    'MEMORY PURGE',
    'MEMORY STATS x',
  ]),
)

t.test('PURGE lets memory go back', async t => {
  const server = new FakeServer()
  let purges = 0
  Object.assign(server.context.server, { memory: { purge: () => purges++ } })
  t.equal(server.ask('MEMORY', 'PURGE'), '+OK\r\n')
  t.equal(purges, 1)
})

t.test('USAGE grows with the value', async t => {
  const server = new FakeServer()
  const { context } = server
  context.db.put('small', StringValue.create(context.rows, 'x'))
  context.db.put('large', StringValue.create(context.rows, 'x'.repeat(5000)))
  const usage = (key: string) => Number(server.ask('MEMORY', 'USAGE', key, 'SAMPLES', '0').slice(1))
  t.ok(usage('small') > 0)
  t.ok(usage('large') >= usage('small') + 4999)
})

t.test('STATS has the fields of Redis, and one per database in use', async t => {
  const server = new FakeServer()
  server.context.db.put('k', StringValue.create(server.context.rows, 'x'))
  const text = server.ask('MEMORY', 'STATS')
  for (const name of ['peak.allocated', 'keys.count', 'dataset.percentage', 'fragmentation.bytes', 'db.0']) {
    t.match(text, `\r\n${name}\r\n`)
  }
  t.match(text, /keys\.count\r\n:1\r\n/)
})

t.test('bytes are printed for people as in INFO', async t => {
  t.same([0, 1023, 1024, 1_572_864, 3 * 1024 ** 4].map(humanBytes), ['0B', '1023B', '1.00K', '1.50M', '3.00T'])
})

t.test('STATS tells where the data are as well', async t => {
  const server = new FakeServer()
  const text = server.ask('MEMORY', 'STATS')
  const figures = {
    'pages.cached.bytes': 56,
    'pages.pinned.bytes': 0,
    'changes.bytes': 34,
    'journal.bytes': 12,
    'file.bytes': 8192,
    'file.reclaimable.bytes': 4096,
    'retired.objects': 7,
  }
  for (const [name, value] of Object.entries(figures)) t.match(text, `\r\n${name}\r\n:${value}\r\n`)
})

t.test('DOCTOR speaks of this server', async t => {
  const server = new FakeServer()
  t.match(server.ask('MEMORY', 'DOCTOR'), /Nothing stands out: .* in use, .* resident, 56B of 256\.00M page cache\./)
  server.durability.writeFault = 'MISCONF no room'
  server.durability.lastCheckpointOk = false
  t.match(
    server.ask('MEMORY', 'DOCTOR'),
    /\* Writes are refused: MISCONF no room\..*\n\* The last checkpoint failed: 34B /,
  )
})
