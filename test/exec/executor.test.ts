import t from 'tap'
import { CorruptionError, ReplyError } from '../../src/base/errors.js'
import type { Args } from '../../src/commands/args.js'
import type { CommandContext } from '../../src/commands/context.js'
import { defineCommand, Flag } from '../../src/commands/spec.js'
import type { CommandSpec } from '../../src/commands/spec.js'
import { ExecHarness } from '../support/exec-harness.js'

type Run = (ctx: CommandContext, args: string[]) => void

function command(name: string, arity: number, flags: number, run: Run): CommandSpec<never> {
  return defineCommand({
    name,
    arity,
    flags,
    categories: [],
    keys: [],
    group: 'generic',
    since: '1.0.0',
    summary: 'For this test.',
    parse(args: Args) {
      const words: string[] = []
      while (args.remaining > 0) words.push(args.text())
      return words
    },
    run,
  })
}

/** SET, GET and a TAKE that waits: values are lists of words, popped from the front. */
function commands(values: Map<string, string[]>): CommandSpec<never>[] {
  const take = (ctx: CommandContext, key: string): boolean => {
    const value = values.get(key)?.shift()
    if (value === undefined) return false
    ctx.effect('TAKE', key)
    ctx.reply.latin1(value)
    return true
  }
  return [
    command('ping', 1, Flag.Fast, ctx => ctx.reply.status('PONG')),
    command('put', 3, Flag.Write | Flag.DenyOom, (ctx, [key, value]) => {
      values.set(key, [...(values.get(key) ?? []), value])
      ctx.changed()
      ctx.touched(key)
      ctx.reply.ok()
    }),
    command('take', -2, Flag.Write | Flag.Blocking, (ctx, [key, timeoutMs]) => {
      if (take(ctx, key)) return
      if (!ctx.mayBlock) return ctx.reply.nullBulk()
      ctx.block({
        keys: [key],
        timeoutMs: Number(timeoutMs ?? 0),
        kind: 'list',
        serve: (waiting, ready) => take(waiting, ready),
        onTimeout: reply => reply.nullBulk(),
      })
    }),
    command('stamp', 2, Flag.Write, (ctx, [id]) => {
      ctx.effectSpliced(1, 2, id === '*' ? '123-0' : id)
      ctx.reply.ok()
    }),
    command('idle', 1, Flag.Write, ctx => ctx.reply.integer(0)),
    command('fail', 1, Flag.Write, ctx => {
      ctx.reply.array(2)
      throw new ReplyError('ERR no such luck')
    }),
    command('rot', 1, 0, () => {
      throw new CorruptionError('page 7 is damaged')
    }),
    command('bug', 1, 0, () => {
      throw new TypeError('undefined is not a function')
    }),
    command('select', 2, Flag.Fast, (ctx, [index]) => {
      ctx.session.databaseIndex = Number(index)
      ctx.reply.ok()
    }),
    command('mode', 2, 0, (ctx, [mode]) => {
      ctx.session.replyMode = mode as 'on'
      if (mode === 'on') ctx.reply.ok()
    }),
    command('quit', 1, Flag.NoAuth, ctx => {
      ctx.reply.ok()
      ctx.session.close('after-reply')
    }),
    command('nomulti', 1, Flag.NoMulti, ctx => ctx.reply.ok()),
    command('now', 1, 0, ctx => ctx.reply.integer(ctx.nowMs)),
  ]
}

function setUp(t: { teardown(fn: () => void): void }) {
  const values = new Map<string, string[]>()
  const harness = new ExecHarness(commands(values))
  t.teardown(() => harness.close())
  return { harness, values, client: harness.client() }
}

t.test('replies leave at the end of the tick, all at once and in order', async t => {
  const { harness, client } = setUp(t)
  client.send('ping')
  client.send('put', 'k', 'v')
  t.equal(client.received(), '')
  harness.endTick()
  t.equal(client.received(), '+PONG\r\n+OK\r\n')
})

