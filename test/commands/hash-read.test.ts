import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { FakeContext } from '../support/fake-context.js'

t.test('HGETALL, HKEYS and HVALS give a small hash in the order its fields came', async t => {
  const ctx = new FakeContext(hashCommands)
  ctx.ask('HSET', 'h', 'b', '1', 'a', '2', 'b', '3')
  t.equal(ctx.ask('HGETALL', 'h'), '*4\r\n$1\r\nb\r\n$1\r\n3\r\n$1\r\na\r\n$1\r\n2\r\n')
  t.equal(ctx.ask('HKEYS', 'h'), '*2\r\n$1\r\nb\r\n$1\r\na\r\n')
  t.equal(ctx.ask('HVALS', 'h'), '*2\r\n$1\r\n3\r\n$1\r\n2\r\n')
  t.equal(ctx.ask('HMGET', 'h', 'a', 'x'), '*2\r\n$1\r\n2\r\n$-1\r\n')
  ctx.session.protocol = 3
  t.equal(ctx.ask('HGETALL', 'h'), '%2\r\n$1\r\nb\r\n$1\r\n3\r\n$1\r\na\r\n$1\r\n2\r\n')
  t.equal(ctx.ask('HGETALL', 'none'), '%0\r\n')
  t.same([ctx.effects, ctx.touches, ctx.notices], [[], [], []])
})

t.test('a large hash is given whole, values as they were set', async t => {
  const ctx = new FakeContext(hashCommands)
  for (let i = 0; i < 600; i++) ctx.ask('HSET', 'h', `f${i}`, `v${i}`)
  const words = [...ctx.ask('HGETALL', 'h').matchAll(/\$\d+\r\n(.*)\r\n/g)].map(match => match[1])
  t.equal(words.length, 1200)
  for (let i = 0; i < words.length; i += 2) t.equal(words[i + 1], words[i].replace('f', 'v'))
  t.equal(ctx.ask('HEXISTS', 'h', 'f599'), ':1\r\n')
  t.equal(ctx.ask('HGET', 'h', 'f600'), '$-1\r\n')
})
