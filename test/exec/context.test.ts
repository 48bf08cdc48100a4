import t from 'tap'
import { InvariantError } from '../../src/base/assert.js'
import { idOf } from '../../src/base/stream-id.js'
import { ReplyError } from '../../src/base/errors.js'
import { Flag } from '../../src/commands/spec.js'
import { ExecHarness } from '../support/exec-harness.js'
import { command } from './command-fixture.js'
import type { Run } from './command-fixture.js'

/** A client whose DO runs what the test says. */
function setUp(t: { teardown(fn: () => void): void }) {
  let work: Run = () => undefined
  const harness = new ExecHarness([command('do', -1, Flag.Write, (ctx, words) => work(ctx, words))])
  t.teardown(() => harness.close())
  const client = harness.client()
  const records = (run: Run, ...words: string[]) => {
    work = run
    client.ask('do', ...words)
    return harness.sink.records.splice(0)
  }
  return { harness, client, records }
}

t.test('a change is journaled as the request came, unless the command says otherwise', async t => {
  const { records } = setUp(t)
  t.same(
    records(ctx => ctx.changed(), 'a'),
    [['0:do a']],
  )
  t.same(
    records(() => undefined, 'a'),
    [],
    'no change, no record',
  )
  t.same(
    records(ctx => {
      ctx.changed()
      ctx.effect('SET', 'k', 7)
      ctx.effectIn(9, 'DEL', Buffer.from('k'))
    }),
    [['0:SET k 7', '9:DEL k']],
  )
  t.same(
    records(ctx => (ctx.changed(), ctx.noEffect())),
    [],
  )
  t.same(
    records(ctx => ctx.effectSpliced(1, 3, 'x', 5), 'a', 'b', 'c'),
    [['0:do x 5 c']],
  )
  t.same(
    records(ctx => ctx.effectWithId(2, idOf(1_700_000_000_000, 3)), 'a', '*', 'c'),
    [['0:do a 1700000000000-3 c']],
  )
})

t.test('an error keeps the effects named before it, and never journals the request', async t => {
  const { records } = setUp(t)
  const fail = () => {
    throw new ReplyError('ERR no')
  }
  t.same(
    records(ctx => (ctx.changed(), fail())),
    [],
  )
  t.same(
    records(ctx => (ctx.effect('DEL', 'expired'), fail())),
    [['0:DEL expired']],
  )
})

t.test('a splice keeps the number of arguments', async t => {
  const { harness, records } = setUp(t)
  records(ctx => ctx.effectSpliced(1, 2, 'x', 'y'), 'a')
  t.match(harness.panics, [InvariantError])
})

t.test('all that a transaction did is one record, whose head is the preamble', async t => {
  const { harness, client } = setUp(t)
  for (const words of [['multi'], ['do', 'a'], ['do', 'b']]) client.ask(...words)
  const { context } = harness.executor
  t.equal(context.inGroup, false)
  client.ask('exec')
  t.same(harness.sink.records, [], 'nothing changed')
  context.begin()
  context.enterGroup()
  context.effect('A')
  context.settle(false)
  context.begin()
  context.effect('B')
  context.settle(false)
  context.leaveGroup()
  t.same(harness.sink.records, [], 'open until the outermost is over')
  context.settle(false)
  t.same(harness.sink.records, [['0:A', '0:B']])
})

t.test('what happens by itself stands even if the command fails, and cannot happen in a replay', async t => {
  const { harness } = setUp(t)
  const { context } = harness.executor
  context.begin()
  context.sideEffect(4, ['DEL', 'k'])
  context.settle(true)
  t.same(harness.sink.records, [['4:DEL k']])
  context.replaying = true
  t.throws(() => context.sideEffect(4, ['DEL', 'k']), InvariantError)
  context.begin()
  context.effect('SET', 'k', 'v')
  context.settle(false)
  t.equal(harness.sink.records.length, 1, 'a replay journals nothing')
})
