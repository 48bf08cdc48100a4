import t from 'tap'
import type { Test } from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

// Servers are started one after another.
t.setTimeout(120_000)

type Ask = (...args: (Buffer | string | number)[]) => Promise<string>

async function ours(t: Test): Promise<{ port: number; ask: Ask }> {
  const server = await startServer()
  const client = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    await server.stop()
  })
  return { port: server.port, ask: (...words) => client.text(...words) }
}

async function redis(t: Test): Promise<{ port: number; ask: Ask }> {
  const server = await startRedisServer()
  const client = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    await server.stop()
  })
  return { port: server.port, ask: (...words) => client.text(...words) }
}

const HOST = '127.0.0.1'

t.test('keys of every type go to redis-server and come back', async t => {
  const [millrace, far] = [await ours(t), await redis(t)]
  await millrace.ask('SET', 'string', 'value', 'PX', 100_000_000)
  await millrace.ask('HSET', 'hash', 'f', 'v')
  await millrace.ask('SADD', 'set', 1, 2, 3)
  await millrace.ask('ZADD', 'zset', 1.5, 'm')
  await millrace.ask('RPUSH', 'list', 'a', 'b')
  await millrace.ask('XADD', 'stream', '1-1', 'f', 'v')
  await millrace.ask('XGROUP', 'CREATE', 'stream', 'g', 0)
  await millrace.ask('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'stream', '>')
  const keys = ['string', 'hash', 'set', 'zset', 'list', 'stream']
  const digests = await Promise.all(keys.map(key => millrace.ask('DUMP', key)))
  t.equal(await millrace.ask('MIGRATE', HOST, far.port, '', 3, 60_000, 'KEYS', ...keys, 'missing'), '+OK\r\n')
  t.equal(await millrace.ask('DBSIZE'), ':0\r\n', 'they are gone from here')
  await far.ask('SELECT', 3)
  t.equal(await far.ask('DBSIZE'), ':6\r\n')
  t.equal(
    await far.ask('XPENDING', 'stream', 'g'),
    '*4\r\n:1\r\n$3\r\n1-1\r\n$3\r\n1-1\r\n*1\r\n*2\r\n$1\r\nc\r\n$1\r\n1\r\n',
  )
  const ttl = Number((await far.ask('PTTL', 'string')).slice(1))
  t.ok(ttl > 0 && ttl <= 100_000_000, 'the expiry went along')
  t.equal(await far.ask('MIGRATE', HOST, millrace.port, '', 0, 60_000, 'KEYS', ...keys), '+OK\r\n')
  for (const [i, key] of keys.entries()) t.equal(await millrace.ask('DUMP', key), digests[i], key)
})

t.test('what cannot move stays, and the reply says why, as redis-server says it', async t => {
  const far = await redis(t)
  await far.ask('CONFIG', 'SET', 'requirepass', 'secret')
  for (const near of [await ours(t), await redis(t)]) {
    const ask = near.ask
    await far.ask('FLUSHALL')
    const go = (key: string, ...more: (string | number)[]) => ask('MIGRATE', HOST, far.port, key, 0, 60_000, ...more)
    t.equal(await go('nothing'), '+NOKEY\r\n')
    await ask('MSET', 'a', 1, 'b', 2, 'c', 3)
    t.match(await go('a'), /^-ERR Target instance replied with error: NOAUTH /)
    t.match(await go('a', 'AUTH', 'wrong'), /^-ERR Target instance replied with error: WRONGPASS /)
    t.equal(await go('a', 'COPY', 'AUTH', 'secret'), '+OK\r\n')
    t.equal(await ask('EXISTS', 'a'), ':1\r\n', 'a copy leaves it')
    t.equal(
      await go('', 'AUTH2', 'default', 'secret', 'KEYS', 'a', 'b'),
      '-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n',
    )
    t.equal(await ask('EXISTS', 'a', 'b', 'c'), ':2\r\n', 'b went, a could not')
    t.equal(await go('a', 'REPLACE', 'AUTH', 'secret'), '+OK\r\n')
    t.equal(
      await ask('MIGRATE', HOST, far.port, 'c', 99, 60_000, 'AUTH', 'secret'),
      '-ERR Target instance replied with error: ERR DB index is out of range\r\n',
    )
    t.equal(await ask('KEYS', '*'), '*1\r\n$1\r\nc\r\n')
    t.equal(await ask('MIGRATE', HOST, 1, 'c', 0, 60_000), '-IOERR error or timeout writing to target instance\r\n')
    t.equal(await ask('MIGRATE', HOST, near.port, 'c', 0, 50), '-IOERR error or timeout reading to target instance\r\n')
    t.equal(
      await ask('MIGRATE', 'no.such.host.invalid', 6379, 'c', 0, 1000),
      '-IOERR error or timeout connecting to the client\r\n',
    )
    t.equal(await ask('GET', 'c'), '$1\r\n3\r\n')
    await ask('DEL', 'c')
  }
})

t.test('arguments are judged as redis-server judges them', async t => {
  const [millrace, reference] = [await ours(t), await redis(t)]
  const lines = [
    'MIGRATE', 'MIGRATE h 1 k 0', 'MIGRATE h p k 0 10', 'MIGRATE h 1 k x 10', 'MIGRATE h 1 k 0 x', 'MIGRATE h 1 k x x',
    'MIGRATE h 1 k 0 10 FOO', 'MIGRATE h 1 k x 10 FOO', 'MIGRATE h 1 k 0 10 KEYS a', 'MIGRATE h 1 k 0 10 AUTH',
    'MIGRATE h 1 k 0 10 AUTH2 a', 'MIGRATE h 1 k 0 10 copy replace auth p', 'MIGRATE h 1 k 0 10 KEYS',
    'COMMAND INFO MIGRATE', 'COMMAND GETKEYS MIGRATE h 1 k 0 10 COPY', 'COMMAND GETKEYS MIGRATE h 1 k 0 10 KEYS a',
    'COMMAND GETKEYS MIGRATE h 1 k 0 10 AUTH KEYS', 'COMMAND GETKEYS MIGRATE h 1 k 0 10 AUTH KEYS KEYS a',
  ] // prettier-ignore
  for (const line of lines)
    t.equal(await millrace.ask(...line.split(' ')), await reference.ask(...line.split(' ')), line)
  const empty = [
    ['KEYS'], ['KEYS', 'a'], ['AUTH', 'KEYS', 'KEYS', 'a'], ['AUTH2', 'KEYS', 'b', 'KEYS', 'a', 'c'], ['COPY'],
  ] // prettier-ignore
  for (const rest of empty) {
    const words = ['MIGRATE', 'h', 1, '', 0, 10, ...rest]
    t.equal(await millrace.ask(...words), await reference.ask(...words), words.join(' '))
    const asked = ['COMMAND', 'GETKEYS', ...words]
    t.equal(await millrace.ask(...asked), await reference.ask(...asked), asked.join(' '))
  }
})

t.test('what moved is gone after kill -9, in transactions and scripts as well; passwords are not shown', async t => {
  const far = await redis(t)
  const server = await startServer()
  const client = await RespClient.connect(server.port)
  const watcher = await RespClient.connect(server.port)
  await watcher.text('MONITOR')
  await client.text('MSET', 'a', 1, 'b', 2, 'c', 3, 'd', 4)
  t.match(
    await client.text('MIGRATE', HOST, far.port, 'c', 0, 60_000, 'AUTH', 'hunter2'),
    /^-ERR Target instance replied with error: ERR AUTH /,
  )
  await client.text('MULTI')
  await client.text('MIGRATE', HOST, far.port, 'a', 0, 60_000)
  await client.text('SET', 'e', 5)
  t.equal(await client.text('EXEC'), '*2\r\n+OK\r\n+OK\r\n')
  const script = "return redis.call('MIGRATE', ARGV[1], ARGV[2], KEYS[1], 0, 60000)"
  t.equal(await client.text('EVAL', script, 1, 'b', HOST, far.port), '+OK\r\n')
  await client.text('PING')
  let seen = ''
  while (!seen.includes('"PING"')) seen += (await watcher.reply()).toString('latin1')
  t.match(seen, '"AUTH" "(redacted)"')
  t.notMatch(seen, 'hunter2')
  client.close()
  watcher.close()
  await server.kill9()
  const again = await startServer({ dir: server.dir })
  const after = await RespClient.connect(again.port)
  t.equal(await after.text('EXISTS', 'a', 'b'), ':0\r\n')
  t.equal(await after.text('EXISTS', 'c', 'd', 'e'), ':3\r\n')
  after.close()
  await again.stop()
  t.equal(await far.ask('MGET', 'a', 'b'), '*2\r\n$1\r\n1\r\n$1\r\n2\r\n')
})
