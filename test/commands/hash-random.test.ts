import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { FakeContext } from '../support/fake-context.js'

function bulks(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n(.*)\r\n/g)].map(match => match[1])
}

t.test('HRANDFIELD gives different fields for a positive count, any for a negative one', async t => {
  for (const size of [30, 900]) {
    const ctx = new FakeContext(hashCommands)
    for (let i = 0; i < size; i++) ctx.ask('HSET', 'h', `f${i}`, `v${i}`)
    for (const count of [1, 7, size - 1, size, size + 1]) {
      const fields = bulks(ctx.ask('HRANDFIELD', 'h', count))
      t.equal(fields.length, Math.min(count, size))
      t.equal(new Set(fields).size, fields.length)
    }
    const pairs = bulks(ctx.ask('HRANDFIELD', 'h', -6000, 'WITHVALUES'))
    t.equal(pairs.length, 12_000)
    for (let i = 0; i < 200; i += 2) t.equal(pairs[i + 1], pairs[i].replace('f', 'v'))
  }
})

t.test('with values RESP3 has pairs and RESP2 has not', async t => {
  const ctx = new FakeContext(hashCommands)
  ctx.ask('HSET', 'h', 'f', 'v')
  t.equal(ctx.ask('HRANDFIELD', 'h', 5, 'WITHVALUES'), '*2\r\n$1\r\nf\r\n$1\r\nv\r\n')
  ctx.session.protocol = 3
  t.equal(ctx.ask('HRANDFIELD', 'h', 5, 'WITHVALUES'), '*1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n')
})

t.test('counts that Redis cannot hold are refused', async t => {
  const ctx = new FakeContext(hashCommands)
  ctx.ask('HSET', 'h', 'f', 'v')
  t.equal(
    ctx.ask('HRANDFIELD', 'h', '-9223372036854775808'),
    '-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807\r\n',
  )
  t.equal(ctx.ask('HRANDFIELD', 'h', '-9223372036854775807', 'WITHVALUES'), '-ERR value is out of range\r\n')
  t.equal(ctx.ask('HRANDFIELD', 'h', '5', 'x'), '-ERR syntax error\r\n')
})
