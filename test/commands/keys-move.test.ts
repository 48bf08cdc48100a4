import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set a 1',
  'set b 2',
  'set i 7',
  'move a a',
  'move a 99',
  'move a 0',
  'move missing 0',
  'move missing 1',
  'move a -1',
  'move a 99999999999',
  'move a 1',
  'move a 1',
  'move a 1',
  'copy b d DB a',
  'copy b d DB 99',
  'copy b b',
  'copy b b DB 0',
  'copy b b DB 5',
  'copy b b DB 5',
  'copy b b DB 5 REPLACE',
  'copy b d foo',
  'copy b d DB',
  'copy b d2 REPLACE',
  'copy b d2',
  'copy missing d2',
  'copy missing d2 REPLACE',
  'copy i d2',
  'copy b d3',
  'rename missing missing',
  'renamenx missing missing',
  'rename a a',
  'renamenx a a',
  'renamenx a b',
  'renamenx a brandnew',
  'rename brandnew b',
  'set a 1',
  'copy a d3',
  'expireat d3 33177117421',
  'copy d3 d5',
  'pexpiretime d5',
  'rename d3 d4',
  'pexpiretime d4',
  'set i 2',
  'rename i d4',
  'pexpiretime d4',
  'get d4',
  'move d5 2',
  'copy a d5 DB 99999999999',
  'copy d4 d4 DB 3',
  'set a 5',
  'set zz 1',
  'renamenx a fresh',
  'renamenx a fresh2',
  'get fresh',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('both keys are told of, and the command is journaled as it came', async t => {
  const ctx = open()
  ctx.ask('SET', 'a', '1')
  ctx.ask('RENAME', 'a', 'b')
  t.same([ctx.effects, ctx.touches, ctx.notices], [['RENAME a b'], ['a', 'b'], ['rename_from a', 'rename_to b']])
  ctx.ask('MOVE', 'b', 1)
  t.same([ctx.effects, ctx.touches, ctx.notices], [['MOVE b 1'], ['b', 'b'], ['move_from b', 'move_to b']])
  ctx.session.databaseIndex = 1
  ctx.ask('COPY', 'b', 'c', 'DB', 0)
  t.same([ctx.effects, ctx.touches, ctx.notices], [['COPY b c DB 0'], ['c'], ['copy_to c']])
  ctx.ask('RENAME', 'b', 'b')
  t.same(ctx.effects, [])
})

t.test('a copy lives on its own', async t => {
  const ctx = open()
  ctx.ask('SET', 'a', 'one')
  ctx.ask('COPY', 'a', 'b')
  ctx.ask('APPEND', 'a', '!')
  ctx.ask('SETRANGE', 'b', 0, 'X')
  t.equal(ctx.ask('MGET', 'a', 'b'), '*2\r\n$4\r\none!\r\n$3\r\nXne\r\n')
})
