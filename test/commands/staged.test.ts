import t from 'tap'
import { Flag } from '../../src/commands/spec.js'
import { STAGE_COMMAND, STAGED_COMMAND, stagedCommands } from '../../src/commands/staged.js'
import { FakeContext } from '../support/fake-context.js'

t.test('clients do not know the commands', async t => {
  const ctx = new FakeContext(stagedCommands)
  t.same(ctx.table.commands, [])
  for (const name of [STAGE_COMMAND, STAGED_COMMAND]) t.equal(ctx.table.find(name.toLowerCase()), undefined)
  t.ok(ctx.table.rows.every(row => (row.flags & Flag.Internal) !== 0))
})

t.test('they never run by themselves', async t => {
  const ctx = new FakeContext(stagedCommands)
  for (const row of ctx.table.rows) t.throws(() => row.spec.run(ctx, undefined as never), /is for the replay/)
})
