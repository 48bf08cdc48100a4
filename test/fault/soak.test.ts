// Everything at once, killed again and again: appends, groups, trims, transactions, scripts, sorted sets, hashes,
// lists, blocked readers, checkpoints and flushes. After each kill -9 `millrace check` must find nothing, not even a
// row that belongs to nobody, and the next start must serve what was acknowledged. SOAK_ROUNDS kills (2), SOAK_S
// seconds between them (1.5); `npm run soak` takes 40 minutes. Memory and file come to a level and stay there.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { findingText } from '../../src/admin/finding-text.js'
import { checkFolder } from '../../src/admin/folder-check.js'
import { systemClock } from '../../src/base/clock.js'
import { RespClient } from '../support/resp-client.js'
import { seeded, Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import { Journey } from './journey.js'

const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 2)
const ROUND_S = Number(process.env.SOAK_S ?? 1.5)
t.setTimeout((ROUNDS + 2) * (ROUND_S + 60) * 2000)
const JOURNEYS = 3
const WALKERS = 3
const MIB = 1 << 20
/** What starts a checkpoint; writes wait at twice as much, so that a checkpoint writes no more than that. */
const DIRTY_MIB = 2
const LIVE_BYTES_MAX = 8 * MIB
/** The pages of a checkpoint, those that it frees, those that the one before has freed; and as many again. */
const FREE_BYTES_MAX = 6 * 2 * DIRTY_MIB * MIB
const ANONYMOUS_BYTES_MAX = 224 * MIB
/** Rounds in each half, below which halves say nothing. */
const FLAT_FROM_ROUNDS = 3
/** Of levels that depend on the moment. */
const SLACK_BYTES = 8 * MIB

/** Number n into one value of each kind; the stream and the list keep the last hundred. */
const STEP = `
  local n = redis.call('INCR', KEYS[1] .. ':n')
  redis.call('RPUSH', KEYS[1] .. ':list', n)
  redis.call('LTRIM', KEYS[1] .. ':list', -100, -1)
  redis.call('ZADD', KEYS[1] .. ':zset', n, 'member' .. (n % 700))
  redis.call('HSET', KEYS[1] .. ':hash', 'field' .. (n % 700), n)
  redis.call('XADD', KEYS[1] .. ':stream', 'MAXLEN', ARGV[1], 100, n .. '-1', 'n', ('x'):rep(tonumber(ARGV[2])))
  if n % 10 == 0 then redis.call('SET', KEYS[1] .. ':blob', ('y'):rep(20000)) end
  redis.call('SET', KEYS[1] .. ':last', n)
  return n`
/** What must agree after steps and flushes, whatever was killed. */
const CHECK = `
  local get = function(name) return tonumber(redis.call('GET', KEYS[1] .. name) or 0) end
  local n = get(':n')
  if get(':last') ~= n then return 'last ' .. get(':last') .. ' of ' .. n end
  local list = tonumber(redis.call('LINDEX', KEYS[1] .. ':list', -1) or 0)
  if list ~= n then return 'list ends with ' .. list .. ' of ' .. n end
  if redis.call('LLEN', KEYS[1] .. ':list') ~= math.min(n, 100) then return 'list is too short' end
  if redis.call('ZCARD', KEYS[1] .. ':zset') ~= math.min(n, 700) then return 'zset is not whole' end
  if redis.call('HLEN', KEYS[1] .. ':hash') ~= math.min(n, 700) then return 'hash is not whole' end
  if n > 0 then
    if tonumber(redis.call('HGET', KEYS[1] .. ':hash', 'field' .. (n % 700))) ~= n then return 'hash is behind' end
    if tonumber(redis.call('ZSCORE', KEYS[1] .. ':zset', 'member' .. (n % 700))) ~= n then return 'zset is behind' end
    local last = redis.call('XREVRANGE', KEYS[1] .. ':stream', '+', '-', 'COUNT', 1)[1][1]
    if last ~= n .. '-1' then return 'stream ends with ' .. last .. ' of ' .. n end
  end
  return n`

/** Runs until the connection breaks. */
async function untilKilled(client: RespClient, work: () => Promise<unknown>): Promise<void> {
  try {
    for (;;) await work()
  } catch (error) {
    if (!client.ended) throw error
  }
}

async function walk(client: RespClient, key: string, rng: Seeded): Promise<void> {
  await untilKilled(client, async () => {
    const reply = await client.text('EVAL', STEP, 1, key, rng.pick(['=', '~']), rng.below(300))
    if (!/^:\d+\r\n$/.test(reply)) throw new Error(reply)
  })
}

/** Checkpoints, trims of others' streams, and now and then a flush. */
async function disturb(client: RespClient, flush: string, rng: Seeded): Promise<void> {
  await untilKilled(client, async () => {
    await sleep(rng.below(30))
    const pick = rng.below(12)
    if (pick === 0) await client.text(flush)
    else if (pick < 5) await client.text('BGSAVE', 'SCHEDULE')
    else await client.text('XTRIM', `walker${rng.below(WALKERS)}:stream`, 'MAXLEN', '~', 100)
  })
}

