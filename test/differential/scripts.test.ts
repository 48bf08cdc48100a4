// The same random scripts to redis-server and to Millrace, in RESP2 and RESP3: equal replies, errors and their places
// included, and equal data after them. SCRIPT_COUNT scripts per protocol (150; npm run test:long sets more). A failure
// prints its seed and the shortest script found.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { seeded, Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { needsRedis } from '../wire/wire-pair.js'
import { FIXED_LINES, ScriptGenerator } from './script-generator.js'

const COUNT = Number(process.env.SCRIPT_COUNT ?? 150)
t.setTimeout(120_000 + COUNT * 100)

/** How a value is read whole; sets have one order as long as they are sorted. */
const READ: Readonly<Record<string, (key: string) => string[]>> = {
  string: key => ['GET', key],
  list: key => ['LRANGE', key, '0', '-1'],
  hash: key => ['HGETALL', key],
  set: key => ['SORT', key, 'ALPHA'],
  zset: key => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: key => ['XRANGE', key, '-', '+'],
}

/** What a server answers, and what the script has left behind. */
async function outcome(client: RespClient, lines: readonly string[]): Promise<string> {
  const script = lines.join('\n')
  const replies = [await client.text('EVAL', script, 0)]
  for (const key of ['k1', 'k2', 'k3']) {
    const type = (await client.text('TYPE', key)).slice(1, -2)
    replies.push(type === 'none' ? type : await client.text(...READ[type](key)))
  }
  return replies.join('')
}

async function differ(redis: RespClient, ours: RespClient, lines: readonly string[]): Promise<[string, string] | null> {
  for (const client of [redis, ours]) await client.text('FLUSHALL')
  const [expected, found] = [await outcome(redis, lines), await outcome(ours, lines)]
  return expected === found ? null : [expected, found]
}

/** Leaves out lines as long as the outcomes differ. */
async function shortest(redis: RespClient, ours: RespClient, lines: readonly string[]): Promise<string[]> {
  let best = [...lines]
  for (let at = FIXED_LINES.prologue; at < best.length - FIXED_LINES.epilogue;) {
    const without = [...best.slice(0, at), ...best.slice(at + 1)]
    if ((await differ(redis, ours, without)) === null) at++
    else best = without
  }
  return best
}

for (const protocol of [2, 3] as const) {
  t.test(`random scripts answer as on redis-server, RESP${protocol}`, needsRedis, async t => {
    const [reference, server] = [await startRedisServer(), await startServer()]
    t.teardown(async () => void (await Promise.all([reference.stop(), server.stop()])))
    const [redis, ours] = [await RespClient.connect(reference.port), await RespClient.connect(server.port)]
    t.teardown(() => [redis, ours].forEach(client => client.close()))
    for (const client of [redis, ours]) await client.text('HELLO', protocol)
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    for (let i = 0; i < COUNT; i++) {
      const scriptSeed = rng.below(2 ** 31)
      const lines = new ScriptGenerator(new Seeded(scriptSeed)).next()
      if ((await differ(redis, ours, lines)) === null) {
        t.pass(`script seed ${scriptSeed}`)
        continue
      }
      const short = await shortest(redis, ours, lines)
      const [expected, found] = (await differ(redis, ours, short))!
      const shown = short.slice(FIXED_LINES.prologue).join('\n')
      t.fail(`SEED=${rng.seed}, script seed ${scriptSeed}\n${shown}\nredis: ${expected}\nours:  ${found}`)
      return
    }
  })
}
