// What the tests of Redis 8 ask of streams, by behaviour, where no test of ours beside a source file asks it: on a
// server of its own, which is killed where their servers reload.

import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import type { RunningServer } from '../support/start-server.js'
import { startServer } from '../support/start-server.js'

type Word = string | number | Buffer
type Entry = [id: string, fields: string[], idleMs: number, deliveries: number]

const HOUR_MS = 3_600_000
/** What the client makes of the highest count. */
const HIGHEST = String(2 ** 63)
const LONG_MS = 10 * HOUR_MS

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

async function killed(): Promise<void> {
  redis.disconnect()
  await server.kill9()
  server = await startServer({ dir: server.dir })
  redis = connect()
}

const run = (line: string, ...more: Word[]): Promise<unknown> => {
  const [name, ...words] = line.split(' ')
  return redis.call(name, ...words, ...more)
}

/** What the command is refused with. */
async function refusal(line: string): Promise<string> {
  return run(line).then(
    reply => `no error but ${JSON.stringify(reply)}`,
    (error: Error) => error.message,
  )
}

/** Entries `1-0` … of the stream `s`, all pending with `ann`, the group `g`. */
async function pending(count: number): Promise<void> {
  await run('FLUSHALL')
  for (let i = 1; i <= count; i++) await run(`XADD s ${i}-0 f v${i}`)
  await run('XGROUP CREATE s g 0 MKSTREAM')
  if (count > 0) await run('XREADGROUP GROUP g ann STREAMS s >')
}

const age = (ids: string, idleMs = LONG_MS) => run(`XCLAIM s g ann 0 ${ids} IDLE ${idleMs} JUSTID`)

/** The entries of the first stream; none for a null reply. */
async function claims(options: string, consumer = 'bob'): Promise<Entry[]> {
  const reply = (await run(`XREADGROUP GROUP g ${consumer} ${options} STREAMS s >`)) as [[string, Entry[]]] | null
  return reply?.[0][1] ?? []
}

const idsOf = (entries: Entry[]) => entries.map(([id]) => id)
const rows = async () =>
  ((await run('XPENDING s g - + 1000')) as Word[][]).map(([id, owner, , count]) => `${id} ${owner} ${count}`)

t.test('CLAIM: deliveries count up from claim to claim, whoever claims', async t => {
  await pending(1)
  const counts: number[] = []
  for (const consumer of ['bob', 'cat', 'cat', 'cat', 'dan', 'eve']) {
    counts.push((await claims('CLAIM 0', consumer))[0][3])
  }
  t.same(counts, [1, 2, 3, 4, 5, 6])
  t.same(await rows(), ['1-0 eve 7'])
  for (let i = 0; i < 300; i++) await claims('CLAIM 0', `c${i % 10}`)
  t.same(await rows(), ['1-0 c9 307'], 'one row, however often')
  await killed()
  t.same(await rows(), ['1-0 c9 307'])
})

t.test('CLAIM: where it may stand, and what is no idle time', async t => {
  await pending(2)
  await age('1-0')
  t.same(idsOf(await claims(`CLAIM 1 COUNT 1 CLAIM ${HOUR_MS}`)), ['1-0'], 'the last one counts')
  await age('1-0')
  const first = (await run(`XREADGROUP CLAIM ${HOUR_MS} GROUP g bob COUNT 1 STREAMS s >`)) as [[string, Entry[]]]
  t.same(idsOf(first[0][1]), ['1-0'], 'before GROUP')
  await run('XADD s 3-0 f v3')
  t.same(idsOf(await claims('CLAIM 9223372036854775807')), ['3-0'], 'nothing is idle so long')
  const notANumber = 'ERR min-idle-time is not an integer or out of range'
  for (const words of ['CLAIM 10 CLAIM COUNT 1', 'CLAIM -5.5', 'CLAIM (-10)*2', 'CLAIM 5,5']) {
    t.equal(await refusal(`XREADGROUP GROUP g bob ${words} STREAMS s >`), notANumber, words)
  }
  t.equal(await refusal('XREADGROUP GROUP g bob CLAIM STREAMS s >'), notANumber)
  t.match(await refusal('XREADGROUP GROUP g bob COUNT 1 STREAMS s CLAIM 50 >'), /^NOGROUP No such key 'CLAIM'/)
  t.match(await refusal('XREADGROUP GROUP g bob COUNT 1 STREAMS s > CLAIM 50'), /^ERR Invalid stream ID/)
  t.match(await refusal('XREADGROUP GROUP g bob COUNT 1 STREAMS s > CLAIM'), /^ERR Unbalanced/)
  t.equal(await refusal('XREADGROUP GROUP g CLAIM 50 bob STREAMS s >'), 'ERR syntax error')
  t.match(await refusal('XREADGROUP GROUP none bob CLAIM 50 STREAMS s >'), /^NOGROUP/)
})