/** Waits for what mostly never comes, so that it is killed while it waits. */
async function wait(client: RespClient, i: number): Promise<void> {
  await untilKilled(client, async () => {
    await client.text('XREAD', 'BLOCK', 50, 'STREAMS', `walker${i}:stream`, '$')
    await client.text('BLPOP', 'nothing', '0.05')
  })
}

/** Bytes. */
interface Level {
  readonly file: number
  /** Of the file, what is in use. */
  readonly live: number
  readonly anonymous: number
}

async function levelOf(client: RespClient, pid: number, file: string): Promise<Level> {
  const free = Number(/reclaimable_bytes:(\d+)/.exec(await client.text('INFO', 'storage'))?.[1])
  const { size } = statSync(file)
  const kib = Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
  return { file: size, live: size - free, anonymous: kib * 1024 }
}

/**
 * What the load leaves behind is of bounded size, so the file is: what is in use, and the pages that a few checkpoints
 * have freed and taken. Memory: an empty server, what V8 lets gather as garbage in its heap and beside it, the cache,
 * and changes.
 */
function assertFlat(t: Test, levels: readonly Level[]): void {
  const highest = (list: readonly Level[], what: keyof Level) => Math.max(...list.map(level => level[what]))
  t.ok(highest(levels, 'live') <= LIVE_BYTES_MAX, `${highest(levels, 'live')} bytes in use`)
  for (const { file, live } of levels) t.ok(file <= live + FREE_BYTES_MAX, `${file} bytes of file, ${live} in use`)
  t.ok(highest(levels, 'anonymous') <= ANONYMOUS_BYTES_MAX, `${highest(levels, 'anonymous')} bytes of memory`)
  const half = Math.floor(levels.length / 2)
  if (half < FLAT_FROM_ROUNDS) return
  for (const what of ['file', 'live', 'anonymous'] as const) {
    const [before, after] = [highest(levels.slice(0, half), what), highest(levels.slice(half), what)]
    t.ok(after <= before * 1.25 + SLACK_BYTES, `${what}: ${before} bytes at most in the first half, then ${after}`)
  }
}

for (const { flush, journeysToo } of [
  { flush: 'FLUSHDB', journeysToo: true },
  { flush: 'FLUSHALL', journeysToo: false },
]) {
  t.test(`everything at once under ${flush}, killed again and again`, async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const dir = tempDir(t)
    const args = [
      '--checkpoint-dirty-bytes',
      `${DIRTY_MIB}mb`,
      '--page-cache-bytes',
      '2mb',
      '--checkpoint-replay-records',
      '5000',
    ]
    const names = journeysToo ? Array.from({ length: JOURNEYS }, (_, i) => String(i)) : []
    const journeys = names.map(name => new Journey(name, rng.below(2 ** 30)))
    const levels: Level[] = []
    for (let round = 1; round <= ROUNDS + 1; round++) {
      const server = await startServer({ dir, args: [...args, '--appendfsync', rng.pick(['everysec', 'always'])] })
      t.teardown(() => server.kill9())
      const connect = async (db: number) => {
        const client = await RespClient.connect(server.port)
        await client.text('SELECT', db)
        return client
      }
      const checker = await connect(0)
      for (const journey of journeys) t.equal(await journey.verify(checker), undefined, `round ${round}: a journey`)
      await checker.text('SELECT', 1)
      for (let i = 0; i < WALKERS; i++) {
        t.match(
          await checker.text('EVAL', CHECK, 1, `walker${i}`),
          /^:\d+\r\n$/,
          `round ${round}: walker ${i} is whole`,
        )
      }
      if (round > ROUNDS) {
        t.equal(await server.stop(), 0)
        assertFlat(t, levels)
        break
      }
      const work: Promise<void>[] = []
      for (const journey of journeys) work.push(journey.travel(await connect(0)))
      for (let i = 0; i < WALKERS; i++) {
        work.push(walk(await connect(1), `walker${i}`, new Seeded(rng.below(2 ** 30))), wait(await connect(1), i))
      }
      work.push(disturb(await connect(1), flush, new Seeded(rng.below(2 ** 30))))
      await sleep(ROUND_S * 500)
      // However slow the machine is: one checkpoint at least lies in the middle.
      t.equal(await checker.text('SAVE'), '+OK\r\n')
      await sleep(ROUND_S * 500 * rng.fraction())
      const level = await levelOf(checker, server.pid, join(dir, 'store', 'data.mdb'))
      levels.push(level)
      await server.kill9()
      await Promise.all(work)
      const output = { out: () => undefined, err: () => undefined }
      const { store, journal } = await checkFolder(dir, output, systemClock)
      t.same([store.findings.map(findingText), journal.findings, store.waste], [[], [], []], `round ${round}: check`)
      t.comment(`round ${round}: ${JSON.stringify(level)}, ${store.keys} keys, ${journal.records} records to replay`)
    }
  })
}
