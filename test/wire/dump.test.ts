// DUMP and RESTORE over TCP: replies, values that travel between the two servers, and a crash behind a RESTORE.

import t from 'tap'
import type { Test } from 'tap'
import { Redis } from 'ioredis'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import { IDEMPOTENCE_FIELDS } from '../differential/normalise.js'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('DUMP and RESTORE answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'DUMP',
    'DUMP none',
    'SET s value',
    'SET n 12345',
    'DUMP s',
    'DUMP n',
    'RESTORE',
    'RESTORE k 0',
    'RESTORE s 0 x',
    'RESTORE k x x',
    'RESTORE k -1 x',
    'RESTORE k 0 x',
    'RESTORE k 0 x REPLACE ABSTTL IDLETIME 1 x',
    'COMMAND INFO dump restore',
  ])
})

async function clients(t: Test): Promise<{ ours: Redis; theirs: Redis }> {
  const redis = await startRedisServer(['--sanitize-dump-payload', 'yes'])
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const ours = new Redis({ port: server.port })
  const theirs = new Redis({ port: redis.port })
  t.teardown(() => ours.disconnect())
  t.teardown(() => theirs.disconnect())
  return { ours, theirs }
}

/** A value of each kind, as commands on a client. */
async function fill(client: Redis): Promise<void> {
  await client.set('string', 'repeat '.repeat(500))
  await client.set('integer', '-70000')
  await client.sadd('set', ...Array.from({ length: 700 }, (_, i) => `member ${i}`))
  await client.sadd('integers', 1, -5, 70_000)
  await client.hset('hash', { field: 'value', 7: '8' })
  for (let i = 1; i <= 350; i++) await client.xadd('stream', `${i}-${i % 3}`, 'field', `value ${i}`, 'n', i)
  await client.xdel('stream', '1-1', '200-2', '350-2')
  await client.xgroup('CREATE', 'stream', 'group', '0')
  await client.xreadgroup('GROUP', 'group', 'one', 'COUNT', 120, 'STREAMS', 'stream', '>')
  await client.xreadgroup('GROUP', 'group', 'two', 'COUNT', 30, 'STREAMS', 'stream', '>')
  await client.xack('stream', 'group', '5-2', '6-0', '140-2')
}

const KEYS = ['string', 'integer', 'set', 'integers', 'hash', 'stream']

async function seen(client: Redis): Promise<unknown> {
  const set = await client.smembers('set')
  const full = (await client.call('XINFO', 'STREAM', 'stream', 'FULL', 'COUNT', 0)) as unknown[]
  const groups = full[full.indexOf('groups') + 1] as unknown[][]
  // Redis 7.0 has no active-time.
  const consumers = groups.map(group =>
    (group[group.indexOf('consumers') + 1] as unknown[][]).map(pairs => without(['active-time'], pairs)),
  )
  return [
    await client.mget('string', 'integer'),
    [...set].sort(),
    await client.smembers('integers'),
    await client.hgetall('hash'),
    await client.xrange('stream', '-', '+'),
    await client.call('XINFO', 'STREAM', 'stream').then(info => without(NOT_COMPARED, info as unknown[])),
    await client
      .call('XPENDING', 'stream', 'group', '-', '+', 1000)
      .then(rows => (rows as unknown[][]).map(withoutIdle)),
    consumers,
  ]
}

const NOT_COMPARED = ['radix-tree-nodes', ...IDEMPOTENCE_FIELDS]

/** Names and values in turn, less those of `names`. */
function without(names: readonly string[], pairs: unknown[]): unknown[] {
  return pairs.filter((_, i) => !names.includes(pairs[i - (i % 2)] as string))
}

function withoutIdle([id, owner, , deliveries]: unknown[]): unknown[] {
  return [id, owner, deliveries]
}

t.test('values made by redis-server are the same here, and the other way round', needsRedis, async t => {
  const { ours, theirs } = await clients(t)
  for (const [from, to] of [
    [theirs, ours],
    [ours, theirs],
  ]) {
    await from.flushall()
    await to.flushall()
    await fill(from)
    for (const key of KEYS) {
      const dump = (await from.callBuffer('DUMP', key)) as Buffer
      t.equal(await to.call('RESTORE', key, 0, dump), 'OK', key)
    }
    t.same(await seen(to), await seen(from))
  }
})

t.test('what was restored outlives a crash, with its expiry', async t => {
  const dir = tempDir(t)
  const before = await startServer({ dir })
  t.teardown(() => before.kill9())
  const client = new Redis({ port: before.port, retryStrategy: () => null })
  t.teardown(() => client.disconnect())
  client.on('error', () => undefined)
  await fill(client)
  const multi = client.multi()
  for (const key of KEYS) {
    const dump = (await client.callBuffer('DUMP', key)) as Buffer
    multi.call('RESTORE', key, 1_000_000, dump, 'REPLACE')
  }
  for (const [error, answer] of (await multi.exec())!) t.same([error, answer], [null, 'OK'])
  const expected = await seen(client)
  const expires = await Promise.all(KEYS.map(key => client.pexpiretime(key)))
  await before.kill9()

  const after = await startServer({ dir })
  t.teardown(() => after.stop())
  const again = new Redis({ port: after.port })
  t.teardown(() => again.disconnect())
  t.same(await seen(again), expected)
  t.same(await Promise.all(KEYS.map(key => again.pexpiretime(key))), expires)
})
