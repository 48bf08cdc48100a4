// Every kind of value on cold data: a page cache of almost nothing, everything read again and again from the store, by
// clients that wait for the disk while others go on. The replies are those of a server that has all in memory.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import type { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'

const PAD = 'p'.repeat(80)

async function runAll(client: RespClient, commands: readonly string[]): Promise<string[]> {
  client.send(commands.map(command => `${command}\r\n`).join(''))
  const replies: string[] = []
  for (let i = 0; i < commands.length; i++) replies.push((await client.reply()).toString('latin1'))
  return replies
}

const FILL = [
  ...Array.from({ length: 300 }, (_, i) => `SET string${i} ${PAD}${i}`),
  ...Array.from({ length: 2000 }, (_, i) => `XADD stream ${i + 1}-1 f ${PAD}${i}`),
  'XGROUP CREATE stream g 0',
  'XREADGROUP GROUP g c COUNT 1500 STREAMS stream >',
  ...Array.from({ length: 2000 }, (_, i) => `HSET hash field${i} ${PAD}${i}`),
  ...Array.from({ length: 2000 }, (_, i) => `ZADD zset ${i} ${PAD}${i}`),
  ...Array.from({ length: 2000 }, (_, i) => `RPUSH list ${PAD}${i}`),
  ...Array.from({ length: 2000 }, (_, i) => `SADD set ${PAD}${i}`),
]

const n = (below: number, rng: { below(below: number): number }) => rng.below(below)

/** Commands of all kinds that answer alike at any time, whatever the cache holds. */
function randomCommand(rng: ReturnType<typeof seeded>): string {
  const i = n(2000, rng)
  const kinds = [
    `GET string${n(300, rng)}`,
    `STRLEN string${n(300, rng)}`,
    `APPEND string${n(300, rng)} x`,
    `MGET string${n(300, rng)} string${n(300, rng)} nothing`,
    `DEL string${n(300, rng)}`,
    `XRANGE stream ${i} + COUNT ${n(400, rng) + 1}`,
    `XREVRANGE stream ${i} - COUNT ${n(400, rng) + 1}`,
    `XREAD COUNT 20 STREAMS stream ${i}`,
    `XDEL stream ${i}-1`,
    `XACK stream g ${i}-1 ${n(2000, rng)}-1 ${n(2000, rng)}-1`,
    `XREADGROUP GROUP g c COUNT 5 STREAMS stream >`,
    `XREADGROUP GROUP g c COUNT 30 STREAMS stream ${i}`,
    `XPENDING stream g`,
    `XCLAIM stream g d 0 ${i}-1 JUSTID`,
    `XLEN stream`,
    `HGET hash field${i}`,
    `HSET hash field${i} changed${i} other${i} v`,
    `HDEL hash field${i} field${n(2000, rng)}`,
    `HSTRLEN hash field${i}`,
    `ZSCORE zset ${PAD}${i}`,
    `ZRANK zset ${PAD}${i}`,
    `ZRANGE zset ${i} ${i + n(300, rng)} WITHSCORES`,
    `ZREVRANGE zset ${i} ${i + n(300, rng)}`,
    `ZADD zset ${n(5000, rng)} ${PAD}${i}`,
    `ZREM zset ${PAD}${i} ${PAD}${n(2000, rng)}`,
    `ZRANGEBYSCORE zset ${i} ${i + 100} LIMIT 3 50`,
    `LINDEX list ${i}`,
    `LRANGE list ${i} ${i + n(300, rng)}`,
    `LSET list ${n(100, rng)} changed${i}`,
    `LPOS list ${PAD}${i}`,
    `LPOP list`,
    `RPUSH list more${i}`,
    `SISMEMBER set ${PAD}${i}`,
    `SMISMEMBER set ${PAD}${i} ${PAD}${n(2000, rng)} no`,
    `SADD set ${PAD}${n(3000, rng)}`,
    `SREM set ${PAD}${i}`,
    `OBJECT ENCODING hash`,
    `SETRANGE string${n(300, rng)} 3 abc`,
    `EXISTS string${n(300, rng)} hash`,
    `RENAME string${n(300, rng)} string${n(300, rng)}`,
  ]
  return rng.pick(kinds)
}

t.test('replies out of cold data are those out of memory, command for command', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const cold = await startInProcess(t, tempDir(t), { pageCacheBytes: 32 * 1024 })
  const warm = await startInProcess(t, tempDir(t))
  const [client, model] = [await cold.connect(), await warm.connect()]
  await runAll(client, FILL)
  await runAll(model, FILL)
  for (let round = 0; round < 6; round++) {
    await client.command('SAVE')
    const commands = Array.from({ length: 150 }, () => randomCommand(rng))
    const answers = Promise.all([runAll(client, commands), runAll(model, commands)])
    const [given, expected] = await answers.catch((error: Error) => {
      throw new Error([error.message, ...cold.lines.filter(line => line.includes('defect'))].join('\n'))
    })
    for (const [i, command] of commands.entries()) {
      if (given[i] !== expected[i]) t.fail(`round ${round}: ${command}\n${given[i]}\n${expected[i]}`)
    }
  }
  const stats = await client.text('INFO', 'all')
  const figure = (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(stats)![1])
  t.ok(figure('cold_reads_fetched') > 20, `${figure('cold_reads_fetched')} times a command waited for the disk`)
  const others = await model.text('INFO', 'all')
  const hits = (text: string) => /keyspace_hits:(\d+)\r\nkeyspace_misses:(\d+)/.exec(text)!.slice(1).join()
  t.equal(hits(stats), hits(others), 'given-up runs are not counted')
  const calls = (text: string) =>
    text
      .match(/cmdstat_(?!save|info|config)\w+:calls=\d+/g)!
      .sort()
      .join()
  t.equal(calls(stats), calls(others))
})