t.test(
  'CLAIM: a group that was set forwards keeps what is pending, one set backwards gets it twice, once each',
  async t => {
    await pending(2)
    await run('XGROUP SETID s g 2-0')
    await age('1-0 2-0')
    t.same(idsOf(await claims(`CLAIM ${HOUR_MS}`)), ['1-0', '2-0'])
    await run('XGROUP SETID s g 0')
    await age('1-0 2-0')
    const both = await claims(`CLAIM ${HOUR_MS}`)
    t.same(
      both.map(([id, , , count]) => [id, count]),
      [
        ['1-0', 2],
        ['2-0', 2],
        ['1-0', 0],
        ['2-0', 0],
      ],
    )
    t.same(await rows(), ['1-0 bob 1', '2-0 bob 1'], 'as delivered anew, and once')
  },
)

t.test('CLAIM: what FORCE made, what a deleted consumer left, and what was acknowledged', async t => {
  await pending(0)
  for (const id of [1, 2, 3]) await run(`XADD s ${id}-0 f v`)
  await run('XCLAIM s g ann 0 1-0 2-0 FORCE JUSTID')
  t.same(
    (await claims('CLAIM 0 COUNT 2')).map(([id, , , count]) => [id, count]),
    [
      ['1-0', 1],
      ['2-0', 1],
    ],
  )
  await run('XACK s g 1-0')
  await age('2-0')
  t.same(idsOf(await claims(`CLAIM ${HOUR_MS} COUNT 1`)), ['2-0'])
  t.equal(await run('XGROUP DELCONSUMER s g bob'), 1)
  await run('XGROUP SETID s g $')
  t.same(await claims('CLAIM 0'), [])
})

t.test('CLAIM: two that wait: one gets the new entry, the other gets it when it was idle long enough', async t => {
  await pending(0)
  const others = [connect(), connect()]
  t.teardown(() => others.forEach(other => other.disconnect()))
  const waits: Promise<unknown>[] = []
  // One after the other: who waits first is served first.
  for (const [i, other] of others.entries()) {
    waits.push(other.call('XREADGROUP', 'GROUP', 'g', `c${i}`, 'BLOCK', 0, 'CLAIM', 60, 'STREAMS', 's', '>'))
    while (!String(await redis.info('clients')).includes(`blocked_clients:${i + 1}`)) continue
  }
  await run('XADD s 2-0 f v')
  const [first, second] = (await Promise.all(waits)) as [[string, Entry[]]][]
  t.same([idsOf(first[0][1]), first[0][1][0][3]], [['2-0'], 0])
  t.same([idsOf(second[0][1]), second[0][1][0][3]], [['2-0'], 1])
  t.same(await rows(), ['2-0 c1 2'])
})

t.test('CLAIM: several streams at once, with BLOCK and NOACK', async t => {
  await pending(1)
  await run('XADD u 5-0 f v')
  await run('XGROUP CREATE u g 0')
  await age('1-0')
  const line = `XREADGROUP GROUP g bob BLOCK 1000 NOACK CLAIM ${HOUR_MS} STREAMS s u > >`
  const reply = (await run(line)) as [string, Entry[]][]
  t.same(
    reply.map(([key, entries]) => [key, idsOf(entries)]),
    [
      ['s', ['1-0']],
      ['u', ['5-0']],
    ],
  )
  t.same(await rows(), ['1-0 bob 2'], 'what was claimed stays pending')
  t.equal(((await run('XPENDING u g')) as [number])[0], 0, 'what is new does not become so')
  t.equal(await run(`XREADGROUP GROUP g bob NOACK CLAIM ${HOUR_MS} STREAMS s u > >`), null)
})

t.test('CLAIM: a thousand of very many', async t => {
  await pending(5_000)
  const entries = await claims('CLAIM 0 COUNT 1000')
  t.same([entries.length, entries[0][0], entries[999][0]], [1000, '1-0', '1000-0'])
})