t.test('replies wait for the journal; those of reads behind it too, those of others not', async t => {
  const { harness, client } = setUp(t)
  const reader = harness.client()
  harness.holdCommits = true
  client.send('put', 'k', 'v')
  harness.endTick()
  client.send('ping')
  reader.send('ping')
  harness.endTick()
  t.equal(client.received(), '')
  harness.commits[1]()
  t.equal(reader.received(), '+PONG\r\n', 'a store that refuses writes lets reads go on')
  t.equal(client.received(), '', 'a read does not overtake the write before it')
  harness.commits[0]()
  t.equal(client.received(), '+OK\r\n+PONG\r\n')
})

t.test('when a write is lost its reply never leaves and the connection breaks', async t => {
  const { harness, client } = setUp(t)
  harness.holdCommits = true
  client.send('put', 'k', 'v')
  harness.endTick()
  harness.commits[0]('the store was closed')
  t.equal(client.received(), '')
  t.ok(client.transport.destroyed)
})

t.test('a change is journaled as it came, in its own form, or spliced; what changed nothing is not', async t => {
  const { harness, client } = setUp(t)
  client.ask('select', 3)
  client.ask('PUT', 'k', 'v')
  client.ask('take', 'k')
  client.ask('stamp', '*')
  client.ask('idle')
  client.ask('fail')
  t.same(harness.sink.records, [['3:PUT k v'], ['3:TAKE k'], ['3:stamp 123-0']])
})

t.test('an error replaces what the command had written', async t => {
  const { harness, client } = setUp(t)
  t.equal(client.ask('fail'), '-ERR no such luck\r\n')
  t.equal(harness.stats.errors.get('ERR'), 1)
  t.equal(harness.stats.commands.get('fail')?.failedCalls, 1)
})

t.test('unknown commands and wrong arities are refused', async t => {
  const { harness, client } = setUp(t)
  t.equal(client.ask('nope', 'x'), "-ERR unknown command 'nope', with args beginning with: 'x' \r\n")
  t.equal(client.ask('put', 'x'), "-ERR wrong number of arguments for 'put' command\r\n")
  t.equal(harness.stats.commands.get('put')?.rejectedCalls, 1)
  t.equal(harness.stats.commands.get('put')?.calls, 0)
})

t.test('damaged data is refused by name and serving goes on; a bug stops everything', async t => {
  const { harness, client } = setUp(t)
  t.equal(client.ask('rot'), '-CORRUPT page 7 is damaged\r\n')
  t.same(harness.damages, ['page 7 is damaged'])
  t.equal(client.ask('ping'), '+PONG\r\n')
  client.send('bug')
  t.equal(harness.panics.length, 1)
  client.send('put', 'k', 'v')
  t.same(harness.sink.records, [], 'nothing runs after a bug')
})

t.test('who has not authenticated may only do what needs no authentication', async t => {
  const { harness, client } = setUp(t)
  harness.executor.passwordRequired = true
  client.session.authenticated = false
  t.equal(client.ask('ping'), '-NOAUTH Authentication required.\r\n')
  t.equal(client.ask('quit'), '+OK\r\n')
  harness.endTick()
  t.ok(client.transport.ended)
})

t.test('writes are refused while the journal cannot be written or memory is short; reads go on', async t => {
  const { harness, client } = setUp(t)
  harness.durability.writeFault = 'MISCONF the disk is full'
  t.equal(client.ask('put', 'k', 'v'), '-MISCONF the disk is full\r\n')
  t.equal(client.ask('ping'), '+PONG\r\n')
  harness.durability.writeFault = undefined
  harness.memory.bytesMax = 1
  t.equal(client.ask('put', 'k', 'v'), "-OOM command not allowed when used memory > 'maxmemory'.\r\n")
  t.equal(client.ask('idle'), ':0\r\n', 'a write that needs no memory runs')
  client.ask('multi')
  harness.memory.bytesMax = 0
  client.ask('put', 'k', 'v')
  harness.memory.bytesMax = 1
  t.match(client.ask('exec'), /^-EXECABORT Transaction discarded because of: OOM /)
})

t.test('while data is loading only some commands run', async t => {
  const { harness, client } = setUp(t)
  harness.executor.loading = true
  t.equal(client.ask('ping'), '-LOADING Redis is loading the dataset in memory\r\n')
})

t.test('CLIENT REPLY: off silences all, skip the next command', async t => {
  const { client } = setUp(t)
  t.equal(client.ask('mode', 'off'), '')
  t.equal(client.ask('ping'), '')
  t.equal(client.ask('mode', 'on'), '+OK\r\n')
  client.session.replyMode = 'skip-next'
  client.session.replyMode = 'skip'
  t.equal(client.ask('ping'), '')
  t.equal(client.ask('ping'), '+PONG\r\n')
})

