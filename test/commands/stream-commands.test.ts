// The rows of the stream commands: COMMAND INFO as redis-server gives it, and a journal that replays to the same data.

import t from 'tap'
import RedisParser from 'redis-parser'
import { Args } from '../../src/commands/args.js'
import { writeInfo } from '../../src/commands/command-info.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import { requestOf } from '../../src/resp/request.js'
import { FakeContext } from '../support/fake-context.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'

type Info = [string, number, string[], number, number, number, string[], string[], unknown[][], Info[]]

function parsed(bytes: Buffer): unknown {
  let result: unknown
  const parser = new RedisParser({
    returnReply: reply => (result = reply),
    returnError: error => (result = error),
  })
  parser.execute(bytes)
  return result
}

/** Without what has no order, and without the remarks on key specifications. */
function comparable(info: Info): unknown {
  const [name, arity, flags, first, last, step, categories, tips, keySpecs, subcommands] = info
  const specs = keySpecs.map(spec => spec.filter((_, i) => spec[i - (i % 2)] !== 'notes'))
  const inner = [...subcommands].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(comparable)
  return [name, arity, [...flags].sort(), first, last, step, [...categories].sort(), tips, specs, inner]
}

/** Later than the reference. */
const NEWER = new Set(['xackdel', 'xcfgset', 'xdelex', 'xidmprecord', 'xnack'])

t.test('COMMAND INFO of each row is that of redis-server', { skip: findRedisServer() === undefined }, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const client = await RespClient.connect(redis.port)
  t.teardown(() => client.close())
  for (const row of streamCommands) {
    if (NEWER.has(row.name)) continue
    const [theirs] = parsed(await client.command('COMMAND', 'INFO', row.name)) as [Info]
    const reply = new ReplyWriter()
    writeInfo(reply, row)
    const ours = parsed(Buffer.concat(reply.take())) as Info
    t.same(comparable(ours), comparable(theirs), row.name)
  }
})

const KEYS = ['a', 'b']
const GROUPS = ['g', 'h']
const CONSUMERS = ['x', 'y', 'z']
const STEPS = 1500

/** One random stream command; IDs are small so that they often meet. */
function randomCommand(pick: (max: number) => number): (string | number)[] {
  const one = <T>(list: readonly T[]) => list[pick(list.length)]
  const key = one(KEYS)
  const group = one(GROUPS)
  const consumer = one(CONSUMERS)
  const id = () => `${pick(2) === 0 ? 1_700_000_000_000 + pick(400) : pick(300)}-${pick(2)}`
  const trim = () =>
    one([
      ['MAXLEN', '~', pick(30)],
      ['MAXLEN', '~', pick(30), 'LIMIT', pick(9)],
      ['MINID', '~', id()],
      ['MAXLEN', 40],
    ])
  const choices: (() => (string | number)[])[] = [
    () => ['XADD', key, '*', 'f', pick(1000)],
    () => ['XADD', key, ...trim(), '*', 'f', 'x'.repeat(pick(40))],
    () => ['XADD', key, 'NOMKSTREAM', `${1_700_000_000_000 + pick(400)}-*`, 'f', 'v', 'g', 'w'],
    () => ['XDEL', key, id(), id()],
    () => ['XTRIM', key, ...trim()],
    () => ['XGROUP', 'CREATE', key, group, one(['$', '0', id()]), 'MKSTREAM'],
    () => ['XGROUP', one(['DELCONSUMER', 'CREATECONSUMER']), key, group, consumer],
    () => ['XGROUP', 'SETID', key, group, one(['$', '0', id()])],
    () => (pick(9) === 0 ? ['XGROUP', 'DESTROY', key, group] : ['XLEN', key]),
    () => ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', pick(6), 'STREAMS', key, '>'],
    () => ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', 3, 'NOACK', 'STREAMS', ...KEYS, '>', '>'],
    () => ['XREADGROUP', 'GROUP', group, consumer, 'COUNT', pick(4), 'STREAMS', key, id()],
    () => ['XACK', key, group, id(), id()],
    () => ['XCLAIM', key, group, consumer, pick(50), id(), id(), ...one([[], ['FORCE'], ['JUSTID'], ['IDLE', 20]])],
    () => ['XAUTOCLAIM', key, group, consumer, pick(80), one(['-', id()]), 'COUNT', 1 + pick(5)],
    () => ['XSETID', key, `${1_700_000_000_400 + pick(400)}-0`, 'ENTRIESADDED', 900 + pick(100)],
  ]
  return one(choices)()
}

/** Everything that must survive; when a consumer was last seen is not. */
function stateOf(ctx: FakeContext): string[] {
  return KEYS.map(key =>
    ctx
      .ask('XINFO', 'STREAM', key, 'FULL', 'COUNT', 0)
      .replaceAll(/(seen-time|active-time)\r\n:-?\d+/g, '$1')
      .replaceAll(/radix-tree-keys\r\n:\d+\r\n\$16\r\nradix-tree-nodes\r\n:\d+/g, ''),
  )
}

t.test('the effects of random commands replay to the same streams, groups and pending entries', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const live = new FakeContext(streamCommands)
  const replay = new FakeContext(streamCommands)
  replay.replaying = true
  replay.mayBlock = false
  for (const ctx of [live, replay]) ctx.config.set([['stream-node-max-entries', '4']])
  let effects = 0
  for (let step = 0; step < STEPS; step++) {
    const command = randomCommand(max => rng.below(max))
    live.clock.advance(rng.below(20))
    live.ask(...command)
    replay.clock.advance(live.clock.nowMs() - replay.clock.nowMs())
    for (const effect of live.effects) {
      effects++
      const reply = replay.ask(...effect.split(' '))
      if (reply.startsWith('-')) t.fail(`step ${step}: ${command.join(' ')} was journaled as ${effect}: ${reply}`)
    }
    if (step % 100 === 99) t.same(stateOf(replay), stateOf(live), `after ${step + 1} commands`)
  }
  t.ok(effects > STEPS / 4, `${effects} effects`)
})

t.test('parsing looks at arguments only', async t => {
  const parse = (...words: string[]) => {
    const row = new FakeContext(streamCommands).table.lookup(requestOf(words))!
    return row.spec.parse(new Args(requestOf(words), row.argsAt))
  }
  t.match(parse('XADD', 'k', 'MAXLEN', '~', '5', '7-*', 'f', 'v'), { key: 'k', idIndex: 5, autoSeq: true })
  t.match(parse('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', '0', 'NOACK', 'STREAMS', 'k', 'l', '>', '7'), {
    group: 'g',
    consumer: 'c',
    noAck: true,
    blockMs: -1,
    keys: ['k', 'l'],
  })
  t.throws(() => parse('XREAD', 'STREAMS', 'k'), { message: /^ERR Unbalanced/ })
})
