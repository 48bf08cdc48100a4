import t from 'tap'
import { keyCommands } from '../../src/commands/key-commands.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const LINES = [
  'set l1 ohmytext',
  'set l2 mynewtext',
  'set x1 abcbdab',
  'set x2 bdcaba',
  'lcs a b',
  'lcs l1 l2',
  'lcs l1 l2 len',
  'lcs l1 l2 idx',
  'lcs l1 l2 idx minmatchlen 4',
  'lcs l1 l2 idx minmatchlen 4 withmatchlen',
  'lcs l1 l2 idx withmatchlen',
  'lcs l1 l2 idx minmatchlen -4 withmatchlen',
  'lcs l1 l2 idx len',
  'lcs l1 l2 minmatchlen',
  'lcs l1 l2 minmatchlen a',
  'lcs l1 l2 foo',
  'lcs l1 l1 idx',
  'lcs l1 missing idx',
  'lcs l1 missing',
  'lcs l1 missing len',
  'lcs x1 x2',
  'lcs x1 x2 idx withmatchlen',
]

t.test('answers are those of redis-server', async t => {
  await againstRedis(t, [...keyCommands, ...stringCommands], LINES)
})

t.test('the table in memory has a limit', async t => {
  const ctx = new FakeContext([...keyCommands, ...stringCommands])
  ctx.config.set([['proto-max-bulk-len', '1mb']])
  ctx.ask('SET', 'a', 'x'.repeat(1000))
  t.match(ctx.ask('LCS', 'a', 'a', 'LEN'), /^-ERR Insufficient memory, transient memory for LCS exceeds/)
})
