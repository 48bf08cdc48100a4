import t from 'tap'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('without samples LATENCY answers as redis-server', t =>
  sameAsRedis(t, [
    'LATENCY foo',
    'LATENCY LATEST',
    'LATENCY HISTORY foo',
    'LATENCY HISTORY',
    'LATENCY RESET a b',
    'LATENCY RESET',
    'LATENCY GRAPH foo',
    'LATENCY HISTOGRAM nosuch',
    'LATENCY HELP x',
  ]),
)

function withSamples(): FakeServer {
  const server = new FakeServer()
  server.context.config.set([['latency-monitor-threshold', '1']])
  server.latency.thresholdMs = 1
  server.latency.sample('command', 300, 1_699_999_940_000)
  server.latency.sample('command', 100, 1_699_999_990_000)
  return server
}

t.test('LATEST and HISTORY tell samples, RESET forgets them', async t => {
  const server = withSamples()
  t.equal(server.ask('LATENCY', 'LATEST'), '*1\r\n*4\r\n$7\r\ncommand\r\n:1699999990\r\n:100\r\n:300\r\n')
  t.equal(
    server.ask('LATENCY', 'HISTORY', 'command'),
    '*2\r\n*2\r\n:1699999940\r\n:300\r\n*2\r\n:1699999990\r\n:100\r\n',
  )
  t.equal(server.ask('LATENCY', 'RESET', 'other'), ':0\r\n')
  t.equal(server.ask('LATENCY', 'RESET'), ':1\r\n')
  t.equal(server.ask('LATENCY', 'LATEST'), '*0\r\n')
})

t.test('GRAPH draws, DOCTOR tells in words', async t => {
  const server = withSamples()
  t.match(
    server.ask('LATENCY', 'GRAPH', 'command'),
    /command - high 300 ms, low 100 ms \(all time high 300 ms\)\n-{80}\n/,
  )
  t.match(server.ask('LATENCY', 'DOCTOR'), /command: 2 spikes, 200 ms on average, 300 ms at most\./)
  t.match(new FakeServer().ask('LATENCY', 'DOCTOR'), /latency-monitor-threshold/)
})

t.test('HISTOGRAM tells the commands that were called, a container its subcommands', async t => {
  const server = new FakeServer()
  server.stats.of(0, 'client|id').histogram.record(3)
  server.stats.of(1, 'ping').histogram.record(20)
  const id = '$9\r\nclient|id\r\n*4\r\n$5\r\ncalls\r\n:1\r\n$14\r\nhistogram_usec\r\n*2\r\n:4\r\n:1\r\n'
  t.equal(server.ask('LATENCY', 'HISTOGRAM', 'client', 'nosuch'), `*2\r\n${id}`)
  t.match(server.ask('LATENCY', 'HISTOGRAM'), /^\*4\r\n[^]*\$4\r\nping\r\n/)
})
