// A process that the system gives less memory than its data take: 48 times the page cache of streams with pending
// entries, hashes, sorted sets, lists and strings are written and read back, and resident memory stays within its
// bound. SMALL_MEMORY_MIB of data (384).

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

t.setTimeout(3_600_000)
const MIB = 1 << 20
const DATA_BYTES = Number(process.env.SMALL_MEMORY_MIB ?? 384) * MIB
const CACHE_BYTES = 8 * MIB
/**
 * What the process may have beyond that of a server without data: the cache, changes, the checkpoint's thread and what
 * the engine keeps of garbage. Less than the data.
 */
const MORE_BYTES = 340 * MIB
const VALUE_BYTES = 4000
/** Values in one key of each kind. */
const PER_KEY = 500
const KINDS = ['stream', 'hash', 'zset', 'list', 'string'] as const
const KEYS = Math.ceil(DATA_BYTES / VALUE_BYTES / PER_KEY / KINDS.length)

/** Value number `i` of key `key`: of text that packs badly, so that it takes its room on the disk as well. */
function valueOf(key: number, i: number): string {
  let state = (key * 7919 + i * 104_729 + 1) >>> 0
  let text = `${key}:${i}:`
  while (text.length < VALUE_BYTES) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += state.toString(36)
  }
  return text.slice(0, VALUE_BYTES)
}

function commandsFor(key: number): (string | number)[][] {
  const values = Array.from({ length: PER_KEY }, (_, i) => valueOf(key, i))
  return [
    ...values.map((value, i) => ['XADD', `stream${key}`, `${i + 1}-0`, 'v', value]),
    ['XGROUP', 'CREATE', `stream${key}`, 'group', '0'],
    ['XREADGROUP', 'GROUP', 'group', 'worker', 'COUNT', 100, 'STREAMS', `stream${key}`, '>'],
    ['HSET', `hash${key}`, ...values.flatMap((value, i) => [`f${i}`, value])],
    ['ZADD', `zset${key}`, ...values.flatMap((value, i) => [i, value])],
    ['RPUSH', `list${key}`, ...values],
    ...values.map((value, i) => ['SET', `string${key}:${i}`, value]),
  ]
}

const memoryOf = (pid: number, field: string) =>
  1024 * Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])

const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`

t.test('48 times the page cache is served from a process that could not hold it', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const args = ['--page-cache-bytes', String(CACHE_BYTES), '--checkpoint-dirty-bytes', '4mb']
  const idle = await startServer({ args })
  const [idleData, idleAnonymous] = [memoryOf(idle.pid, 'VmData'), memoryOf(idle.pid, 'RssAnon')]
  await idle.stop()
  const limit = `--data=${idleData + MORE_BYTES}`
  const limited = spawnSync('prlimit', [limit, 'true']).status === 0
  if (!limited) t.comment('prlimit cannot limit memory here: only measured')
  const dir = tempDir(t)
  const options = { dir, args, ...(limited ? { through: ['prlimit', limit] } : {}) }
  let server = await startServer(options)
  let client = await RespClient.connect(server.port)
  let peak = 0
  const look = () => (peak = Math.max(peak, memoryOf(server.pid, 'RssAnon') - idleAnonymous))
  for (let key = 0; key < KEYS; key++) {
    const commands = commandsFor(key)
    for (let at = 0; at < commands.length; at += 100) {
      const some = commands.slice(at, at + 100)
      client.send(Buffer.concat(some.map(encodeCommand)))
      for (const [name] of some) if ((await client.reply())[0] === 45) t.fail(`${name} was refused`)
    }
    look()
  }
  t.equal(await client.text('SAVE'), '+OK\r\n')

  const verify = async (lookups: number): Promise<void> => {
    for (let n = 0; n < lookups; n++) {
      const [key, i] = [rng.below(KEYS), rng.below(PER_KEY)]
      const value = valueOf(key, i)
      const [id, ask] = [`${i + 1}-0`, (...words: (string | number)[]) => client.text(...words)]
      const entry = `*1\r\n*2\r\n${bulk(id)}*2\r\n${bulk('v')}${bulk(value)}`
      t.equal(await ask('XRANGE', `stream${key}`, id, id), entry)
      t.equal(await ask('HGET', `hash${key}`, `f${i}`), bulk(value))
      t.equal(await ask('ZRANK', `zset${key}`, value), `:${i}\r\n`)
      t.equal(await ask('LINDEX', `list${key}`, i), bulk(value))
      t.equal(await ask('GET', `string${key}:${i}`), bulk(value))
      look()
    }
    const key = rng.below(KEYS)
    t.match(await client.text('XPENDING', `stream${key}`, 'group'), /^\*4\r\n:100\r\n/)
    t.equal((await client.command('XRANGE', `stream${key}`, '-', '+')).length > PER_KEY * VALUE_BYTES, true)
    t.equal((await client.command('HGETALL', `hash${key}`)).length > PER_KEY * VALUE_BYTES, true)
    look()
  }
  await verify(60)
  client.close()
  await server.kill9()
  server = await startServer(options)
  t.teardown(() => server.kill9())
  client = await RespClient.connect(server.port)
  t.teardown(() => client.close())
  t.equal(await client.text('DBSIZE'), `:${KEYS * (KINDS.length - 1) + KEYS * PER_KEY}\r\n`)
  await verify(60)
  t.comment(`${DATA_BYTES / MIB} MiB of data; at most ${(peak / MIB).toFixed(0)} MiB more than a server without`)
  t.ok(peak < MORE_BYTES, `${peak} bytes of anonymous memory beyond those of an idle server`)
})
