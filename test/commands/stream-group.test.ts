// XGROUP: the journal and whom it tells.

import t from 'tap'
import { streamCommands } from '../../src/commands/stream-commands.js'
import { FakeContext } from '../support/fake-context.js'

const ask = (ctx: FakeContext, line: string) => ctx.ask(...line.split(' '))

function context(...lines: string[]): FakeContext {
  const ctx = new FakeContext(streamCommands)
  for (const line of ['XADD s 7-1 f v', ...lines]) ask(ctx, line)
  return ctx
}

t.test('the ID $ is journaled as the ID that it meant', async t => {
  const ctx = context()
  ask(ctx, 'XGROUP CREATE s g $ ENTRIESREAD 1')
  t.same(ctx.effects, ['XGROUP CREATE s g 7-1 ENTRIESREAD 1'])
  t.same([ctx.notices, ctx.touches], [['xgroup-create s'], []])
  ask(ctx, 'XGROUP CREATE u g $ MKSTREAM')
  t.same(ctx.effects, ['XGROUP CREATE u g 0-0 MKSTREAM'])
  t.same([ctx.notices, ctx.touches], [['xgroup-create u'], ['u']], 'a key appeared')
  ask(ctx, 'XGROUP SETID s g $')
  t.same(ctx.effects, ['XGROUP SETID s g 7-1'])
  t.same([ctx.notices, ctx.touches], [['xgroup-setid s'], []])
})

t.test('everything else is journaled as it came, when it changed something', async t => {
  const ctx = context('XGROUP CREATE s g 0')
  const effectsOf = (line: string) => {
    ask(ctx, line)
    return [ctx.effects, ctx.notices]
  }
  t.same(effectsOf('XGROUP CREATE s h 5'), [['XGROUP CREATE s h 5'], ['xgroup-create s']])
  t.same(effectsOf('XGROUP CREATE s h 5'), [[], []])
  t.same(effectsOf('XGROUP CREATECONSUMER s g c'), [['XGROUP CREATECONSUMER s g c'], ['xgroup-createconsumer s']])
  t.same(effectsOf('XGROUP CREATECONSUMER s g c'), [[], []])
  t.same(effectsOf('XGROUP DELCONSUMER s g c'), [['XGROUP DELCONSUMER s g c'], ['xgroup-delconsumer s']])
  t.same(effectsOf('XGROUP DELCONSUMER s g c'), [[], []])
  t.same(effectsOf('XGROUP DESTROY s g'), [['XGROUP DESTROY s g'], ['xgroup-destroy s']])
  t.same(ctx.touches, ['wake s'], 'who waits must hear of it, who watches need not')
  t.same(effectsOf('XGROUP DESTROY s g'), [[], []])
})

t.test('an error creates no stream', async t => {
  const ctx = context()
  t.match(ask(ctx, 'XGROUP CREATE u g x MKSTREAM'), /^-ERR Invalid stream ID/)
  t.equal(ctx.db.peek('u'), undefined)
})

t.test('HELP names every subcommand', async t => {
  const lines = ask(context(), 'XGROUP HELP').split('\r\n')
  t.equal(lines[1], '+XGROUP <subcommand> [<arg> [value] [opt] ...]. Subcommands are:')
  for (const word of ['CREATE', 'CREATECONSUMER', 'DELCONSUMER', 'DESTROY', 'HELP', 'SETID']) {
    t.ok(
      lines.some(line => new RegExp(`^\\+${word}( |$)`).test(line)),
      word,
    )
  }
})
