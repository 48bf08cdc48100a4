import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { FakeContext } from '../support/fake-context.js'

function bulks(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n(.*)\r\n/g)].map(match => match[1])
}

function passOf(ctx: FakeContext, command: string, ...options: string[]): { calls: number; given: string[] } {
  const given: string[] = []
  let cursor = '0'
  let calls = 0
  do {
    const [next, ...items] = bulks(ctx.ask(command, 'k', cursor, ...options))
    given.push(...items)
    cursor = next
    calls++
  } while (cursor !== '0')
  return { calls, given }
}

t.test('SSCAN of a large set needs many calls, gives each member once, and takes COUNT and MATCH', async t => {
  const ctx = new FakeContext(setCommands)
  const members = Array.from({ length: 1000 }, (_, i) => `m${i}`)
  ctx.ask('SADD', 'k', ...members)
  const pass = passOf(ctx, 'SSCAN')
  t.same(pass.given.sort(), members.sort())
  t.ok(pass.calls >= 90)
  t.ok(passOf(ctx, 'SSCAN', 'COUNT', '300').calls <= 5)
  t.same(passOf(ctx, 'SSCAN', 'MATCH', 'm?').given.length, 10)
  t.equal(ctx.ask('SSCAN', 'k', '18446744073709551615'), '*2\r\n$1\r\n0\r\n*0\r\n')
})

t.test('HSCAN gives fields with their values; a small hash comes whole', async t => {
  const ctx = new FakeContext(hashCommands)
  ctx.ask('HSET', 'k', 'f', '1', 'g', '2')
  t.same(passOf(ctx, 'HSCAN', 'COUNT', '1'), { calls: 1, given: ['f', '1', 'g', '2'] })
  t.same(passOf(ctx, 'HSCAN', 'MATCH', 'g').given, ['g', '2'])
  for (let i = 0; i < 700; i++) ctx.ask('HSET', 'k', `f${i}`, `v${i}`)
  const { given } = passOf(ctx, 'HSCAN', 'COUNT', '50')
  t.equal(given.length, 702 * 2)
  for (let i = 0; i < given.length; i += 2) if (/^f\d/.test(given[i])) t.equal(given[i + 1], `v${given[i].slice(1)}`)
})

t.test(
  'HSCAN with NOVALUES gives fields alone, small and large, beside the other options; other scans refuse it',
  async t => {
    const ctx = new FakeContext([...hashCommands, ...setCommands, ...zsetCommands])
    ctx.ask('HSET', 'k', 'f', '1', 'g', '2')
    t.same(passOf(ctx, 'HSCAN', 'NOVALUES').given, ['f', 'g'])
    t.same(passOf(ctx, 'HSCAN', 'novalues', 'MATCH', 'g').given, ['g'])
    t.same(passOf(ctx, 'HSCAN', 'COUNT', '5', 'NOVALUES').given, ['f', 'g'])
    t.equal(ctx.ask('HSCAN', 'k', '0', 'NOVALUES', 'COUNT'), '-ERR syntax error\r\n')
    t.equal(ctx.ask('HSCAN', 'none', '0', 'NOVALUES'), '*2\r\n$1\r\n0\r\n*0\r\n')
    const fields = Array.from({ length: 700 }, (_, i) => `f${i}`)
    for (const field of fields) ctx.ask('HSET', 'k', field, 'v')
    t.same(passOf(ctx, 'HSCAN', 'COUNT', '50', 'NOVALUES').given.sort(), ['f', 'g', ...fields].sort())
    ctx.ask('SADD', 's', 'm')
    ctx.ask('ZADD', 'z', '1', 'm')
    t.equal(ctx.ask('SSCAN', 's', '0', 'NOVALUES'), '-ERR syntax error\r\n')
    t.equal(ctx.ask('ZSCAN', 'z', '0', 'NOVALUES'), '-ERR syntax error\r\n')
  },
)

t.test('cursors fit a double: clients keep them as numbers', async t => {
  const ctx = new FakeContext(setCommands)
  ctx.ask('SADD', 'k', ...Array.from({ length: 1000 }, (_, i) => `m${i}`))
  let cursor = '0'
  do {
    cursor = bulks(ctx.ask('SSCAN', 'k', cursor, 'COUNT', '100'))[0]
    t.ok(Number.isSafeInteger(Number(cursor)))
  } while (cursor !== '0')
})
