import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set s abc',
  'setrange ff 0 ÿÿÿ',
  'object encoding d',
  'object encoding sb',
  'setrange s -1 a',
  'setrange missing 536870912 a',
  ['setrange', 'missing', '-1', ''],
  ['setrange', 'missing', '5', ''],
  'setrange s 536870911 aa',
  'setrange s 5 xyz',
  'setrange s 1 QQ',
  'get s',
  'set s abc',
  'incrby s a',
  'incrby s 1',
  'incr i',
  'incr i',
  'decr i',
  'incrby i 10',
  'decrby i 100',
  'decrby i -9223372036854775808',
  'incrby i 9223372036854775807',
  'incrby i 9223372036854775807',
  'incrby i 9007199254740993',
  'decrby i 9223372036854775807',
  'get i',
  'set i 9223372036854775806',
  'incr i',
  'incr i',
  'set i -9223372036854775808',
  'decr i',
  'set i 00',
  'incr i',
  'set i +1',
  'incr i',
  'set i -0',
  'incr i',
  'incr i',
  'set i 1.5',
  'incr i',
  'set i 9223372036854775808',
  'incr i',
  'incrbyfloat s 1',
  'incrbyfloat s a',
  'set o notnum',
  'incrbyfloat o bad',
  'incrbyfloat missing bad',
  'set f 0x10',
  'incrbyfloat f 0x1p3',
  'object encoding f',
  'incrbyfloat g 1e-20',
  'incrbyfloat g -0.0',
  'incrbyfloat h 1e4000',
  'incrbyfloat g nan',
  'set i 10000',
  'incrbyfloat i 3.0e3',
  'incrbyfloat i 0.1',
  'incrbyfloat i 1e17',
  'incrbyfloat i 0.1',
  'incrbyfloat i -1e17',
  'incrbyfloat i inf',
  'incrbyfloat i 1e5000',
  'incrbyfloat i 1e-5000',
  'incrbyfloat fresh 5',
  'object encoding fresh',
  'append fresh 5',
  'object encoding fresh',
  'append n2 12',
  'object encoding n2',
  ['set', 'e', ''],
  'incrbyfloat e 1',
  'incr e',
  ['append', 'e', ''],
  'object encoding int',
  'object encoding int',
  'object encoding int',
  'object encoding t',
  'object encoding t',
  'setrange new 2 a',
  'object encoding new',
  'object encoding k',
  'set s abc',
  'get s',
  'set s 1',
  'set s 1',
  'object encoding missing',
  'object encoding',
  'object encoding a b',
  'append',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('changes in place keep the expiry and say what they were', async t => {
  const ctx = open()
  ctx.ask('SET', 'k', '5', 'EX', 10)
  for (const [args, effect, notice] of [
    [['INCR', 'k'], 'INCR k', 'incrby k'],
    [['DECRBY', 'k', 2], 'DECRBY k 2', 'incrby k'],
    [['INCRBYFLOAT', 'k', '0.5'], 'SET k 4.5 KEEPTTL', 'incrbyfloat k'],
    [['APPEND', 'k', 'x'], 'APPEND k x', 'append k'],
    [['SETRANGE', 'k', 1, 'y'], 'SETRANGE k 1 y', 'setrange k'],
  ] as const) {
    ctx.ask(...args)
    t.same([ctx.effects, ctx.notices, ctx.touches], [[effect], [notice], ['k']])
  }
  t.equal(ctx.ask('GET', 'k'), '$4\r\n4y5x\r\n')
  t.equal(ctx.ask('TTL', 'k'), ':10\r\n')
  ctx.ask('SETRANGE', 'k', 100, '')
  t.same(ctx.effects, [], 'nothing to write changes nothing')
})

t.test('no string grows past the longest argument', async t => {
  const ctx = open()
  ctx.config.set([['proto-max-bulk-len', '1mb']])
  ctx.ask('SET', 'k', 'x'.repeat(1024 * 1024))
  t.match(ctx.ask('APPEND', 'k', 'x'), /^-ERR string exceeds maximum allowed size \(proto-max-bulk-len\)/)
  t.match(ctx.ask('SETRANGE', 'k', 1024 * 1024, 'x'), /^-ERR string exceeds/)
  t.equal(ctx.ask('STRLEN', 'k'), ':1048576\r\n')
})
