import t from 'tap'
import type { Args } from '../../src/commands/args.js'
import { defineCommand, Flag } from '../../src/commands/spec.js'
import { ReplyError } from '../../src/base/errors.js'
import { ExecHarness } from '../support/exec-harness.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const common = { categories: [], keys: [], group: 'generic', since: '1.0.0', summary: 'For this test.' } as const
  const put = defineCommand({
    ...common,
    name: 'put',
    arity: 2,
    flags: Flag.Write,
    parse: (args: Args) => args.key(),
    run(ctx, key) {
      ctx.changed()
      ctx.touched(key)
      ctx.reply.ok()
    },
  })
  const fail = defineCommand({
    ...common,
    name: 'fail',
    arity: 1,
    flags: 0,
    parse: () => undefined,
    run() {
      throw new ReplyError('ERR failed')
    },
  })
  const wait = defineCommand({
    ...common,
    name: 'wait',
    arity: 1,
    flags: Flag.Blocking,
    parse: () => undefined,
    run(ctx) {
      if (ctx.mayBlock) throw new Error('a transaction must not wait')
      ctx.reply.nullBulk()
    },
  })
  const alone = defineCommand({
    ...common,
    name: 'alone',
    arity: 1,
    flags: Flag.NoMulti,
    parse: () => undefined,
    run: ctx => ctx.reply.ok(),
  })
  const harness = new ExecHarness([put, fail, wait, alone])
  t.teardown(() => harness.close())
  return { harness, client: harness.client(), other: harness.client() }
}

t.test('queued commands run at EXEC, as one record of the journal', async t => {
  const { harness, client } = setUp(t)
  t.equal(client.ask('multi'), '+OK\r\n')
  t.equal(client.ask('put', 'a'), '+QUEUED\r\n')
  t.equal(client.ask('wait'), '+QUEUED\r\n')
  t.equal(client.ask('put', 'b'), '+QUEUED\r\n')
  t.equal(client.session.multiCount, 3)
  t.same(harness.sink.records, [])
  t.equal(client.ask('exec'), '*3\r\n+OK\r\n$-1\r\n+OK\r\n')
  t.same(harness.sink.records, [['0:put a', '0:put b']])
  t.notOk(client.session.inMulti)
})

t.test('a command that fails at EXEC is an error among the replies; the others count', async t => {
  const { harness, client } = setUp(t)
  for (const words of [['multi'], ['put', 'a'], ['fail'], ['put', 'b']]) client.ask(...words)
  t.equal(client.ask('exec'), '*3\r\n+OK\r\n-ERR failed\r\n+OK\r\n')
  t.same(harness.sink.records, [['0:put a', '0:put b']])
  const failedCalls = (name: string) => harness.stats.commands.get(name)?.failedCalls
  t.same([failedCalls('put'), failedCalls('fail'), failedCalls('exec')], [0, 1, 0], 'EXEC itself has not failed')
  client.ask('exec')
  t.equal(failedCalls('exec'), 1)
})

t.test('a command refused while queueing makes EXEC run nothing', async t => {
  const { harness, client } = setUp(t)
  for (const words of [['multi'], ['put', 'a'], ['put'], ['nope']]) client.ask(...words)
  t.equal(client.ask('exec'), '-EXECABORT Transaction discarded because of previous errors.\r\n')
  t.same(harness.sink.records, [])
  t.equal(client.ask('exec'), '-ERR EXEC without MULTI\r\n')
})

t.test('what is not for transactions is refused inside one', async t => {
  const { client } = setUp(t)
  client.ask('multi')
  t.equal(client.ask('alone'), '-ERR Command not allowed inside a transaction\r\n')
  t.match(client.ask('exec'), /^-EXECABORT/)
  t.equal(client.ask('alone'), '+OK\r\n')
})

t.test('nested MULTI, WATCH inside, DISCARD outside, EXEC with arguments', async t => {
  const { client } = setUp(t)
  t.equal(client.ask('discard'), '-ERR DISCARD without MULTI\r\n')
  client.ask('multi')
  t.equal(client.ask('multi'), '-ERR MULTI calls can not be nested\r\n')
  t.equal(client.ask('watch', 'k'), '-ERR WATCH inside MULTI is not allowed\r\n')
  t.equal(client.ask('exec'), '*0\r\n', 'neither spoils the transaction')
  client.ask('multi')
  t.equal(
    client.ask('exec', 'x'),
    "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command\r\n",
  )
  t.notOk(client.session.inMulti)
})

t.test('EXEC runs nothing when a watched key changed, whoever changed it', async t => {
  const { harness, client, other } = setUp(t)
  client.ask('watch', 'k')
  other.ask('put', 'k')
  client.ask('multi')
  client.ask('put', 'x')
  t.equal(client.ask('exec'), '*-1\r\n')
  client.ask('watch', 'k')
  client.ask('put', 'k')
  client.ask('multi')
  t.equal(client.ask('exec'), '*-1\r\n', 'by the client itself')
  client.ask('watch', 'k')
  other.ask('put', 'other')
  client.ask('multi')
  t.equal(client.ask('exec'), '*0\r\n')
  t.equal(harness.executor.watched.size, 0, 'EXEC forgets the watched keys')
})

t.test('UNWATCH, DISCARD and disconnection forget watched keys', async t => {
  const { harness, client, other } = setUp(t)
  client.ask('watch', 'k')
  other.ask('put', 'k')
  client.ask('unwatch')
  client.ask('multi')
  t.equal(client.ask('exec'), '*0\r\n')
  client.ask('watch', 'k')
  client.ask('multi')
  client.ask('put', 'k')
  client.ask('discard')
  t.equal(harness.executor.watched.size, 0)
  client.ask('watch', 'k')
  client.session.onClose()
  t.equal(harness.executor.watched.size, 0)
})
