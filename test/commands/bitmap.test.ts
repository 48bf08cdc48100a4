import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'bitcount missing a b',
  'bitpos missing 2',
  'bitpos missing x',
  'bitpos missing 1 a',
  'bitpos missing 0',
  'set s abc',
  'bitcount s 1',
  'bitcount s 1 a',
  'bitcount s 0 1 foo',
  'bitcount s a 1 foo',
  'bitcount s',
  'bitcount s 0 -1',
  'bitcount s 1 -2',
  'bitcount s -2 -1',
  'bitcount s -1 -2',
  'bitcount s 5 30 BIT',
  'bitcount s 0 1 1 1',
  'bitcount s -7 -3 bit',
  'bitpos s 2',
  'bitpos s 1 0 1 foo',
  'bitpos s 1',
  'bitpos s 0',
  'bitpos s 1 2',
  'bitpos s 1 -1',
  'bitpos s 0 7 15 bit',
  'bitpos s 1 7 15 bit',
  'bitpos s 0 -31 -36',
  'bitpos s 0 -3 -9 bit',
  'bitcount s -31 -36',
  'bitcount s -31 -36 x',
  'bitcount s -36 -31 x',
  'bitcount s -31 -31',
  'bitpos s 1 a 1',
  'bitpos s 1 0 a foo',
  'bitpos s 1 0 a',
  'bitpos s 1 0 1 bit 2',
  'setrange ff 0 ÿÿÿ',
  'bitpos ff 0',
  'bitpos ff 0 0',
  'bitpos ff 0 0 -1',
  'bitpos ff 0 1 2',
  'bitpos ff 1 5 9',
  'bitpos ff 0 5 9',
  'bitpos ff 0 5',
  'bitop foo d s',
  'bitop not d s s',
  'bitop not d s',
  'get d',
  'bitop and d s ff',
  'get d',
  'bitop or d s ff missing',
  'bitop xor d s ff missing',
  'get d',
  'object encoding d',
  'bitop and d missing missing2',
  'exists d',
  'bitop and d missing missing2',
  'setbit s a 1',
  'setbit s 4294967296 1',
  'setbit s 4294967295 2',
  'setbit s 1 2',
  'setbit s -1 2',
  'setbit s 3 1',
  'setbit s 3 1',
  'setbit s 3 0',
  'setbit sb 7 0',
  'object encoding sb',
  'strlen sb',
  'setbit sb 100 1',
  'get sb',
  'getbit sb 100',
  'getbit sb 101',
  'getbit sb 10000',
  'getbit missing 3',
  'getbit s -1',
  'set s abc',
  'set s abc',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

const open = () => new FakeContext([...keyCommands, ...stringCommands])

t.test('SETBIT that changes nothing leaves no trace; BITOP tells of its target', async t => {
  const ctx = open()
  ctx.ask('SETBIT', 'k', 7, 1)
  t.same([ctx.effects, ctx.notices, ctx.touches], [['SETBIT k 7 1'], ['setbit k'], ['k']])
  ctx.ask('SETBIT', 'k', 7, 1)
  t.same([ctx.effects, ctx.notices, ctx.touches], [[], [], []])
  ctx.ask('BITOP', 'NOT', 'd', 'k')
  t.same([ctx.effects, ctx.notices, ctx.touches], [['BITOP NOT d k'], ['set d'], ['d']])
  ctx.ask('BITOP', 'AND', 'd', 'missing', 'missing')
  t.same([ctx.effects, ctx.notices, ctx.touches], [['BITOP AND d missing missing'], ['del d'], ['d']])
})
