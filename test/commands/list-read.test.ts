// LINDEX, LRANGE and LPOS over lists of many pages. Replies to odd arguments: test/wire/list.test.ts.

import t from 'tap'
import { listCommands } from '../../src/commands/list-commands.js'
import { FakeContext } from '../support/fake-context.js'

const COUNT = 5_000

function longList(): FakeContext {
  const ctx = new FakeContext(listCommands)
  for (let i = 0; i < COUNT; i++) ctx.ask('RPUSH', 'l', `${i % 1_000}`.padStart(20, '.'))
  return ctx
}

function element(i: number): string {
  return `$20\r\n${`${i % 1_000}`.padStart(20, '.')}\r\n`
}

t.test('indexes and ranges go over pages', async t => {
  const ctx = longList()
  for (const i of [0, 1, 777, 2_500, COUNT - 1]) {
    t.equal(ctx.ask('LINDEX', 'l', i), element(i))
    t.equal(ctx.ask('LINDEX', 'l', i - COUNT), element(i))
  }
  const range = Array.from({ length: 1_500 }, (_, i) => element(1_100 + i)).join('')
  t.equal(ctx.ask('LRANGE', 'l', 1_100, 2_599), `*1500\r\n${range}`)
  t.strictSame([ctx.effects, ctx.touches], [[], []])
})

t.test('positions go over pages, from either end', async t => {
  const ctx = longList()
  const wanted = '42'.padStart(20, '.')
  t.equal(ctx.ask('LPOS', 'l', wanted), ':42\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'RANK', 4), ':3042\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'RANK', -2), ':3042\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'COUNT', 0), '*5\r\n:42\r\n:1042\r\n:2042\r\n:3042\r\n:4042\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'COUNT', 2, 'RANK', -1), '*2\r\n:4042\r\n:3042\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'COUNT', 0, 'MAXLEN', 1_042), '*1\r\n:42\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'COUNT', 0, 'MAXLEN', 1_043), '*2\r\n:42\r\n:1042\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'RANK', -1, 'COUNT', 0, 'MAXLEN', 957), '*0\r\n')
  t.equal(ctx.ask('LPOS', 'l', wanted, 'RANK', -1, 'COUNT', 0, 'MAXLEN', 958), '*1\r\n:4042\r\n')
})
