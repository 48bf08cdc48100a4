// The list commands that wait, on a context of their own: what they journal. Replies: test/wire/list-blocking.test.ts.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { FakeContext } from '../support/fake-context.js'

const COMMANDS = [...listCommands, ...stringCommands]

t.test('what is there is taken at once, and journaled as the command that does not wait', async t => {
  for (const [command, effect, reply] of [
    ['BLPOP none l 0', 'LPOP l', '*2\r\n$1\r\nl\r\n$1\r\na\r\n'],
    ['BRPOP l 0', 'RPOP l', '*2\r\n$1\r\nl\r\n$1\r\nc\r\n'],
    ['BLMPOP 0 2 none l RIGHT COUNT 2', 'RPOP l 2', '*2\r\n$1\r\nl\r\n*2\r\n$1\r\nc\r\n$1\r\nb\r\n'],
    ['BLMOVE l to LEFT RIGHT 0', 'LMOVE l to left right', '$1\r\na\r\n'],
    ['BRPOPLPUSH l to 0', 'LMOVE l to right left', '$1\r\nc\r\n'],
  ] as const) {
    const ctx = new FakeContext(COMMANDS)
    ctx.ask('RPUSH', 'l', 'a', 'b', 'c')
    t.equal(ctx.ask(...command.split(' ')), reply, command)
    t.equal(ctx.wait, undefined)
    t.strictSame(ctx.effects, [effect])
  }
})

t.test('who waits is served and journaled in the same way', async t => {
  for (const [command, effect, reply, notices] of [
    ['BLPOP k l 1.5', 'LPOP l', '*2\r\n$1\r\nl\r\n$1\r\na\r\n', ['lpop l']],
    ['BRPOP l 1.5', 'RPOP l', '*2\r\n$1\r\nl\r\n$1\r\nb\r\n', ['rpop l']],
    ['BLMPOP 1.5 2 k l LEFT COUNT 5', 'LPOP l 2', '*2\r\n$1\r\nl\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', ['lpop l', 'del l']],
    ['BLMOVE l to LEFT RIGHT 1.5', 'LMOVE l to left right', '$1\r\na\r\n', ['rpush to', 'lpop l']],
    ['BRPOPLPUSH l to 1.5', 'LMOVE l to right left', '$1\r\nb\r\n', ['lpush to', 'rpop l']],
  ] as const) {
    const ctx = new FakeContext(COMMANDS)
    t.equal(ctx.ask(...command.split(' ')), '', command)
    const wait = ctx.wait!
    t.equal(wait.timeoutMs, 1500)
    t.equal(ctx.serve(wait, 'l'), undefined)
    ctx.ask('SET', 'l', 'x')
    t.equal(ctx.serve(wait, 'l'), undefined, 'another type is not met')
    t.strictSame(ctx.effects, [])
    ctx.db.remove('l')
    ctx.ask('RPUSH', 'l', 'a', 'b')
    t.equal(ctx.serve(wait, 'l'), reply)
    t.strictSame([ctx.effects, ctx.notices], [[effect], notices])
  }
})

t.test('a move to another type fails and takes nothing', async t => {
  const ctx = new FakeContext(COMMANDS)
  ctx.ask('SET', 'to', 'x')
  ctx.ask('BLMOVE', 'l', 'to', 'LEFT', 'LEFT', 0)
  const wait = ctx.wait!
  ctx.ask('RPUSH', 'l', 'a')
  t.match(ctx.serve(wait, 'l'), /^-WRONGTYPE/)
  t.strictSame([ctx.effects, ctx.touches], [[], []])
  t.equal(ctx.ask('LLEN', 'l'), ':1\r\n')
})

t.test('where nobody may wait the answer is that of a time that is up', async t => {
  const ctx = new FakeContext(COMMANDS)
  ctx.mayBlock = false
  for (const [command, reply] of [
    ['BLPOP l 0', '*-1\r\n'],
    ['BLMPOP 0 1 l LEFT', '*-1\r\n'],
    ['BLMOVE l to LEFT LEFT 0', '$-1\r\n'],
    ['BRPOPLPUSH l to 0', '$-1\r\n'],
  ] as const) {
    t.equal(ctx.ask(...command.split(' ')), reply)
    t.equal(ctx.wait, undefined)
  }
})
