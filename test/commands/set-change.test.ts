import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { FakeContext } from '../support/fake-context.js'

const context = () => new FakeContext([...setCommands, ...keyCommands])

t.test('SADD counts new members, is journaled as it came, and leaves no trace when nothing is new', async t => {
  const ctx = context()
  t.equal(ctx.ask('SADD', 's', 'a', 'b', 'a'), ':2\r\n')
  t.same(ctx.effects, ['SADD s a b a'])
  t.same(ctx.touches, ['s'])
  t.same(ctx.notices, ['sadd s'])
  t.equal(ctx.ask('SADD', 's', 'a'), ':0\r\n')
  t.same(ctx.effects, [])
  t.same(ctx.touches, [])
})

t.test('SREM of the last member removes the key', async t => {
  const ctx = context()
  ctx.ask('SADD', 's', 'a', 'b')
  t.equal(ctx.ask('SREM', 's', 'a', 'x'), ':1\r\n')
  t.same(ctx.notices, ['srem s'])
  t.equal(ctx.ask('SREM', 's', 'b'), ':1\r\n')
  t.same(ctx.notices, ['srem s', 'del s'])
  t.equal(ctx.ask('EXISTS', 's'), ':0\r\n')
})

t.test('SMOVE moves a member, creates the target and removes an emptied source', async t => {
  const ctx = context()
  ctx.ask('SADD', 's', 'a')
  t.equal(ctx.ask('SMOVE', 's', 't', 'x'), ':0\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('SMOVE', 's', 's', 'a'), ':1\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('SMOVE', 's', 't', 'a'), ':1\r\n')
  t.same(ctx.effects, ['SMOVE s t a'])
  t.same(ctx.notices, ['srem s', 'del s', 'sadd t'])
  t.equal(ctx.ask('EXISTS', 's', 't'), ':1\r\n')
})

t.test('SPOP is journaled as what it took', async t => {
  const ctx = context()
  ctx.ask('SADD', 's', '1', '2', '3', '4', '5')
  const one = /^\$1\r\n(\d)\r\n$/.exec(ctx.ask('SPOP', 's'))![1]
  t.same(ctx.effects, [`SREM s ${one}`])
  const taken = [...ctx.ask('SPOP', 's', 2).matchAll(/\n(\d)\r/g)].map(match => match[1])
  t.equal(taken.length, 2)
  t.same(ctx.effects, [`SREM s ${taken.join(' ')}`])
  t.same(ctx.notices, ['spop s'])
  t.equal(ctx.ask('SPOP', 's', 0), '*0\r\n')
  t.same(ctx.effects, [])
  const rest = [...ctx.ask('SPOP', 's', 99).matchAll(/\n(\d)\r/g)].map(match => match[1])
  t.same([one, ...taken, ...rest].sort(), ['1', '2', '3', '4', '5'])
  t.same(ctx.effects, ['DEL s'])
  t.same(ctx.notices, ['spop s', 'del s'])
})

t.test('a large SPOP is journaled in pieces', async t => {
  const ctx = context()
  const members = Array.from({ length: 3000 }, (_, i) => `m${i}`)
  ctx.ask('SADD', 's', ...members)
  ctx.ask('SPOP', 's', 2500)
  t.equal(ctx.effects.length, 3)
  t.equal(new Set(ctx.effects.flatMap(effect => effect.split(' ').slice(2))).size, 2500)
  t.equal(ctx.ask('SCARD', 's'), ':500\r\n')
})
