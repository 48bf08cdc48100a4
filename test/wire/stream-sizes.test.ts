// Streams at sizes that nobody expects, on a server that has little memory and is killed in between: very many groups
// and consumers, a name of every byte, entries larger than a page, the last possible IDs. STREAM_SIZE groups and
// consumers (1,500: more than XINFO tells at once).

import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import { startServer } from '../support/start-server.js'

const SIZE = Number(process.env.STREAM_SIZE ?? 1_500)
const BATCH = 500
const LAST = '18446744073709551615-18446744073709551615'
const BEFORE_LAST = '18446744073709551615-18446744073709551614'
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
const LARGE = Buffer.alloc(300_000, 'x')

type Words = (string | number | Buffer)[]

async function all(redis: Redis, commands: Words[], keep = true): Promise<unknown[]> {
  const replies: unknown[] = []
  for (let from = 0; from < commands.length; from += BATCH) {
    const pipeline = redis.pipeline()
    for (const [name, ...words] of commands.slice(from, from + BATCH)) pipeline.call(String(name), ...words)
    for (const [error, reply] of (await pipeline.exec()) ?? []) {
      if (error) throw error
      if (keep) replies.push(reply)
    }
  }
  return replies
}

const numbers = Array.from({ length: SIZE }, (_, i) => i)
const of = (flat: unknown, name: string): unknown => (flat as unknown[])[(flat as unknown[]).indexOf(name) + 1]
const connect = (port: number) => new Redis({ port, host: '127.0.0.1', protocol: 2 })

t.test('all of it is there after kill -9, with next to nothing in memory', async t => {
  const options = { args: ['--page-cache-bytes', '1mb', '--bind', '127.0.0.1'] }
  let server = await startServer(options)
  let redis = connect(server.port)
  const { dir } = server
  t.teardown(async () => {
    redis.disconnect()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })
  await all(redis, [
    ['XADD', 's', '1-0', 'large', LARGE],
    ['XADD', 's', '2-0', 'f', 'v'],
    ['XADD', 's', BEFORE_LAST, 'f', 'v'],
    ['XADD', 's', LAST, 'f', LARGE],
    ['XGROUP', 'CREATE', 's', EVERY_BYTE, 0],
    ['XREADGROUP', 'GROUP', EVERY_BYTE, EVERY_BYTE, 'STREAMS', 's', '>'],
  ])
  await all(
    redis,
    numbers.flatMap(i => [
      ['XGROUP', 'CREATE', 's', `g${i}`, 0],
      ['XREADGROUP', 'GROUP', `g${i}`, 'c', 'COUNT', 2, 'STREAMS', 's', '>'],
    ]),
    false,
  )
  await all(redis, [
    ['XGROUP', 'CREATE', 'many', 'g', 0, 'MKSTREAM'],
    ...numbers.map(i => ['XADD', 'many', `${i + 1}-0`, 'n', i]),
  ])
  await all(
    redis,
    numbers.map(i => ['XREADGROUP', 'GROUP', 'g', `c${i}`, 'COUNT', 1, 'STREAMS', 'many', '>']),
  )
  await all(
    redis,
    numbers.slice(0, SIZE / 2).map(i => ['XACK', 's', `g${i}`, '1-0', '2-0']),
  )

  redis.disconnect()
  await server.kill9()
  server = await startServer({ ...options, dir })
  redis = connect(server.port)

  const groups = (await redis.call('XINFO', 'GROUPS', 's')) as unknown[]
  t.equal(groups.length, SIZE + 1)
  t.equal(groups.filter(group => of(group, 'pending') === 0).length, Math.floor(SIZE / 2))
  t.ok(groups.every(group => of(group, 'lag') === (of(group, 'entries-read') === 4 ? 0 : 2)))
  const full = (await redis.callBuffer('XINFO', 'STREAM', 's', 'FULL', 'COUNT', 1)) as unknown[]
  const told = full[full.findIndex(word => String(word) === 'groups') + 1] as unknown[][]
  t.equal(told.length, SIZE + 1)
  t.ok(
    told.some(([, name]) => EVERY_BYTE.equals(name as Buffer)),
    'the name of every byte',
  )

  const consumers = (await redis.call('XINFO', 'CONSUMERS', 'many', 'g')) as unknown[]
  t.equal(consumers.length, SIZE)
  t.ok(consumers.every(consumer => of(consumer, 'pending') === 1))
  const summary = (await redis.call('XPENDING', 'many', 'g')) as [number, string, string, unknown[]]
  t.same([summary[0], summary[1], summary[2], summary[3].length], [SIZE, '1-0', `${SIZE}-0`, SIZE])
  t.equal(await redis.call('XGROUP', 'DELCONSUMER', 'many', 'g', `c${SIZE - 1}`), 1)

  const history = (await redis.callBuffer('XREADGROUP', 'GROUP', EVERY_BYTE, EVERY_BYTE, 'STREAMS', 's', '0')) as [
    [Buffer, [Buffer, Buffer[]][]],
  ]
  const entries = history[0][1]
  t.same(
    entries.map(([id]) => id.toString()),
    ['1-0', '2-0', BEFORE_LAST, LAST],
  )
  t.ok(entries[0][1][1].equals(LARGE) && entries[3][1][1].equals(LARGE), 'entries larger than a page')
  t.rejects(redis.xadd('s', '*', 'f', 'v'), { message: /exhausted the last possible ID/ })
  t.same(await redis.call('XNACK', 's', EVERY_BYTE, 'FAIL', 'IDS', 1, LAST), 1)
  const claimed = (await redis.call(
    'XREADGROUP',
    'GROUP',
    EVERY_BYTE,
    'd',
    'COUNT',
    1,
    'CLAIM',
    99_999_999,
    'STREAMS',
    's',
    '>',
  )) as [[string, [string][]]]
  t.equal(claimed[0][1][0][0], LAST)
  t.same(
    await redis.call('XACKDEL', 's', EVERY_BYTE, 'ACKED', 'IDS', 2, '1-0', LAST),
    [2, 2],
    'others have not read it',
  )
  t.same(await redis.call('XDELEX', 's', 'DELREF', 'IDS', 1, '1-0'), [1])
  t.equal(of(await redis.call('XINFO', 'STREAM', 's'), 'max-deleted-entry-id'), '1-0')
  const left = (await all(
    redis,
    numbers.map(i => ['XPENDING', 's', `g${i}`]),
  )) as [number][]
  t.same([...new Set(left.map(([pending]) => pending))].sort(), [0, 1], 'the reference went from every group')
  t.equal(await redis.del('s', 'many'), 2)
})
