// kill -9 in the middle of scripts: what a script, a function or a transaction with a script has done is there whole or
// not at all, and what was acknowledged is there. CRASH_ROUNDS rounds per durability mode (3).

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { seeded, Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)
const CLIENTS = 4
t.setTimeout(120_000 + ROUNDS * 20_000)

/** One step: number n into a value of each type, and ARGV[1] strings of ARGV[2] bytes, so that records are large. */
const STEP = `
  local n = redis.call('INCR', KEYS[1] .. ':n')
  for i = 1, tonumber(ARGV[1]) do redis.call('SET', KEYS[1] .. ':s' .. i, n .. ':' .. ('x'):rep(tonumber(ARGV[2]))) end
  redis.call('RPUSH', KEYS[1] .. ':list', n)
  redis.call('HSET', KEYS[1] .. ':hash', 'field' .. n, n)
  redis.call('SADD', KEYS[1] .. ':set', n)
  redis.call('ZADD', KEYS[1] .. ':zset', n, 'member' .. n)
  redis.call('XADD', KEYS[1] .. ':stream', n .. '-1', 'n', n)
  redis.call('SET', KEYS[1] .. ':last', n)
  return n`
const LIBRARY = `#!lua name=steps\nredis.register_function('step', function(KEYS, ARGV) ${STEP} end)`
/** All that must agree; fails when something of it is half done. */
const CHECK = `
  local n = tonumber(redis.call('GET', KEYS[1] .. ':n') or 0)
  local found = {redis.call('LLEN', KEYS[1] .. ':list'), redis.call('HLEN', KEYS[1] .. ':hash'),
    redis.call('SCARD', KEYS[1] .. ':set'), redis.call('ZCARD', KEYS[1] .. ':zset'),
    redis.call('XLEN', KEYS[1] .. ':stream'), tonumber(redis.call('GET', KEYS[1] .. ':last') or 0),
    tonumber(redis.call('GET', KEYS[1] .. ':before') or 0), tonumber(redis.call('GET', KEYS[1] .. ':after') or 0)}
  for i = 1, 6 do if found[i] ~= n then return 'step ' .. n .. ' is not whole: ' .. table.concat(found, ' ') end end
  if found[7] ~= found[8] then return 'a transaction is not whole: ' .. found[7] .. ' and ' .. found[8] end
  for i = 1, n do if redis.call('LINDEX', KEYS[1] .. ':list', i - 1) ~= tostring(i) then return 'list at ' .. i end end
  local first = (redis.call('GET', KEYS[1] .. ':s1') or '0:'):match('^%d+')
  for i = 2, 40 do
    local other = redis.call('GET', KEYS[1] .. ':s' .. i)
    if other and tonumber(other:match('^%d+')) > tonumber(first) then return 'string ' .. i .. ' is too late' end
  end
  return n`

/** Steps until the connection ends; returns the last number that was acknowledged. */
async function walk(client: RespClient, key: string, rng: Seeded, acknowledged: number): Promise<number> {
  let last = acknowledged
  try {
    for (;;) {
      const args = [1, key, rng.between(1, 40), rng.pick([0, 10, 1000, 5000])]
      const kind = rng.below(3)
      let reply: string
      if (kind === 0) reply = await client.text('EVAL', STEP, ...args)
      else if (kind === 1) reply = await client.text('FCALL', 'step', ...args)
      else {
        const queued = [
          client.text('MULTI'),
          client.text('INCR', `${key}:before`),
          client.text('EVAL', STEP, ...args),
          client.text('INCR', `${key}:after`),
          client.text('EXEC'),
        ]
        reply = `:${/:\d+\r\n:(\d+)\r\n/.exec((await Promise.all(queued))[4])![1]}\r\n`
      }
      last = Number(/^:(\d+)\r\n$/.exec(reply)![1])
    }
  } catch (error) {
    if (!client.ended) throw error
    return last
  }
}

for (const appendfsync of ['everysec', 'always']) {
  t.test(`kill -9 leaves scripts whole or absent, appendfsync ${appendfsync}`, async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const dir = tempDir(t)
    const args = ['--appendfsync', appendfsync, '--checkpoint-dirty-bytes', '1mb']
    const keys = Array.from({ length: CLIENTS }, (_, i) => `walker${i}`)
    let acknowledged = keys.map(() => 0)
    for (let round = 0; round <= ROUNDS; round++) {
      const server = await startServer({ dir, args })
      t.teardown(() => server.kill9())
      const checker = await RespClient.connect(server.port)
      if (round === 0) await checker.text('FUNCTION', 'LOAD', LIBRARY)
      for (const [i, key] of keys.entries()) {
        const found = await checker.text('EVAL', CHECK, 1, key)
        const [before, n] = [acknowledged[i], Number(/^:(\d+)/.exec(found)?.[1] ?? -1)]
        t.ok(n === before || n === before + 1, `round ${round}, ${key}: ${found.trim()}, acknowledged ${before}`)
        acknowledged[i] = n
      }
      if (round === ROUNDS) return await server.kill9()
      const clients = await Promise.all(keys.map(() => RespClient.connect(server.port)))
      const walks = clients.map((client, i) => walk(client, keys[i], new Seeded(rng.below(2 ** 30)), acknowledged[i]))
      await sleep(rng.between(200, 900))
      await server.kill9()
      const after = await Promise.all(walks)
      t.ok(
        after.some((n, i) => n > acknowledged[i]),
        `round ${round}: steps were taken`,
      )
      acknowledged = after
    }
  })
}
