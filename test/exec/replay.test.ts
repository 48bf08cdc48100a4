import t from 'tap'
import { ReplyError } from '../../src/base/errors.js'
import { Flag } from '../../src/commands/spec.js'
import { NO_TRANSPORT } from '../../src/exec/no-transport.js'
import { Replay, viewCommand } from '../../src/exec/replay.js'
import { ClientSession } from '../../src/exec/session.js'
import { Request, requestOf } from '../../src/resp/request.js'
import { ExecHarness } from '../support/exec-harness.js'
import { command } from './command-fixture.js'

function setUp(t: { teardown(fn: () => void): void }) {
  const seen: string[] = []
  const harness = new ExecHarness([
    command('note', -2, Flag.Write, (ctx, words) => {
      seen.push(`${ctx.nowMs} ${ctx.db.index} ${words.join(' ')}${ctx.mayBlock ? ' may block' : ''}`)
      ctx.changed()
      ctx.effect('NOTE', 'other')
      ctx.reply.ok()
    }),
    command('fail', 1, Flag.Write, ctx => {
      ctx.reply.array(1)
      throw new ReplyError('ERR no such luck')
    }),
    command('bug', 1, Flag.Write, () => {
      throw new TypeError('a defect')
    }),
  ])
  t.teardown(() => harness.close())
  const { executor } = harness
  const session = new ClientSession(0, NO_TRANSPORT, executor)
  const replay = new Replay(executor.context, harness.table, executor.keyspace, session)
  const run = (...effects: [number, ...string[]][]) =>
    replay.run({
      sequence: 42,
      nowMs: 777,
      effects: effects.map(([database, ...words]) => ({ database, bytes: bytesOf(requestOf(words)) })),
    })
  return { harness, replay, seen, run }
}

function bytesOf(request: Request): Buffer {
  return Buffer.from(request.buffer.subarray(request.from, request.to))
}

t.test('effects run in their database with the clock of their record, and are not journaled again', async t => {
  const { harness, replay, seen, run } = setUp(t)
  t.equal(harness.executor.context.replaying, true)
  run([3, 'note', 'a'], [0, 'NOTE', 'b', 'c'])
  t.same(seen, ['777 3 a', '777 0 b c'])
  t.equal(replay.effects, 2)
  t.same(harness.sink.records, [])
  replay.end()
  t.match(harness.executor, { context: { replaying: false }, keyspace: { replaying: false } })
})

t.test('what cannot be run again stops the start and names the record', async t => {
  const { run } = setUp(t)
  const refused = (text: string) => ({ name: 'CorruptionError', message: `Journal record 42 ${text}` })
  t.throws(() => run([0, 'nonsense']), refused('holds a command this version does not know: nonsense'))
  t.throws(() => run([0, 'note']), refused('holds a note of 1 arguments'))
  t.throws(() => run([16, 'note', 'a']), refused('is for database 16'))
  t.throws(() => run([0, 'fail']), refused('(fail) cannot be done again: ERR no such luck'))
  t.throws(() => run([0, 'bug']), new TypeError('a defect'), 'our own defects are not the data’s')
})

t.test('only one complete array of bulk strings is a command', async t => {
  const request = new Request()
  const view = (text: string) => viewCommand(request, Buffer.from(text, 'latin1'))
  t.equal(view('*2\r\n$3\r\nGET\r\n$0\r\n\r\n'), true)
  t.same([request.argc, request.text(0), request.text(1)], [2, 'GET', ''])
  const good = '*1\r\n$4\r\nPING\r\n'
  t.equal(view(good), true)
  for (let length = 0; length < good.length; length++) t.equal(view(good.slice(0, length)), false, `${length} bytes`)
  for (const bad of [`${good}*`, '*0\r\n', '*-1\r\n', '+OK\r\n', '*1\r\n:1\r\n', '*\r\n', '*1\r\n$9\r\nPING\r\n']) {
    t.equal(view(bad), false, JSON.stringify(bad))
  }
})
