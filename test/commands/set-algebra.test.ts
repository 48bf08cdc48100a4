import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { FakeContext } from '../support/fake-context.js'
import { Seeded } from '../support/seeded.js'

const context = () => new FakeContext([...setCommands, ...keyCommands, ...stringCommands])

function bulks(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n(.*)\r\n/g)].map(match => match[1])
}

t.test('stored results replace whatever was there, and an empty one removes it', async t => {
  const ctx = context()
  ctx.ask('SADD', 'a', '1', '2', '3')
  ctx.ask('SADD', 'b', '2', '3', '4')
  ctx.ask('SET', 'to', 'x')
  t.equal(ctx.ask('SINTERSTORE', 'to', 'a', 'b'), ':2\r\n')
  t.same(ctx.effects, ['SINTERSTORE to a b'])
  t.same(ctx.touches, ['to'])
  t.same(ctx.notices, ['sinterstore to'])
  t.equal(ctx.ask('TYPE', 'to'), '+set\r\n')
  t.equal(ctx.ask('SDIFFSTORE', 'to', 'a', 'a'), ':0\r\n')
  t.same(ctx.notices, ['del to'])
  t.same(ctx.effects, ['SDIFFSTORE to a a'])
  t.equal(ctx.ask('SUNIONSTORE', 'to', 'none'), ':0\r\n')
  t.same(ctx.effects, [])
  t.same(ctx.touches, [])
})

t.test('a target may be one of the sources', async t => {
  const ctx = context()
  ctx.ask('SADD', 'a', 'x', 'y')
  ctx.ask('SADD', 'b', 'y', 'z')
  t.equal(ctx.ask('SUNIONSTORE', 'a', 'a', 'b'), ':3\r\n')
  t.same(bulks(ctx.ask('SMEMBERS', 'a')).sort(), ['x', 'y', 'z'])
})

t.test('every key is looked at before anything changes', async t => {
  const ctx = context()
  ctx.ask('SET', 'str', 'x')
  ctx.ask('SADD', 'to', 'kept')
  t.match(ctx.ask('SINTERSTORE', 'to', 'none', 'str'), /^-WRONGTYPE/)
  t.same(bulks(ctx.ask('SMEMBERS', 'to')), ['kept'])
})

t.test('SINTERCARD stops at its limit', async t => {
  const ctx = context()
  ctx.ask('SADD', 'a', '1', '2', '3')
  t.equal(ctx.ask('SINTERCARD', 2, 'a', 'a', 'LIMIT', 2), ':2\r\n')
  t.equal(ctx.ask('SINTERCARD', 2, 'a', 'a'), ':3\r\n')
})

t.test('results equal those of a model, for sets of all sizes', async t => {
  const rng = new Seeded(Number(process.env.SEED ?? 7))
  t.comment(`SEED=${rng.seed}`)
  for (let round = 0; round < 40; round++) {
    const ctx = context()
    const model = ['a', 'b', 'c'].map(key => {
      const size = rng.pick([0, 3, 60, 600])
      const members = Array.from({ length: size }, () => String(rng.below(700)))
      if (size > 0) ctx.ask('SADD', key, ...members)
      return new Set(members)
    })
    const keys = Array.from({ length: rng.between(1, 4) }, () => rng.below(3))
    const [first, ...others] = keys.map(i => model[i])
    const names = keys.map(i => 'abc'[i])
    const expected = {
      SINTER: [...first].filter(member => others.every(other => other.has(member))),
      SUNION: [...new Set(keys.flatMap(i => [...model[i]]))],
      SDIFF: [...first].filter(member => !others.some(other => other.has(member))),
    }
    for (const [name, members] of Object.entries(expected)) {
      t.same(bulks(ctx.ask(name, ...names)).sort(), members.sort(), `${name} ${names.join(' ')}`)
    }
  }
})
