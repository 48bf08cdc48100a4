// LSET, LTRIM, LREM and LINSERT on a context of their own: what they journal, touch and tell.
// Replies: test/wire/list.test.ts.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { FakeContext } from '../support/fake-context.js'

function contextWith(...elements: string[]): FakeContext {
  const ctx = new FakeContext(listCommands)
  ctx.ask('RPUSH', 'l', ...elements)
  return ctx
}

t.test('what changes a list journals its request', async t => {
  for (const [command, notices, left] of [
    ['LSET l -1 z', ['lset l'], 'a b a z'],
    ['LTRIM l 1 -2', ['ltrim l'], 'b a'],
    ['LREM l 1 a', ['lrem l'], 'b a c'],
    ['LREM l -1 a', ['lrem l'], 'a b c'],
    ['LINSERT l BEFORE a z', ['linsert l'], 'z a b a c'],
    ['LINSERT l AFTER a z', ['linsert l'], 'a z b a c'],
  ] as const) {
    const ctx = contextWith('a', 'b', 'a', 'c')
    ctx.ask(...command.split(' '))
    t.strictSame([ctx.effects, ctx.touches, ctx.notices], [[command], ['l'], notices], command)
    const words = left.split(' ')
    t.equal(ctx.ask('LRANGE', 'l', 0, -1), `*${words.length}\r\n${words.map(word => `$1\r\n${word}\r\n`).join('')}`)
  }
})

t.test('a list that becomes empty goes with its key', async t => {
  for (const [command, event] of [
    ['LTRIM l 5 9', 'ltrim'],
    ['LREM l 0 a', 'lrem'],
  ] as const) {
    const ctx = contextWith('a', 'a')
    ctx.ask(...command.split(' '))
    t.strictSame([ctx.effects, ctx.notices], [[command], [`${event} l`, 'del l']])
    t.equal(ctx.db.peek('l'), undefined)
  }
})

t.test('what changes nothing is not journaled', async t => {
  for (const command of [
    'LTRIM none 0 1',
    'LREM l 0 z',
    'LREM none 0 a',
    'LINSERT l BEFORE z x',
    'LINSERT none AFTER a x',
  ]) {
    const ctx = contextWith('a', 'b')
    ctx.ask(...command.split(' '))
    t.strictSame([ctx.effects, ctx.notices], [[], []], command)
  }
  const ctx = contextWith('a', 'b')
  ctx.ask('LTRIM', 'l', 0, -1)
  t.strictSame([ctx.effects, ctx.notices], [[], ['ltrim l']], 'Redis tells of a trim that removes nothing')
})
