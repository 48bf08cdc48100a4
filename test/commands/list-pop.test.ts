// LPOP, RPOP and LMPOP on a context of their own: what they journal, touch and tell. Replies: test/wire/list.test.ts.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { FakeContext } from '../support/fake-context.js'

t.test('a pop journals its request; the last one takes the key along', async t => {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', 'a', 'b', 'c')
  t.equal(ctx.ask('LPOP', 'l'), '$1\r\na\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [['LPOP l'], ['l'], ['lpop l']])
  t.equal(ctx.ask('RPOP', 'l', 9), '*2\r\n$1\r\nc\r\n$1\r\nb\r\n')
  t.strictSame([ctx.effects, ctx.touches, ctx.notices], [['RPOP l 9'], ['l'], ['rpop l', 'del l']])
  t.equal(ctx.db.peek('l'), undefined)
})

t.test('nothing taken leaves no trace', async t => {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', 'a')
  for (const command of [
    ['LPOP', 'none'],
    ['RPOP', 'none', 3],
    ['LPOP', 'l', 0],
    ['LMPOP', 1, 'none', 'LEFT'],
  ]) {
    ctx.ask(...command)
    t.strictSame([ctx.effects, ctx.touches, ctx.notices], [[], [], []], command.join(' '))
  }
})

t.test('LMPOP journals the pop that it was', async t => {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', 'a', 'b', 'c')
  t.equal(ctx.ask('LMPOP', 2, 'none', 'l', 'RIGHT', 'COUNT', 2), '*2\r\n$1\r\nl\r\n*2\r\n$1\r\nc\r\n$1\r\nb\r\n')
  t.strictSame([ctx.effects, ctx.notices], [['RPOP l 2'], ['rpop l']])
  ctx.ask('LMPOP', 1, 'l', 'LEFT', 'COUNT', 5)
  t.strictSame([ctx.effects, ctx.notices], [['LPOP l 1'], ['lpop l', 'del l']])
})
