// The list commands that wait, over TCP: some clients wait, another changes the keys; what each of them gets, and what
// is left, is compared with redis-server byte for byte.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { needsRedis, words } from './wire-pair.js'

interface Case {
  readonly name: string
  readonly before?: readonly string[]
  /** One client each, in this order. */
  readonly waiting: readonly string[]
  readonly meanwhile: readonly string[]
  /** Clients still wait when all is over. */
  readonly left?: readonly number[]
}

const CASES: readonly Case[] = [
  { name: 'a push serves', waiting: ['BLPOP l 0'], meanwhile: ['RPUSH l a b'] },
  { name: 'BRPOP takes the last', waiting: ['BRPOP l 0'], meanwhile: ['RPUSH l a b'] },
  { name: 'first come first served', waiting: ['BLPOP l 0', 'BRPOP l 0', 'BLPOP l 0'], meanwhile: ['RPUSH l a b c d'] },
  {
    name: 'too little for all',
    waiting: ['BLPOP l 0', 'BLPOP l 0', 'BLPOP l 0'],
    meanwhile: ['RPUSH l a', 'LPUSH l b'],
    left: [2],
  },
  {
    name: 'the key that was pushed to first in a transaction',
    waiting: ['BLPOP k l 0'],
    meanwhile: ['MULTI', 'RPUSH l a', 'RPUSH k b', 'EXEC'],
  },
  {
    name: 'gone again within a transaction',
    waiting: ['BLPOP l 0'],
    meanwhile: ['MULTI', 'RPUSH l a', 'DEL l', 'EXEC', 'RPUSH l b'],
  },
  { name: 'another type is not met', waiting: ['BLPOP l 0'], meanwhile: ['SADD l x', 'SET k y', 'DEL l', 'RPUSH l a'] },
  { name: 'the same key twice', waiting: ['BLPOP l l 0'], meanwhile: ['RPUSH l a b'] },
  { name: 'RENAME brings a list', before: ['RPUSH k a b'], waiting: ['BLPOP l 0'], meanwhile: ['RENAME k l'] },
  { name: 'COPY brings a list', before: ['RPUSH k a b'], waiting: ['BLPOP l 0'], meanwhile: ['COPY k l'] },
  { name: 'LMOVE brings a list', before: ['RPUSH k a b'], waiting: ['BLPOP l 0'], meanwhile: ['LMOVE k l LEFT LEFT'] },
  {
    name: 'MOVE and SWAPDB',
    before: ['SELECT 1', 'RPUSH l a', 'SELECT 0'],
    waiting: ['BLPOP l 0'],
    meanwhile: ['SWAPDB 0 1'],
  },
  { name: 'BLMOVE', before: ['RPUSH to x'], waiting: ['BLMOVE l to RIGHT LEFT 0'], meanwhile: ['RPUSH l a b'] },
  { name: 'BLMOVE onto itself', waiting: ['BLMOVE l l LEFT RIGHT 0'], meanwhile: ['RPUSH l a b c'] },
  { name: 'BRPOPLPUSH onto itself, one element', waiting: ['BRPOPLPUSH l l 0'], meanwhile: ['RPUSH l a'] },
  {
    name: 'moves in a chain',
    waiting: ['BLMOVE l k LEFT RIGHT 0', 'BRPOPLPUSH k m 0', 'BLPOP m 0'],
    meanwhile: ['RPUSH l a'],
  },
  {
    name: 'moves in a circle',
    waiting: ['BRPOPLPUSH l k 0', 'BRPOPLPUSH k l 0'],
    meanwhile: ['RPUSH l a'],
  },
  {
    name: 'a move to another type fails, and the next in line is served',
    before: ['SET to x'],
    waiting: ['BLMOVE l to LEFT RIGHT 0', 'BLPOP l 0'],
    meanwhile: ['RPUSH l a b'],
  },
  {
    name: 'a mover and a popper want the same list',
    waiting: ['BLPOP k 0', 'BLMOVE l k LEFT LEFT 0', 'BLPOP k l 0'],
    meanwhile: ['RPUSH l a b'],
  },
  { name: 'BLMPOP', waiting: ['BLMPOP 0 2 k l RIGHT COUNT 2', 'BLMPOP 0 1 l LEFT'], meanwhile: ['RPUSH l a b c d'] },
  { name: 'BLMPOP takes all', waiting: ['BLMPOP 0 2 k l RIGHT COUNT 9'], meanwhile: ['RPUSH l a b c d'] },
  {
    name: 'times are up',
    waiting: [
      'BLPOP l 0.01',
      'BRPOP l k 0.01',
      'BLMOVE l k LEFT LEFT 0.01',
      'BRPOPLPUSH l k 0.01',
      'BLMPOP 0.01 1 l LEFT',
    ],
    meanwhile: [],
  },
  {
    name: 'readers of another kind stand in the same queue',
    waiting: ['BLPOP l 0', 'XREAD BLOCK 0 STREAMS l 0', 'BLPOP l 0', 'XREAD BLOCK 0 STREAMS l 0'],
    meanwhile: ['XADD l 1-1 f v', 'DEL l', 'RPUSH l a b'],
  },
]

async function outcome(port: number, protocol: number, test: Case): Promise<string[]> {
  const other = await RespClient.connect(port)
  await other.command('FLUSHALL')
  for (const line of test.before ?? []) await other.command(...words(line))
  const waiters: RespClient[] = []
  const replies: Promise<string>[] = []
  for (const line of test.waiting) {
    const waiter = await RespClient.connect(port)
    await waiter.command('HELLO', protocol)
    waiters.push(waiter)
    replies.push(waiter.text(...words(line)))
    const blocked = () => other.text('INFO', 'clients')
    const isTimed = / 0\.01|POP 0\.01/.test(line)
    while (!isTimed && !(await blocked()).includes(`blocked_clients:${waiters.length}`)) continue
  }
  for (const line of test.meanwhile) await other.command(...words(line))
  const found: string[] = []
  for (const [i, reply] of replies.entries()) found.push(test.left?.includes(i) ? 'waits' : await reply)
  found.push(await other.text('INFO', 'clients').then(text => /blocked_clients:\d+/.exec(text)![0]))
  for (const key of ['l', 'k', 'm', 'to'])
    found.push(await other.text('TYPE', key), await other.text('LRANGE', key, 0, -1))
  for (const waiter of waiters) waiter.close()
  for (const i of test.left ?? []) replies[i].catch(() => undefined)
  while (!(await other.text('INFO', 'clients')).includes('blocked_clients:0')) continue
  other.close()
  return found
}

t.test('who waits gets what redis-server gives', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  for (const protocol of [2, 3]) {
    for (const test of CASES) {
      const wanted = await outcome(redis.port, protocol, test)
      t.same(await outcome(server.port, protocol, test), wanted, `RESP${protocol}: ${test.name}`)
    }
  }
})
