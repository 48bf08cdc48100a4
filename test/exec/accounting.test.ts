import t from 'tap'
import { connectionCommands } from '../../src/commands/connection.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import type { ClientSession } from '../../src/exec/session.js'
import { requestOf } from '../../src/resp/request.js'
import { ExecHarness } from '../support/exec-harness.js'

t.test('a waiter that is served with an error counts as failed, its call once', async t => {
  const harness = new ExecHarness(streamCommands)
  t.teardown(() => harness.close())
  const [worker, other] = [harness.client(), harness.client()]
  other.ask('XGROUP', 'CREATE', 's', 'g', '$', 'MKSTREAM')
  worker.ask('XREADGROUP', 'GROUP', 'g', 'c', 'BLOCK', 0, 'STREAMS', 's', '>')
  const stat = () => harness.stats.commands.get('xreadgroup')
  t.equal(stat()?.calls, 1)
  t.equal(stat()?.failedCalls, 0)
  other.ask('XGROUP', 'DESTROY', 's', 'g')
  t.match(worker.received(), /^-NOGROUP/)
  t.equal(stat()?.calls, 1)
  t.equal(stat()?.failedCalls, 1)
  t.equal(harness.stats.errors.get('NOGROUP'), 1)
  t.equal(harness.stats.totalErrorReplies, 1)
})

t.test('the slow log shows a command that waited when it was served, and no password', async t => {
  const harness = new ExecHarness([...streamCommands, ...connectionCommands])
  t.teardown(() => harness.close())
  harness.slowlog.slowerThanUs = 0
  const logged = () => harness.slowlog.entries.map(entry => entry.args.join(' '))
  const [worker, other] = [harness.client(), harness.client()]
  worker.ask('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  t.same(logged(), [])
  other.ask('XADD', 's', '1-1', 'f', 'v')
  t.same(logged(), ['XREAD BLOCK 0 STREAMS s $', 'XADD s 1-1 f v'])
  other.ask('AUTH', 'user', 'secret')
  t.equal(logged()[0], 'AUTH (redacted) (redacted)')
})

t.test('the latency monitor has a threshold of its own, whatever the slow log has', async t => {
  const harness = new ExecHarness(streamCommands)
  t.teardown(() => harness.close())
  const { table, latency, slowlog } = harness
  const { accounting } = harness.executor
  const note = (us: number) =>
    accounting.noteIfSlow(table.row('xadd')!, { address: '', name: '' } as ClientSession, requestOf(['XADD']), us, 5000)
  note(9000)
  t.equal(latency.events.size, 0, 'it is off')
  latency.thresholdMs = 5
  note(9000)
  t.same([...latency.events.keys()], ['fast-command'])
  t.equal(slowlog.entries.length, 0)
  slowlog.slowerThanUs = -1
  note(1e6)
  t.equal(slowlog.entries.length, 0)
  t.equal(latency.events.get('fast-command')!.maxMs, 1000)
})
