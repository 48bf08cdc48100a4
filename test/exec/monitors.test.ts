import t from 'tap'
import { connectionCommands } from '../../src/commands/connection.js'
import { defineCommand, Flag } from '../../src/commands/spec.js'
import { monitorCommand } from '../../src/commands/monitor.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { requestOf } from '../../src/resp/request.js'
import { ExecHarness } from '../support/exec-harness.js'

const administer = defineCommand({
  name: 'administer',
  arity: 1,
  flags: Flag.Admin,
  categories: [],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'For this test.',
  parse: () => undefined,
  run: ctx => ctx.reply.ok(),
})

let harness: ExecHarness
const scripted = defineCommand({
  name: 'scripted',
  arity: 1,
  flags: Flag.SkipMonitor,
  categories: [],
  keys: [],
  group: 'scripting',
  since: '1.0.0',
  summary: 'Calls GET, as a script would.',
  parse: () => undefined,
  run(ctx) {
    const { executor, table } = harness
    executor.context.enterGroup()
    executor.callInside(table.row('get')!, executor.context.session, requestOf(['GET', 'k']))
    executor.context.leaveGroup()
    ctx.noEffect()
  },
})

function setUp(t: { teardown(fn: () => void): void; equal(found: unknown, wanted: unknown): void }) {
  harness = new ExecHarness([...connectionCommands, ...stringCommands, monitorCommand, administer, scripted])
  t.teardown(() => harness.close())
  const [monitor, client] = [harness.client(), harness.client()]
  t.equal(monitor.ask('MONITOR'), '+OK\r\n')
  const shown = (...args: (string | number)[]) => {
    client.ask(...args)
    return monitor.received().replaceAll('+1000.000000 [', '[').trimEnd()
  }
  return { harness, monitor, client, shown }
}

t.test('a line shows time, database, address and quoted arguments', async t => {
  const { harness, client, monitor, shown } = setUp(t)
  harness.clock.advance(1.25)
  client.ask('SET', 'k', 'a "b"\\\n\r\t\x07\b\x00\x7f\xff')
  t.equal(
    monitor.received(),
    '+1000.001250 [0 127.0.0.1:1] "SET" "k" "a \\"b\\"\\\\\\n\\r\\t\\a\\b\\x00\\x7f\\xff"\r\n',
  )
  harness.clock.step(-1.25)
  t.equal(shown('SET', 'k', ''), '[0 127.0.0.1:1] "SET" "k" ""')
})

t.test('SELECT shows the database it chose; EXEC stands behind what it ran', async t => {
  const { shown } = setUp(t)
  t.equal(shown('SELECT', 3), '[3 127.0.0.1:1] "SELECT" "3"')
  t.equal(shown('MULTI'), '[3 127.0.0.1:1] "MULTI"')
  t.equal(shown('GET', 'k'), '', 'queued')
  t.equal(shown('EXEC'), '[3 127.0.0.1:1] "GET" "k"\r\n[3 127.0.0.1:1] "EXEC"')
})

t.test('what runs a script stands in front of what it calls', async t => {
  const { shown } = setUp(t)
  t.equal(shown('SCRIPTED'), '[0 127.0.0.1:1] "SCRIPTED"\r\n[0 127.0.0.1:1] "GET" "k"')
})

t.test('passwords, what administers and what never ran are not shown', async t => {
  const { shown } = setUp(t)
  t.equal(shown('AUTH', 'secret'), '[0 127.0.0.1:1] "AUTH" "(redacted)"')
  t.equal(shown('auth', 'user', 'secret'), '[0 127.0.0.1:1] "auth" "(redacted)" "(redacted)"')
  t.equal(
    shown('HELLO', 2, 'SETNAME', 'n', 'AUTH', 'user', 'secret'),
    '[0 127.0.0.1:1] "HELLO" "2" "SETNAME" "n" "AUTH" "(redacted)" "(redacted)"',
  )
  t.equal(shown('ADMINISTER'), '')
  t.equal(shown('GET'), '')
  t.equal(shown('NONE'), '')
})

t.test('a monitor may not touch keys, sees itself, and ends with RESET', async t => {
  const { monitor, shown } = setUp(t)
  t.equal(monitor.ask('GET', 'k'), "-ERR Replica can't interact with the keyspace\r\n")
  t.equal(monitor.ask('PING'), '+PONG\r\n+1000.000000 [0 127.0.0.1:1] "PING"\r\n')
  t.equal(monitor.ask('MONITOR'), '', 'a second time there is no answer')
  t.equal(monitor.ask('RESET'), '+RESET\r\n')
  t.equal(shown('PING'), '')
  monitor.ask('MULTI')
  monitor.ask('MONITOR')
  t.equal(monitor.ask('EXEC'), "*1\r\n-ERR MONITOR isn't allowed for DENY BLOCKING client\r\n")
})

t.test('its answer leaves before what others do in the same turn is shown, and nothing else leaves early', async t => {
  harness = new ExecHarness([...connectionCommands, ...stringCommands, monitorCommand])
  t.teardown(() => harness.close())
  const [monitor, client] = [harness.client(), harness.client()]
  harness.holdCommits = true
  monitor.session.onRequest(requestOf(['MONITOR']))
  t.equal(monitor.transport.sent, '')
  client.session.onRequest(requestOf(['GET', 'k']))
  t.equal(monitor.transport.sent, '+OK\r\n', 'alone')
  harness.endTick()
  t.equal(monitor.transport.sent, '+OK\r\n')
  harness.commits.pop()!()
  t.match(monitor.transport.sent, /^\+OK\r\n\+1000\.000000 \[0 \S+\] "GET" "k"\r\n$/)

  const [second, third] = [harness.client(), harness.client()]
  second.session.onRequest(requestOf(['SET', 'k', 'v']))
  second.session.onRequest(requestOf(['MONITOR']))
  third.session.onRequest(requestOf(['MONITOR']))
  client.session.onRequest(requestOf(['GET', 'k']))
  t.equal(second.transport.sent, '', 'not before the answer to SET, which waits for the journal')
  t.equal(third.transport.sent, '+OK\r\n')

  const fourth = harness.client()
  fourth.session.onRequest(requestOf(['MONITOR']))
  harness.endTick()
  for (const done of harness.commits.splice(0)) done()
  t.equal(fourth.transport.sent, '+OK\r\n')
  fourth.session.onRequest(requestOf(['SET', 'k', 'v']))
  client.session.onRequest(requestOf(['GET', 'k']))
  t.equal(fourth.transport.sent, '+OK\r\n', 'the answer to SET waits as ever')
})
