import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { keyCommands } from '../../src/commands/key-commands.js'
import { FakeContext } from '../support/fake-context.js'

const context = () => new FakeContext([...hashCommands, ...keyCommands])

t.test('HSET counts new fields and is journaled as it came', async t => {
  const ctx = context()
  t.equal(ctx.ask('HSET', 'h', 'f', '1', 'g', '2', 'f', '3'), ':2\r\n')
  t.same(ctx.effects, ['HSET h f 1 g 2 f 3'])
  t.same(ctx.touches, ['h'])
  t.same(ctx.notices, ['hset h'])
  t.equal(ctx.ask('HGET', 'h', 'f'), '$1\r\n3\r\n')
  t.equal(ctx.ask('HMSET', 'h', 'f', '4'), '+OK\r\n')
})

t.test('an odd number of arguments is refused before the key is looked at', async t => {
  const ctx = context()
  t.equal(ctx.ask('HSET', 'h', 'f', '1', 'g'), "-ERR wrong number of arguments for 'hset' command\r\n")
  t.equal(ctx.ask('HMSET', 'h', 'f', '1', 'g'), "-ERR wrong number of arguments for 'hmset' command\r\n")
  t.equal(ctx.ask('EXISTS', 'h'), ':0\r\n')
})

t.test('HSETNX leaves a field that is there, and no trace', async t => {
  const ctx = context()
  t.equal(ctx.ask('HSETNX', 'h', 'f', '1'), ':1\r\n')
  t.same(ctx.effects, ['HSETNX h f 1'])
  t.equal(ctx.ask('HSETNX', 'h', 'f', '2'), ':0\r\n')
  t.same([ctx.effects, ctx.touches], [[], []])
})

t.test('HDEL of the last field removes the key', async t => {
  const ctx = context()
  ctx.ask('HSET', 'h', 'f', '1', 'g', '2')
  t.equal(ctx.ask('HDEL', 'h', 'x'), ':0\r\n')
  t.same(ctx.effects, [])
  t.equal(ctx.ask('HDEL', 'h', 'f', 'g', 'g'), ':2\r\n')
  t.same(ctx.notices, ['hdel h', 'del h'])
  t.equal(ctx.ask('EXISTS', 'h'), ':0\r\n')
})

t.test('HINCRBY refuses what is no integer and what overflows, and then makes no key', async t => {
  const ctx = context()
  t.equal(ctx.ask('HINCRBY', 'h', 'f', '9223372036854775807'), ':9223372036854775807\r\n')
  t.equal(ctx.ask('HINCRBY', 'h', 'f', '1'), '-ERR increment or decrement would overflow\r\n')
  t.equal(ctx.ask('HINCRBY', 'h', 'f', '-9223372036854775807'), ':0\r\n')
  ctx.ask('HSET', 'h', 'f', 'x'.repeat(2000))
  t.equal(ctx.ask('HINCRBY', 'h', 'f', '1'), '-ERR hash value is not an integer\r\n')
  t.equal(ctx.ask('HINCRBY', 'none', 'f', 'x'), '-ERR value is not an integer or out of range\r\n')
  t.equal(ctx.ask('EXISTS', 'none'), ':0\r\n')
})

t.test('HINCRBYFLOAT is journaled as the value it made', async t => {
  const ctx = context()
  ctx.ask('HSET', 'h', 'f', '10.5')
  t.equal(ctx.ask('HINCRBYFLOAT', 'h', 'f', '0.1'), '$4\r\n10.6\r\n')
  t.same(ctx.effects, ['HSET h f 10.6'])
  t.same(ctx.notices, ['hincrbyfloat h'])
})

t.test('values of any length come back whole', async t => {
  const ctx = context()
  for (const length of [0, 64, 65, 1024, 1025, 4000, 20_000, 300_000]) {
    const value = Buffer.alloc(length, length % 251)
    ctx.ask('HSET', 'h', `f${length}`, value)
    t.equal(ctx.ask('HSTRLEN', 'h', `f${length}`), `:${length}\r\n`)
    t.ok(ctx.ask('HGET', 'h', `f${length}`) === `$${length}\r\n${value.toString('latin1')}\r\n`)
  }
  t.equal(ctx.ask('HLEN', 'h'), ':8\r\n')
})
