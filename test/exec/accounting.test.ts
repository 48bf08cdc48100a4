import t from 'tap'
import { connectionCommands } from '../../src/commands/connection.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
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
