// A sorted set, a hash, a set and a list far larger than the page cache: loaded in scattered order, read by name, rank
// and range, cut, killed and started again, with memory that stays bounded meanwhile. LARGE_MEMBERS members each
// (50,000; npm run test:long: 10,000,000) with a cache of LARGE_CACHE_MIB (1; long: 64). LARGE_KINDS: of these alone.

import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import type { Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import type { RunningServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

const MEMBERS = Number(process.env.LARGE_MEMBERS ?? 50_000)
const CACHE_MIB = Number(process.env.LARGE_CACHE_MIB ?? 1)
const MIB = 1 << 20
/** Neighbours that come together; all else comes in scattered order, and hashes scatter names in any case. */
const RUN = 10
/** Has no factor in common with a power of ten, so that multiples of it come to every run once. */
const STRIDE = 7919
const PER_COMMAND = 100
const COMMANDS_AT_ONCE = 50
const SAMPLES = 200
/** Descriptors of pages stay in memory as long as a page beside theirs does: some 500 bytes for a hundred members. */
const DESCRIPTOR_BYTES = 16
/**
 * A server that works; what may be cached; what may wait for a checkpoint (twice what starts one) beside what the one
 * that runs has cut, some of it as it is and as it was; descriptors.
 */
const MEMORY_MAX = 150 * MIB + 7 * CACHE_MIB * MIB + DESCRIPTOR_BYTES * MEMBERS

t.setTimeout(Math.max(60_000, MEMBERS))

type Words = (string | number)[]

interface Kind {
  readonly name: string
  /** The command that adds members [from, to). */
  load(from: number, to: number): Words
  /** Commands about random members, with their replies; `cut` members with the lowest numbers were removed. */
  samples(random: Seeded, cut: number): [Words, string][]
  /** Removes the members with numbers below `cut`. */
  cut(cut: number): Words[]
  readonly size: string
  readonly scan?: string
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const bulk = (text: string | number) => `$${String(text).length}\r\n${text}\r\n`
const array = (texts: readonly string[]) => `*${texts.length}\r\n${texts.map(bulk).join('')}`
/** Where the i-th member that comes lies in the order. */
const placeOf = (i: number) => ((Math.floor(i / RUN) * STRIDE) % (MEMBERS / RUN)) * RUN + (i % RUN)
const member = (place: number) => `member:${String(place).padStart(10, '0')}`

function aRange(random: Seeded, cut: number): [number, number] {
  const from = random.between(cut, MEMBERS - 1)
  return [from, Math.min(from + random.between(1, 300), MEMBERS)]
}

const sortedSet: Kind = {
  name: 'sorted set',
  size: 'ZCARD',
  scan: 'ZSCAN',
  load: (from, to) => ['ZADD', 'k', ...numbers(from, to).flatMap(i => [placeOf(i), member(placeOf(i))])],
  samples(random, cut) {
    const place = random.between(cut, MEMBERS - 1)
    const [from, to] = aRange(random, cut)
    const names = numbers(from, to).map(member)
    return [
      [['ZSCORE', 'k', member(place)], bulk(place)],
      [['ZRANK', 'k', member(place)], `:${place - cut}\r\n`],
      [['ZREVRANK', 'k', member(place)], `:${MEMBERS - 1 - place}\r\n`],
      [['ZRANGE', 'k', from - cut, to - 1 - cut], array(names)],
      [['ZRANGEBYSCORE', 'k', from, `(${to}`], array(names)],
      [['ZREVRANGEBYSCORE', 'k', `(${to}`, from], array(names.toReversed())],
      [['ZCOUNT', 'k', '-inf', from], `:${from - cut + 1}\r\n`],
      [['ZSCORE', 'k', member(cut - 1)], '$-1\r\n'],
    ]
  },
  cut: cut => [
    ['ZREMRANGEBYRANK', 'k', 0, cut - 1001],
    ['ZREMRANGEBYSCORE', 'k', '-inf', cut - 501],
    ['ZREM', 'k', ...numbers(cut - 500, cut).map(member)],
  ],
}

const removal = (word: string, cut: number): Words[] =>
  Array.from({ length: cut / PER_COMMAND }, (_, i) => [
    word,
    'k',
    ...numbers(i * PER_COMMAND, (i + 1) * PER_COMMAND).map(member),
  ])

const hash: Kind = {
  name: 'hash',
  size: 'HLEN',
  scan: 'HSCAN',
  load: (from, to) => ['HSET', 'k', ...numbers(from, to).flatMap(i => [member(placeOf(i)), `value ${placeOf(i)}`])],
  samples(random, cut) {
    const place = random.between(cut, MEMBERS - 1)
    return [
      [['HGET', 'k', member(place)], bulk(`value ${place}`)],
      [['HMGET', 'k', member(cut), member(place)], array([`value ${cut}`, `value ${place}`])],
      [['HSTRLEN', 'k', member(place)], `:${`value ${place}`.length}\r\n`],
      [['HEXISTS', 'k', member(cut - 1)], ':0\r\n'],
    ]
  },
  cut: cut => removal('HDEL', cut),
}

const set: Kind = {
  name: 'set',
  size: 'SCARD',
  scan: 'SSCAN',
  load: (from, to) => ['SADD', 'k', ...numbers(from, to).map(i => member(placeOf(i)))],
  samples(random, cut) {
    const place = random.between(cut, MEMBERS - 1)
    return [
      [['SISMEMBER', 'k', member(place)], ':1\r\n'],
      [['SISMEMBER', 'k', member(cut - 1)], ':0\r\n'],
      [['SMISMEMBER', 'k', member(place), 'none'], '*2\r\n:1\r\n:0\r\n'],
    ]
  },
  cut: cut => removal('SREM', cut),
}

const list: Kind = {
  name: 'list',
  size: 'LLEN',
  load: (from, to) => ['RPUSH', 'k', ...numbers(from, to).map(member)],
  samples(random, cut) {
    const place = random.between(cut, MEMBERS - 1)
    const [from, to] = aRange(random, cut)
    return [
      [['LINDEX', 'k', place - cut], bulk(member(place))],
      [['LINDEX', 'k', place - MEMBERS], bulk(member(place))],
      [['LRANGE', 'k', from - cut, to - 1 - cut], array(numbers(from, to).map(member))],
      [['LSET', 'k', place - cut, member(place)], '+OK\r\n'],
    ]
  },
  cut: cut => [
    ['LTRIM', 'k', cut - 100, -1],
    ['LPOP', 'k', 100],
  ],
}

/** Sends commands in batches and gives each reply to `see`. */
async function all(client: RespClient, commands: Iterable<Words>, see: (reply: string, i: number) => void) {
  let batch: Words[] = []
  let seen = 0
  const flush = async () => {
    client.send(Buffer.concat(batch.map(encodeCommand)))
    for (const reply of await Promise.all(batch.map(() => client.reply()))) see(reply.toString('latin1'), seen++)
    batch = []
  }
  for (const command of commands) if (batch.push(command) === COMMANDS_AT_ONCE) await flush()
  await flush()
}

function* loadOf(kind: Kind): Iterable<Words> {
  for (let from = 0; from < MEMBERS; from += PER_COMMAND) yield kind.load(from, from + PER_COMMAND)
}

const start = (dir: string) =>
  startServer({
    dir,
    args: ['--page-cache-bytes', `${CACHE_MIB}mb`, '--checkpoint-dirty-bytes', `${CACHE_MIB}mb`],
  })

function checkMemory(t: Test, server: RunningServer, when: string): void {
  const status = readFileSync(`/proc/${server.pid}/status`, 'latin1')
  const bytes = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) * 1024
  t.ok(bytes < MEMORY_MAX, `${Math.round(bytes / MIB)} MiB resident ${when}, of ${Math.round(MEMORY_MAX / MIB)}`)
}

/** What lies in memory fits the cache once all is stored. */
async function checkCache(t: Test, client: RespClient): Promise<void> {
  t.equal(await client.text('SAVE'), '+OK\r\n')
  let cached = Infinity
  for (let i = 0; i < 1000 && cached > CACHE_MIB * MIB; i++) {
    await client.text('PING')
    cached = Number(/cached_bytes:(\d+)/.exec(await client.text('INFO', 'storage'))![1])
  }
  t.ok(cached <= CACHE_MIB * MIB, `${cached} bytes cached`)
}

async function checkContent(t: Test, kind: Kind, client: RespClient, random: Seeded, cut: number): Promise<void> {
  t.equal(await client.text(kind.size, 'k'), `:${MEMBERS - cut}\r\n`)
  const asked = Array.from({ length: SAMPLES }, () => kind.samples(random, cut)).flat()
  let wrong = 0
  await all(
    client,
    asked.map(([words]) => words),
    (reply, i) => {
      if (reply !== asked[i][1] && wrong++ === 0) t.equal(reply, asked[i][1], asked[i][0].join(' '))
    },
  )
  t.equal(wrong, 0, `${asked.length} replies are right`)
}

/** How many members a scan from begin to end gives. */
async function scanned(client: RespClient, word: string): Promise<number> {
  let count = 0
  let cursor = '0'
  do {
    const reply = await client.text(word, 'k', cursor, 'COUNT', 1000)
    cursor = /^\*2\r\n\$\d+\r\n(\d+)\r\n/.exec(reply)![1]
    count += reply.match(/\r\nmember:/g)?.length ?? 0
  } while (cursor !== '0')
  return count
}

const KINDS = [sortedSet, hash, set, list].filter(({ name }) => (process.env.LARGE_KINDS ?? name).includes(name))
for (const kind of KINDS) {
  t.test(`a ${kind.name} of ${MEMBERS} members with a cache of ${CACHE_MIB} MiB`, async t => {
    const random = seeded()
    t.comment(`SEED=${random.seed}`)
    const dir = tempDir(t)
    let server = await start(dir)
    t.teardown(() => server.stop())
    let client = await RespClient.connect(server.port)
    let errors = 0
    await all(client, loadOf(kind), reply => (errors += reply.startsWith('-') ? 1 : 0))
    t.equal(errors, 0)
    checkMemory(t, server, 'after the load')
    await checkContent(t, kind, client, random, 0)
    await checkCache(t, client)
    const cut = MEMBERS / 10
    await all(client, kind.cut(cut), reply => (errors += reply.startsWith('-') ? 1 : 0))
    t.equal(errors, 0)
    await checkContent(t, kind, client, random, cut)
    checkMemory(t, server, 'after reads and removals')
    client.close()
    await server.kill9()
    server = await start(dir)
    client = await RespClient.connect(server.port)
    await checkContent(t, kind, client, random, cut)
    if (kind.scan !== undefined) t.equal(await scanned(client, kind.scan), MEMBERS - cut, 'a scan gives each once')
    checkMemory(t, server, 'after a start and reads')
    client.close()
  })
}
