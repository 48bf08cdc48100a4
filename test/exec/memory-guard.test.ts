import t from 'tap'
import { Flag } from '../../src/commands/spec.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { ExecHarness } from '../support/exec-harness.js'
import { command } from './command-fixture.js'

const OOM = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"

function setUp() {
  const harness = new ExecHarness([
    command('get', 2, Flag.ReadOnly, (ctx, [key]) => {
      if (ctx.db.find(key) === undefined) ctx.reply.nullBulk()
      else ctx.reply.ok()
    }),
    command('set', 3, Flag.Write | Flag.DenyOom, (ctx, [key, value]) => {
      ctx.db.put(key, StringValue.create(ctx.keyspace.rows, value))
      ctx.changed()
      ctx.reply.ok()
    }),
    command('del', 2, Flag.Write, (ctx, [key]) => {
      ctx.db.remove(key)
      ctx.changed()
      ctx.reply.ok()
    }),
  ])
  t.teardown(() => harness.close())
  const client = harness.client()
  const { memory, rows } = harness
  const fill = (keys: number) => {
    for (let i = 0; i < keys; i++) client.ask('set', `k${i}`, 'v'.repeat(500))
  }
  return { harness, client, memory, rows, fill, size: () => harness.executor.keyspace.database(0).size }
}

t.test('above maxmemory what needs memory is refused before it changes anything', async t => {
  const { client, memory, fill, size, harness } = setUp()
  fill(10)
  memory.bytesMax = memory.usedBytes - 1
  const records = harness.sink.records.length
  t.equal(client.ask('set', 'more', 'v'), OOM)
  t.equal(client.ask('set', 'k1', 'w'), OOM, 'also what would replace')
  t.equal(size(), 10)
  t.equal(harness.sink.records.length, records, 'nothing is journaled')
  t.equal(client.ask('get', 'k1'), '+OK\r\n', 'reading goes on')
  t.equal(client.ask('del', 'k1'), '+OK\r\n', 'and so does what makes room')
  t.equal(client.ask('set', 'more', 'v'), '+OK\r\n')
})

t.test('the limit itself may be reached, and none is no limit', async t => {
  const { client, memory, fill } = setUp()
  fill(3)
  client.ask('get', 'k1')
  memory.bytesMax = 1
  t.equal(client.ask('set', 'a', 'v'), OOM)
  memory.bytesMax = memory.usedBytes
  t.equal(client.ask('set', 'a', 'v'), '+OK\r\n')
  t.equal(client.ask('set', 'b', 'v'), OOM)
  memory.bytesMax = 0
  t.equal(client.ask('set', 'b', 'v'), '+OK\r\n')
})

t.test('in a transaction nothing is queued then; DISCARD and a harmless EXEC are let through', async t => {
  const { client, memory, fill } = setUp()
  fill(3)
  client.ask('multi')
  client.ask('get', 'k1')
  memory.bytesMax = 1
  t.equal(client.ask('exec'), '*1\r\n+OK\r\n')
  client.ask('multi')
  t.equal(client.ask('get', 'k1'), OOM)
  t.equal(client.ask('exec'), '-EXECABORT Transaction discarded because of previous errors.\r\n')
  memory.bytesMax = 0
  client.ask('multi')
  client.ask('set', 'a', 'v')
  memory.bytesMax = 1
  t.equal(client.ask('exec'), `-EXECABORT Transaction discarded because of: ${OOM.slice(1)}`)
  client.ask('multi')
  t.equal(client.ask('discard'), '+OK\r\n')
})

t.test('clean pages leave memory first; no key is lost by it', async t => {
  const { client, memory, rows, fill, size, harness } = setUp()
  harness.eviction.policy = 'allkeys-lru'
  fill(100)
  rows.flush()
  const used = memory.usedBytes
  memory.bytesMax = used - 20_000
  t.equal(client.ask('set', 'more', 'v'), '+OK\r\n')
  t.ok(memory.usedBytes <= used - 20_000 + 1000)
  t.equal(size(), 101)
  t.equal(harness.stats.evictedKeys, 0)
})

