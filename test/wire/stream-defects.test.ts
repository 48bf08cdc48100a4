// What Redis' later releases mended in streams, and what is open there: each defect as a test of its own, on a server
// that is killed, or told to write everything down anew, where theirs lost something. See docs/redis8-streams.md.

import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import type { RunningServer } from '../support/start-server.js'
import { startServer } from '../support/start-server.js'

let server: RunningServer = await startServer()
let redis = connect()
t.teardown(async () => {
  redis.disconnect()
  await server.stop()
  rmSync(server.dir, { recursive: true, force: true })
})

function connect(): Redis {
  return new Redis({ port: server.port, host: '127.0.0.1', protocol: 2 })
}

const run = (line: string, ...more: (string | number)[]): Promise<unknown> => {
  const [name, ...words] = line.split(' ')
  return redis.call(name, ...words, ...more)
}

/** Everything is written anew, as by a rewrite of Redis' append-only file, and read by another process. */
async function rewritten(): Promise<void> {
  await run('BGREWRITEAOF')
  while (/rdb_bgsave_in_progress:1|aof_rewrite_in_progress:1/.test(await redis.info('persistence'))) continue
  redis.disconnect()
  await server.kill9()
  server = await startServer({ dir: server.dir })
  redis = connect()
}

async function all(...lines: string[]): Promise<void> {
  for (const line of lines) await run(line)
}

const stream = (...lines: string[]): Promise<void> => all('FLUSHALL', ...lines)

const ids = async (key = 's') => ((await run(`XRANGE ${key} - +`)) as [string][]).map(([id]) => id).join(' ')
const pending = async (group = 'g', key = 's') =>
  ((await run(`XPENDING ${key} ${group} - + 100`)) as (string | number)[][]).map(
    ([id, owner, , count]) => `${id} ${owner} ${count}`,
  )

t.test('what was deleted stays pending through a rewrite, with owner and count, or released in its order', async t => {
  await stream('XADD s 1-0 f v', 'XADD s 2-0 f v', 'XADD s 3-0 f v', 'XADD s 4-0 f v', 'XGROUP CREATE s g 0')
  await all('XREADGROUP GROUP g c COUNT 3 STREAMS s >', 'XCLAIM s g c 0 1-0 RETRYCOUNT 7 JUSTID')
  await all('XNACK s g FAIL IDS 1 3-0 RETRYCOUNT 3', 'XNACK s g FAIL IDS 1 2-0 RETRYCOUNT 9', 'XDEL s 1-0 2-0 3-0')
  const expected = ['1-0 c 7', '2-0  9', '3-0  3']
  t.same(await pending(), expected)
  const dump = await redis.dumpBuffer('s')
  await redis.restore('twin', 0, dump)
  await rewritten()
  t.same(await pending(), expected)
  t.same(await pending('g', 'twin'), expected)
  t.equal(await ids(), '4-0')
  t.same(await run('XAUTOCLAIM s g d 0 0-0'), ['0-0', [], ['1-0', '2-0', '3-0']], 'and is told of once')
  t.same(await pending(), [])
})

t.test('an approximate trim with ACKED removes what was read without acknowledgement', async t => {
  await stream()
  for (let i = 1; i <= 200; i++) await run(`XADD s ${i}-0 num ${i}`)
  await run('XGROUP CREATE s g 0')
  await run('XREADGROUP GROUP g c COUNT 200 NOACK STREAMS s >')
  t.equal(await run('XTRIM s MAXLEN ~ 100 ACKED'), 100)
  t.equal(await run('XADD s MAXLEN ~ 50 ACKED 201-0 num 201'), '201-0')
  t.equal(await run('XLEN s'), 50)
})