t.test('XNACK: released entries with counts of every kind outlive a kill and a checkpoint, in their order', async t => {
  await pending(70)
  const some = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}-0`)
  await run('XNACK s g FAIL IDS 65', ...some(5, 69))
  await run('XNACK s g FATAL IDS 2 2-0 1-0')
  await run('BGSAVE')
  await run('XNACK s g SILENT IDS 1 3-0')
  await run('XNACK s g FAIL IDS 1 4-0 RETRYCOUNT 42')
  await run('XNACK s g FAIL IDS 1 5-0')
  await killed()
  const expected = [`1-0  ${HIGHEST}`, `2-0  ${HIGHEST}`, '3-0  0', '4-0  42', '5-0  1']
  t.same((await rows()).slice(0, 5), expected)
  t.equal((await rows()).at(-1), '70-0 ann 1')
  const order = idsOf(await claims('CLAIM 99999999 COUNT 100'))
  t.same(order, [...some(6, 69), '2-0', '1-0', '3-0', '4-0', '5-0'], 'an entry released again is the last')
})

t.test('XNACK: DUMP, RESTORE and COPY take released entries along, and leave the source alone', async t => {
  await pending(3)
  await run('XNACK s g FATAL IDS 2 3-0 1-0')
  const expected = [`1-0  ${HIGHEST}`, '2-0 ann 1', `3-0  ${HIGHEST}`]
  await run('COPY s copy')
  const dump = (await redis.dumpBuffer('s')) as Buffer
  t.equal(dump[0], 27)
  for (const key of ['copy', 'restored']) {
    if (key === 'restored') await redis.restore(key, 0, dump)
    const reply = (await run(`XREADGROUP GROUP g bob CLAIM 9999999 STREAMS ${key} >`)) as [[string, Entry[]]]
    t.same(idsOf(reply[0][1]), ['3-0', '1-0'], key)
  }
  t.same(await rows(), expected)
  await run('XGROUP DESTROY s g')
  await run('XGROUP CREATE s g 0')
  t.same(await rows(), [], 'and a new group has nothing of the old one')
})

t.test('XADD with idempotence: inside MULTI, without a key, many producers of any name, over a kill', async t => {
  await run('FLUSHALL')
  t.equal(await run('XADD s NOMKSTREAM IDMPAUTO p * f v'), null)
  t.equal(await run('EXISTS s'), 0)
  const names = ['p', Buffer.from([0, 1, 255]), 'héllo-世界', 'x'.repeat(1000)]
  const ids: unknown[] = []
  for (const name of names) ids.push(await run('XADD s IDMP', name, 'id', '*', 'f', 'v'))
  t.equal(new Set(ids).size, names.length)
  await run('MULTI')
  await run('XADD s IDMP p other * f v')
  await run('XADD s IDMP p other * f again')
  const [first, again] = (await run('EXEC')) as [string, string]
  t.equal(again, first)
  const empty = await run('XADD s IDMPAUTO p * f', '')
  t.equal(await run('XADD s IDMPAUTO p * f', ''), empty)
  t.not(await run('XADD s IDMPAUTO p * f v'), empty)
  await killed()
  for (const [i, name] of names.entries()) t.equal(await run('XADD s IDMP', name, 'id', '*', 'f', 'dup'), ids[i])
  const info = (await run('XINFO STREAM s')) as unknown[]
  const figure = (name: string) => info[info.indexOf(name) + 1]
  t.same([figure('pids-tracked'), figure('iids-added'), figure('iids-duplicates')], [4, 7, 6])
})

t.test('XGROUP: ENTRIESREAD beyond what was ever added is what was added', async t => {
  await run('FLUSHALL')
  await run('XADD s * f v')
  await run('XGROUP CREATE s g $ ENTRIESREAD 9999')
  const progress = async () => {
    const [group] = (await run('XINFO GROUPS s')) as unknown[][]
    return [group[group.indexOf('entries-read') + 1], group[group.indexOf('lag') + 1]]
  }
  t.same(await progress(), [1, 0])
  await run('XGROUP SETID s g 0')
  await run('XGROUP SETID s g $ ENTRIESREAD 9999')
  t.same(await progress(), [1, 0])
  await killed()
  t.same(await progress(), [1, 0])
})