t.test('then keys go, journaled as DEL before the command, with an event', async t => {
  const { client, memory, fill, size, harness } = setUp()
  const events: string[] = []
  harness.eviction.policy = 'allkeys-lru'
  harness.eviction.samples = 1000
  fill(20)
  harness.executor.publishEvents('KEA')
  harness.executor.notifier = (kind, event, key) => void events.push(`${kind} ${event} ${key}`)
  const records = harness.sink.records.length
  memory.bytesMax = memory.usedBytes - 1
  t.equal(client.ask('set', 'more', 'v'), '+OK\r\n')
  t.equal(size(), 20)
  t.equal(harness.stats.evictedKeys, 1)
  t.equal(events.length, 1)
  const key = events[0].split(' ')[2]
  t.match(events[0], /^e evicted k\d+$/)
  t.match(harness.sink.records.slice(records), [[`0:DEL ${key}`], [/^0:set more/]])
})

t.test('an eviction breaks the WATCH of its key', async t => {
  const { client, memory, fill, harness } = setUp()
  fill(1)
  client.ask('watch', 'k0')
  harness.eviction.policy = 'allkeys-random'
  memory.bytesMax = 1
  client.ask('get', 'other')
  memory.bytesMax = 0
  client.ask('multi')
  client.ask('get', 'k0')
  t.equal(client.ask('exec'), '*-1\r\n')
})

t.test('what clients are told of an eviction evicts no more, also while it waits to be sent', async t => {
  const { client, memory, fill, size, harness } = setUp()
  const listener = harness.client()
  harness.eviction.policy = 'allkeys-lru'
  fill(20)
  harness.executor.publishEvents('KEA')
  harness.executor.notifier = () => listener.session.push([Buffer.alloc(5000)])
  harness.holdCommits = true
  memory.bytesMax = memory.usedBytes - 1
  client.send('get', 'k1')
  t.equal(size(), 19)
  client.send('get', 'k2')
  harness.endTick()
  client.send('get', 'k3')
  t.equal(size(), 19, 'neither in the same tick nor while the journal is being written')
})

t.test('when the policy finds nothing, it is as with noeviction', async t => {
  const { client, memory, fill, harness } = setUp()
  harness.eviction.policy = 'volatile-lru'
  fill(3)
  memory.bytesMax = 1
  t.equal(client.ask('set', 'a', 'v'), OOM)
  t.ok(memory.full)
  memory.bytesMax = 0
  t.notOk(memory.full)
})

t.test('while nothing may be evicted, commands are not refused for it', async t => {
  const { client, memory, fill, harness } = setUp()
  fill(3)
  memory.bytesMax = 1
  harness.durability.writeFault = 'MISCONF why'
  t.equal(client.ask('set', 'a', 'v'), '-MISCONF why\r\n')
})

t.test('a command waits for so many evictions as tenacity allows; the rest follows by itself', async t => {
  const { client, memory, fill, harness, size } = setUp()
  harness.eviction.policy = 'allkeys-random'
  fill(100)
  memory.tenacity = 0
  memory.bytesMax = memory.usedBytes
  harness.clock.monotonicUs = () => (ticking += 1)
  let ticking = 1
  memory.bytesMax = 1
  t.equal(client.ask('set', 'a', 'v'), '+OK\r\n', 'eviction is under way: not refused')
  t.equal(size(), 100 - 16 + 1)
  for (let i = 0; i < 10; i++) await new Promise(resolve => setImmediate(resolve))
  t.equal(size(), 0)
  t.ok(memory.exceededTotalMs >= 0)
})

t.test('a negative maxmemory-clients is a share of maxmemory', async t => {
  const { memory, harness } = setUp()
  memory.bytesMax = 10_000_000
  memory.clientsMax = -5
  t.equal(harness.clientMemory.bytesMax, 500_000)
  memory.clientsMax = 77_000
  t.equal(harness.clientMemory.bytesMax, 77_000)
})
