import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'scan 0',
  'scan a',
  'scan -1',
  'scan +0',
  ['scan', ' 1'],
  ['scan', ''],
  'scan 18446744073709551616',
  'scan 0 COUNT 0',
  'scan 0 COUNT a',
  'scan 0 FOO 1',
  'scan 0 COUNT',
  'scan 0 COUNT 10 TYPE',
  'set only 1',
  'scan 0',
  'scan 0 TYPE foo count 1000',
  'scan 0 TYPE STRING count 1000 match o*',
  'scan 0 match zz match only count 1000',
  'scan 0 match *',
  'keys *',
  'keys zz',
  'keys only',
  'keys onl?',
  'keys [o]nly',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

t.test('SCAN gives every key, some at a time; names are bytes', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  for (let i = 0; i < 300; i++) ctx.ask('SET', `k${i}`, '1')
  ctx.ask('SET', '\xff\x00', '1')
  const names = new Set<string>()
  let cursor = '0'
  let calls = 0
  do {
    const lines = ctx.ask('SCAN', cursor, 'COUNT', 20).split('\r\n')
    cursor = lines[2]
    for (let i = 5; i < lines.length; i += 2) names.add(lines[i])
    calls++
  } while (cursor !== '0')
  t.equal(names.size, 301)
  t.ok(names.has('\xff\x00'))
  t.ok(calls > 5)
})

t.test('KEYS passes over keys that have expired', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  ctx.ask('SET', 'short', '1', 'PX', 5)
  ctx.ask('SET', 'long', '1')
  ctx.clock.advance(6)
  t.equal(ctx.ask('KEYS', '*'), '*1\r\n$4\r\nlong\r\n')
})
