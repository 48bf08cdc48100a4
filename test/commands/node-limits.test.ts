import t from 'tap'
import { NODE_LIMITS_COMMAND, nodeLimitsCommands } from '../../src/commands/node-limits.js'
import { Flag } from '../../src/commands/spec.js'
import { FakeContext } from '../support/fake-context.js'

t.test('the limits of the journal are in force for what is replayed behind them', async t => {
  const ctx = new FakeContext(nodeLimitsCommands)
  ctx.ask(NODE_LIMITS_COMMAND, '7', '512')
  t.match(ctx.config.values, { streamNodeMaxEntries: 7, streamNodeMaxBytes: 512, streamIdmpDuration: 100 })
  ctx.ask(NODE_LIMITS_COMMAND, '8', '4096', '60', '50')
  t.match(ctx.config.values, { streamNodeMaxEntries: 8, streamIdmpDuration: 60, streamIdmpMaxsize: 50 })
})

t.test('clients do not know the command', async t => {
  const ctx = new FakeContext(nodeLimitsCommands)
  t.same(ctx.table.commands, [])
  t.equal(ctx.table.find('xnodelimits'), undefined)
  t.ok(ctx.table.rows.every(row => (row.flags & Flag.Internal) !== 0))
})
