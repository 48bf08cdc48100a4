import t from 'tap'
import { FakeServer } from '../support/fake-server.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'

const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n') + 2, -2)
const sections = (text: string) => [...text.matchAll(/^# (\w+)/gm)].map(found => found[1])

t.test('sections are chosen by name, in the order of INFO', async t => {
  const server = new FakeServer()
  const usual =
    'Server Clients Memory Persistence Storage Stats Replication CPU Modules Errorstats Cluster Keyspace'.split(' ')
  t.same(sections(bodyOf(server.ask('INFO'))), usual)
  t.same(sections(bodyOf(server.ask('INFO', 'default'))), usual)
  t.same(sections(bodyOf(server.ask('INFO', 'keyspace', 'SERVER', 'nosuch'))), ['Server', 'Keyspace'])
  for (const word of ['all', 'everything']) {
    t.ok(sections(bodyOf(server.ask('INFO', word))).includes('Latencystats'), word)
  }
  t.equal(server.ask('INFO', 'nosuch'), '$0\r\n\r\n')
  server.me.protocol = 3
  t.equal(server.ask('INFO', 'keyspace'), '=16\r\ntxt:# Keyspace\r\n\r\n')
})

t.test('every field of redis-server is there', { skip: findRedisServer() === undefined }, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const client = await RespClient.connect(redis.port)
  t.teardown(() => client.close())
  const fields = (text: string) => [...text.matchAll(/^(\w+):/gm)].map(found => found[1])
  const ours = new Set(fields(new FakeServer().ask('INFO')))
  const missing = fields(await client.text('INFO')).filter(name => !ours.has(name))
  t.same(missing, ['used_cpu_sys_main_thread', 'used_cpu_user_main_thread'])
})

t.test('versions, counters and storage are the present ones', async t => {
  const server = new FakeServer()
  server.stats.commandsProcessed = 7
  const text = bodyOf(server.ask('INFO'))
  t.match(text, /\r\nredis_version:7\.2\.4\r\n[^]*\r\nmillrace_version:\d+\.\d+\.\d+\r\n/)
  t.match(text, /\r\nuptime_in_seconds:1000\r\n/)
  t.match(text, /\r\ntotal_commands_processed:7\r\n/)
  t.match(text, /\r\nrdb_changes_since_last_save:3\r\n/)
  t.match(text, /\r\njournal_bytes:12\r\n/)
  t.match(text, /\r\naof_last_write_status:ok\r\n/)
  server.durability.writeFault = 'MISCONF disk full'
  t.match(server.ask('INFO', 'storage', 'persistence'), /aof_last_write_status:err[^]*write_fault:MISCONF disk full/)
})

t.test('other parts may correct single fields', async t => {
  const server = new FakeServer()
  Object.assign(server.context.server, { infoFields: () => ({ pubsub_channels: 5, used_memory: 1024 }) })
  t.match(server.ask('INFO'), /used_memory:1024\r\nused_memory_human:1.00K\r\n[^]*pubsub_channels:5\r\n/)
})

t.test('calls, errors and percentiles are told per command', async t => {
  const server = new FakeServer()
  const stat = server.stats.of(0, 'client|id')
  Object.assign(stat, { calls: 2, usec: 5, rejectedCalls: 1 })
  stat.histogram.record(3)
  server.stats.of(1, 'get')
  server.stats.countError('WRONGTYPE x')
  t.equal(
    bodyOf(server.ask('INFO', 'commandstats')),
    '# Commandstats\r\ncmdstat_client|id:calls=2,usec=5,usec_per_call=2.50,rejected_calls=1,failed_calls=0\r\n',
  )
  t.equal(bodyOf(server.ask('INFO', 'errorstats')), '# Errorstats\r\nerrorstat_WRONGTYPE:count=1\r\n')
  t.equal(
    bodyOf(server.ask('INFO', 'latencystats')),
    '# Latencystats\r\nlatency_percentiles_usec_client|id:p50=3.007,p99=3.007,p99.9=3.007\r\n',
  )
  server.context.config.set([['latency-tracking', 'no']])
  t.equal(bodyOf(server.ask('INFO', 'latencystats')), '# Latencystats\r\n')
})
