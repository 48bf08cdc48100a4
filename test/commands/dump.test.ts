import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import type { Line } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'
import { payloadOf } from '../types/rdb/rdb-fixture.js'

const COMMANDS = [...keyCommands, ...stringCommands, ...streamCommands]
const NOW_MS = 1_700_000_000_000
const INT64_MAX = '9223372036854775807'

const bar = payloadOf(Buffer.from('0003626172', 'hex'))
const damaged = Buffer.from(bar)
damaged[2] ^= 1
const cutOff = payloadOf(Buffer.from('000f6261', 'hex'))

const LINES: Line[] = [
  'set a bar',
  'set n 12',
  'set e 1',
  'dump a',
  'dump n',
  'dump missing',
  'dump',
  'restore',
  'restore k 0',
  ['restore', 'k', 0, bar],
  'get k',
  'ttl k',
  ['restore', 'k', 0, bar],
  ['restore', 'k', 0, 'nonsense'],
  ['restore', 'k', 'x', bar],
  ['restore', 'k', -1, bar],
  ['restore', 'k2', 'x', bar],
  ['restore', 'k2', -1, bar],
  ['restore', 'k2', -1, 'nonsense'],
  ['restore', 'k2', 0, 'nonsense'],
  ['restore', 'k2', 0, ''],
  ['restore', 'k2', 0, damaged],
  ['restore', 'k2', 0, cutOff],
  ['restore', 'k2', 0, payloadOf(Buffer.from('0003626172', 'hex'), 15)],
  ['restore', 'k2', 0, payloadOf(Buffer.from('0003626172', 'hex'), 5)],
  ['restore', 'k', 0, payloadOf(Buffer.from('000161', 'hex')), 'replace'],
  'get k',
  ['restore', 'k', 'x', bar, 'REPLACE'],
  ['restore', 'k', 0, damaged, 'REPLACE'],
  ['restore', 'k', 0, cutOff, 'REPLACE'],
  ['restore', 'k', 0, payloadOf(Buffer.from('c8', 'hex')), 'REPLACE'],
  'get k',
  ['restore', 'k3', 0, bar, 'nonsense'],
  ['restore', 'k3', 0, bar, 'IDLETIME'],
  ['restore', 'k3', 0, bar, 'IDLETIME', -1],
  ['restore', 'k3', 0, bar, 'IDLETIME', 'x'],
  ['restore', 'k3', 0, bar, 'FREQ', -1],
  ['restore', 'k3', 0, bar, 'FREQ', 256],
  ['restore', 'k3', 0, bar, 'FREQ', 'x'],
  ['restore', 'k3', 0, bar, 'FREQ', 5, 'IDLETIME', 5],
  ['restore', 'k3', 0, bar, 'IDLETIME', 5, 'FREQ', 5],
  ['restore', 'k', 'x', 'nonsense', 'IDLETIME', -1],
  ['restore', 'k3', 0, bar, 'FREQ', 255, 'FREQ', 0],
  ['restore', 'k4', 33177117420000, bar, 'absttl', 'idletime', 10],
  'pexpiretime k4',
  ['restore', 'k4', 1000, bar, 'absttl'],
  ['restore', 'k4', 1000, bar, 'absttl', 'replace'],
  'exists k4',
  ['restore', 'k4', 1000, bar, 'absttl', 'replace'],
  ['restore', 'k5', INT64_MAX, bar, 'ABSTTL'],
  'pexpiretime k5',
  ['restore', 'k6', INT64_MAX, bar],
  'exists k6',
  ['restore', 'e', 0, payloadOf(Buffer.from([19, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])), 'REPLACE'],
  'xlen e',
  'type e',
  'xadd e 1-1 f v',
  'dump e',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, COMMANDS, LINES)
})

const open = () => new FakeContext(COMMANDS)
/** What the journal holds of a RESTORE. */
const effect = (key: string, atMs: number, replace = '') =>
  `RESTORE ${key} ${atMs} ${bar.latin1Slice()}${replace} ABSTTL`

t.test('the journal has the payload and an absolute time', async t => {
  const ctx = open()
  t.equal(ctx.ask('RESTORE', 'k', 5000, bar), '+OK\r\n')
  t.same([ctx.effects, ctx.touches, ctx.notices], [[effect('k', NOW_MS + 5000)], ['k'], ['restore k']])
  ctx.ask('RESTORE', 'k', 0, bar, 'REPLACE', 'IDLETIME', 50)
  t.same(ctx.effects, [effect('k', 0, ' REPLACE')])
  t.equal(ctx.ask('OBJECT', 'IDLETIME', 'k'), ':50\r\n')
  ctx.ask('RESTORE', 'k', NOW_MS + 1, bar, 'replace', 'absttl')
  t.match(ctx.effects, [/ replace absttl$/], 'what is absolute as it came')
  ctx.ask('RESTORE', 'k', 0, bar)
  t.same([ctx.effects, ctx.touches], [[], []])
  ctx.ask('DUMP', 'k')
  t.same(ctx.effects, [])
})

t.test('a time that has passed removes what was there', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'old')
  t.equal(ctx.ask('RESTORE', 'k', NOW_MS, bar, 'ABSTTL', 'REPLACE'), '+OK\r\n')
  t.same([ctx.effects, ctx.touches, ctx.notices], [['DEL k'], ['k'], ['del k']])
  ctx.ask('RESTORE', 'k', NOW_MS, bar, 'ABSTTL')
  t.same([ctx.effects, ctx.touches, ctx.notices], [[], [], []])
  t.equal(ctx.ask('EXISTS', 'k'), ':0\r\n')
})

t.test('the replay keeps what has expired, and knows no limits', async t => {
  const ctx = open()
  ctx.replaying = true
  ctx.keyspace.replaying = true
  ctx.config.values.protoMaxBulkLen = 2
  ctx.ask('RESTORE', 'k', 1000, bar, 'REPLACE', 'ABSTTL')
  t.same([ctx.ask('GET', 'k'), ctx.ask('PEXPIRETIME', 'k')], ['$3\r\nbar\r\n', ':1000\r\n'])
})

t.test('what is larger than an argument may be is neither taken nor given', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', 'x'.repeat(3000))
  const payload = ctx.ask('DUMP', 'k')
  ctx.config.values.protoMaxBulkLen = 2999
  t.equal(ctx.ask('DUMP', 'k'), '-ERR the value is too large for one reply (proto-max-bulk-len)\r\n')
  const body = Buffer.from(payload.slice(payload.indexOf('\n') + 1, -2), 'latin1')
  t.equal(ctx.ask('RESTORE', 'k2', 0, body), '-ERR Bad data format\r\n')
  t.equal(ctx.ask('EXISTS', 'k2'), ':0\r\n')
})