t.test('after QUIT nothing is executed and the connection ends behind the reply', async t => {
  const { harness, client } = setUp(t)
  client.send('quit')
  client.send('put', 'k', 'v')
  harness.endTick()
  t.equal(client.received(), '+OK\r\n')
  t.ok(client.transport.ended)
  t.same(harness.sink.records, [])
})

t.test('time stands still inside a tick only as far as it is read', async t => {
  const { harness, client } = setUp(t)
  t.equal(client.ask('now'), ':1000000\r\n')
  harness.clock.advance(5)
  t.equal(client.ask('now'), ':1000005\r\n')
})

t.test('slow commands enter the slow log with shortened arguments', async t => {
  const { harness, client } = setUp(t)
  harness.slowlog.slowerThanUs = 0
  client.ask('put', 'k', 'v'.repeat(200))
  t.same(
    harness.slowlog.entries[0].args.map(arg => arg.toString()),
    ['put', 'k', `${'v'.repeat(128)}... (72 more bytes)`],
  )
  harness.slowlog.slowerThanUs = -1
  client.ask('ping')
  t.equal(harness.slowlog.entries.length, 1, 'a negative limit logs nothing')
})

t.test('a client that waits is served when its key is touched; what it sent meanwhile runs afterwards', async t => {
  const { harness, client, values } = setUp(t)
  const waiting = harness.client()
  waiting.send('take', 'k')
  waiting.send('ping')
  harness.endTick()
  t.equal(waiting.received(), '')
  t.ok(waiting.session.blocked)
  t.equal(client.ask('put', 'k', 'v'), '+OK\r\n')
  harness.endTick()
  t.equal(waiting.received(), '$1\r\nv\r\n+PONG\r\n')
  t.same(values.get('k'), [])
  t.same(harness.sink.records, [['0:put k v'], ['0:TAKE k']], 'its change is a record of its own')
})

t.test('waiting ends by time, CLIENT UNBLOCK and disconnection', async t => {
  const { harness } = setUp(t)
  const [late, released, cancelled, gone] = [1, 2, 3, 4].map(() => harness.client())
  late.send('take', 'k', 50)
  released.send('take', 'k')
  cancelled.send('take', 'k')
  gone.send('take', 'k')
  t.equal(harness.executor.blocked.count, 4)
  harness.clock.advance(50)
  harness.executor.deadlines.run()
  t.ok(released.session.unblock('timeout'))
  t.ok(cancelled.session.unblock('error'))
  t.notOk(cancelled.session.unblock('error'))
  gone.session.onClose()
  harness.endTick()
  t.equal(late.received(), '$-1\r\n')
  t.equal(released.received(), '$-1\r\n')
  t.equal(cancelled.received(), '-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n')
  t.equal(harness.executor.blocked.count, 0)
  t.equal(harness.executor.blocked.keyCount, 0)
})

t.test('CLIENT PAUSE keeps commands back and lets them go on in order', async t => {
  const { harness, client } = setUp(t)
  const { pause } = harness.executor
  pause.begin(harness.clock.nowMs() + 100, 'write', harness.clock.nowMs())
  t.equal(client.ask('ping'), '+PONG\r\n')
  client.send('put', 'k', 'v')
  client.send('ping')
  harness.endTick()
  t.equal(client.received(), '')
  harness.clock.advance(100)
  harness.executor.deadlines.run()
  harness.endTick()
  t.equal(client.received(), '+OK\r\n+PONG\r\n')
})

t.test('work that ends later holds back the client, and only that client', async t => {
  const { harness, client } = setUp(t)
  let finish: () => void = () => undefined
  harness.executor.laterReplies.begin(client.session, new Promise<void>(resolve => (finish = resolve)), reply =>
    reply.ok(),
  )
  t.ok(client.session.halted)
  t.equal(harness.client().ask('ping'), '+PONG\r\n')
  finish()
  await Promise.resolve()
  await Promise.resolve()
  harness.endTick()
  t.equal(client.received(), '+OK\r\n')
  t.notOk(client.session.halted)
})