t.test('an approximate trim goes on behind a node that must stay in part, with ACKED and with DELREF', async t => {
  await run('CONFIG SET stream-node-max-entries 2')
  const five = [1, 2, 3, 4, 5].map(i => `XADD s ${i}-0 f v`)
  await stream(...five, 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >', 'XACK s g 1-0 2-0 4-0')
  t.equal(await run('XTRIM s MINID ~ 6-0 ACKED'), 3)
  t.equal(await ids(), '3-0 5-0')
  await stream(...five.slice(0, 4), 'XGROUP CREATE s g 0', 'XREADGROUP GROUP g c STREAMS s >')
  t.equal(await run('XTRIM s MINID ~ 5-0 DELREF'), 4)
  t.same(await run('XPENDING s g'), [0, null, null, null])
  await run('CONFIG SET stream-node-max-entries 100')
})

t.test('who refers to what is known again after a restart', async t => {
  for (const key of ['s', 'u']) {
    await (key === 's' ? stream : all)(`XADD ${key} 1-0 f v`, `XGROUP CREATE ${key} g 0`)
    await all(`XREADGROUP GROUP g c COUNT 1 STREAMS ${key} >`, `XADD ${key} 2-0 f v`)
  }
  await run('XACK u g 1-0')
  await rewritten()
  for (const key of ['s', 'u']) await run(`XADD ${key} MAXLEN = 1 ACKED 3-0 f v`)
  t.equal(await ids('s'), '1-0 2-0 3-0', 'pending')
  t.equal(await ids('u'), '2-0 3-0', 'not read, and nothing is pending')
})

t.test('MAXLEN with ACKED keeps what is not acknowledged, and no more', async t => {
  await stream(...[1, 2, 3, 4, 5].map(i => `XADD s ${i}-0 f v`), 'XGROUP CREATE s g 0')
  await run('XADD s MAXLEN = 1 ACKED 6-0 f v')
  t.equal(await run('XLEN s'), 6)
  await all('XREADGROUP GROUP g c COUNT 1 STREAMS s >', 'XACK s g 1-0', 'XADD s MAXLEN = 1 ACKED 7-0 f v')
  t.equal(await run('XLEN s'), 6)
  await all('XREADGROUP GROUP g c STREAMS s >', 'XACK s g 2-0 3-0 4-0 5-0 6-0 7-0')
  await run('XADD s MAXLEN = 1 ACKED 8-0 f v')
  t.equal(await ids(), '8-0', 'what is added is not in its own way')
})

t.test('ACKED knows of groups that are made later, and of three of them at different places', async t => {
  await stream('XADD s 1-0 f v', 'XADD s 2-0 f v', 'XADD s 3-0 f v', 'XGROUP CREATE s g 0')
  await all('XREADGROUP GROUP g c STREAMS s >', 'XACK s g 1-0 2-0 3-0')
  t.same(await run('XDELEX s ACKED IDS 1 1-0'), [1])
  await run('XGROUP CREATE s h 0')
  t.same(await run('XDELEX s ACKED IDS 1 2-0'), [2])
  await all('XREADGROUP GROUP h c STREAMS s >', 'XGROUP CREATE s i 2-0', 'XACK s h 2-0 3-0')
  t.same(await run('XDELEX s ACKED IDS 2 2-0 3-0'), [1, 2])
  await all('XREADGROUP GROUP i c STREAMS s >')
  t.same(await run('XDELEX s ACKED IDS 1 3-0'), [2])
  t.same(await run('XACKDEL s i ACKED IDS 1 3-0'), [1])
})

t.test('very many IDs in one command, in any order and twice, are what one at a time would be', async t => {
  const COUNT = 5_000
  await stream('XGROUP CREATE s g 0 MKSTREAM')
  for (let from = 1; from <= COUNT; from += 1000) {
    const pipeline = redis.pipeline()
    for (let i = from; i < from + 1000; i++) pipeline.xadd('s', `${i}-0`, 'f', 'v')
    await pipeline.exec()
  }
  await run('XREADGROUP GROUP g c STREAMS s >')
  const odd = Array.from({ length: COUNT / 2 }, (_, i) => `${COUNT - 1 - 2 * i}-0`)
  const twice = [...odd, ...odd]
  const told = (await run(`XACKDEL s g IDS ${twice.length}`, ...twice)) as number[]
  t.same([told.slice(0, odd.length), told.slice(odd.length)], [odd.map(() => 1), odd.map(() => -1)])
  const every = Array.from({ length: COUNT }, (_, i) => `${i + 1}-0`)
  const rest = (await run(`XDELEX s DELREF IDS ${COUNT}`, ...every)) as number[]
  t.same(
    rest,
    every.map((_, i) => (i % 2 === 0 ? -1 : 1)),
  )
  t.same([await run('XLEN s'), await run('XPENDING s g')], [0, [0, null, null, null]])
})

t.test('the window of a producer, its limits and its counts are there after a rewrite', async t => {
  await stream('XADD s IDMP p init * f v', 'XCFGSET s IDMP-MAXSIZE 3 IDMP-DURATION 75')
  const added: unknown[] = []
  for (const id of ['a', 'b', 'c', 'd', 'c']) added.push(await run(`XADD s IDMP p ${id} * f v`))
  t.equal(added[4], added[2])
  const auto = await run('XADD s IDMPAUTO q * x 1 y 2')
  await rewritten()
  t.equal(await run('XADD s IDMP p d * f again'), added[3])
  t.equal(await run('XADD s IDMPAUTO q * y 2 x 1'), auto, 'in another order')
  const info = (await run('XINFO STREAM s')) as unknown[]
  const names = ['idmp-duration', 'idmp-maxsize', 'pids-tracked', 'iids-tracked', 'iids-added', 'iids-duplicates']
  t.same(
    names.map(name => info[info.indexOf(name) + 1]),
    [75, 3, 2, 4, 6, 3],
  )
  t.not(await run('XADD s IDMP p a * f v'), added[0], 'the fourth before is forgotten')
})

t.test('the last entry there is: behind a deleted one, of several streams, of empty ones, waited for', async t => {
  await stream('XADD s 1-0 f 1', 'XADD s 2-0 f 2', 'XDEL s 2-0', 'XGROUP CREATE empty g 0 MKSTREAM', 'XADD u 3-0 f 3')
  t.same(await run('XREAD STREAMS s +'), [['s', [['1-0', ['f', '1']]]]])
  const both = [
    ['s', [['1-0', ['f', '1']]]],
    ['u', [['3-0', ['f', '3']]]],
  ]
  t.same(await run('XREAD COUNT 3 BLOCK 1000000 STREAMS s none empty u + + + +'), both)
  t.equal(await run('XREAD STREAMS none empty + +'), null)
  await run('XADD u 3-18446744073709551615 f 4')
  t.same(await run('XREAD STREAMS u +'), [['u', [['3-18446744073709551615', ['f', '4']]]]])
  const other = connect()
  t.teardown(() => other.disconnect())
  const waited = other.call('XREAD', 'BLOCK', 0, 'STREAMS', 'empty', '+')
  while (!(await redis.info('clients')).includes('blocked_clients:1')) continue
  await run('XADD empty 5-0 f 5')
  t.same(await waited, [['empty', [['5-0', ['f', '5']]]]])
})

t.test('a place beyond what was added is the last one there is', async t => {
  await stream('XADD s 1-0 f v', 'XGROUP CREATE s g $ ENTRIESREAD 9999')
  const [group] = (await run('XINFO GROUPS s')) as unknown[][]
  t.same([group[group.indexOf('entries-read') + 1], group[group.indexOf('lag') + 1]], [1, 0])
})
