// Expiries of hash fields over TCP: what survives kill -9 and a checkpoint, what clients are told, and dumps.

import t from 'tap'
import type { Test } from 'tap'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

const FAR = 4_000_000_000_000
const FIELDS = Array.from({ length: 400 }, (_, i) => `field ${i}`)

async function fill(client: RespClient): Promise<void> {
  await client.command('HSET', 'small', 'a', '1', 'b', '2')
  await client.command('HPEXPIREAT', 'small', FAR, 'FIELDS', 1, 'a')
  await client.command('HSET', 'large', ...FIELDS.flatMap(field => [field, 'v'.repeat(100)]))
  await client.command('HPEXPIREAT', 'large', FAR + 1, 'FIELDS', FIELDS.length, ...FIELDS)
  await client.command('HPERSIST', 'large', 'FIELDS', 1, FIELDS[7])
  await client.command('HSET', 'gone', 'f', 'v', 'g', 'v')
  await client.command('HSET', 'partly', 'f', 'v', 'g', 'v')
  await client.command('HPEXPIRE', 'gone', 1, 'FIELDS', 2, 'f', 'g')
  await client.command('HPEXPIRE', 'partly', 1, 'FIELDS', 1, 'f')
}

async function check(t: Test, client: RespClient, when: string): Promise<void> {
  const ask = (...args: (string | number)[]) => client.text(...args)
  t.equal(await ask('HPEXPIRETIME', 'small', 'FIELDS', 2, 'a', 'b'), `*2\r\n:${FAR}\r\n:-1\r\n`, when)
  const times = await ask('HPEXPIRETIME', 'large', 'FIELDS', FIELDS.length, ...FIELDS)
  t.equal(times, `*400\r\n${FIELDS.map((_, i) => (i === 7 ? ':-1\r\n' : `:${FAR + 1}\r\n`)).join('')}`, when)
  t.equal(await ask('HLEN', 'large'), ':400\r\n', when)
  t.equal(await ask('EXISTS', 'gone'), ':0\r\n', when)
  t.equal(await ask('HKEYS', 'partly'), '*1\r\n$1\r\ng\r\n', when)
  t.equal(await ask('OBJECT', 'ENCODING', 'small'), '$10\r\nlistpackex\r\n', when)
}

t.test('expiries survive kill -9, checkpoints and both after each other', async t => {
  let server = await startServer()
  const { dir } = server
  let client = await RespClient.connect(server.port)
  await fill(client)
  await check(t, client, 'at first')
  for (const [when, saved] of [
    ['from the journal alone', false],
    ['from the store', true],
    ['from the store again', false],
  ] as const) {
    if (saved) await client.command('SAVE')
    await server.kill9()
    client.close()
    server = await startServer({ dir })
    client = await RespClient.connect(server.port)
    await check(t, client, when)
  }
  await client.command('HPEXPIREAT', 'small', FAR, 'FIELDS', 1, 'b')
  await client.command('HPERSIST', 'small', 'FIELDS', 1, 'a')
  await client.command('SAVE')
  await server.kill9()
  client.close()
  server = await startServer({ dir })
  client = await RespClient.connect(server.port)
  t.equal(await client.text('HPEXPIRETIME', 'small', 'FIELDS', 2, 'a', 'b'), `*2\r\n:-1\r\n:${FAR}\r\n`)
  client.close()
  await server.stop()
})

t.test('a field that falls due while the server is down is removed after the start, unasked', async t => {
  let server = await startServer({ args: ['--enable-debug-command', 'local'] })
  const { dir } = server
  let client = await RespClient.connect(server.port)
  // However slow the machine is, it is not this server that removes the field.
  await client.command('DEBUG', 'SET-ACTIVE-EXPIRE', '0')
  await client.command('HSET', 'h', 'a', '1')
  await client.command('HPEXPIRE', 'h', 300, 'FIELDS', 1, 'a')
  await client.command('SAVE')
  client.close()
  await server.kill9()
  await new Promise(resolve => setTimeout(resolve, 350))
  server = await startServer({ dir })
  client = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    await server.stop()
  })
  for (let i = 0; i < 400; i++) {
    if ((await client.text('DBSIZE')) === ':0\r\n') break
    await new Promise(resolve => setTimeout(resolve, 10))
  }
  t.equal(await client.text('DBSIZE'), ':0\r\n')
  t.match(await client.text('INFO', 'stats'), /expired_subkeys:1\r/)
})

t.test('subscribers hear of each step', async t => {
  const server = await startServer({ args: ['--notify-keyspace-events', 'KEA'] })
  const client = await RespClient.connect(server.port)
  const listener = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    listener.close()
    await server.stop()
  })
  await listener.command('SUBSCRIBE', '__keyspace@0__:h')
  await client.command('HSET', 'h', 'a', '1', 'b', '2')
  await client.command('HEXPIRE', 'h', 100, 'FIELDS', 1, 'a')
  await client.command('HPERSIST', 'h', 'FIELDS', 1, 'a')
  await client.command('HEXPIRE', 'h', 0, 'FIELDS', 1, 'a')
  await client.command('HPEXPIRE', 'h', 10, 'FIELDS', 1, 'b')
  const heard: string[] = []
  while (heard.at(-1) !== 'del') heard.push(/\r\n(\w+)\r\n$/.exec((await listener.reply()).toString())![1])
  t.same(heard, ['hset', 'hexpire', 'hpersist', 'hdel', 'hexpire', 'hexpired', 'del'])
})

t.test('a watched hash whose field falls due breaks the transaction', async t => {
  const server = await startServer()
  const client = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    await server.stop()
  })
  await client.command('HSET', 'h', 'a', '1', 'b', '2')
  await client.command('HPEXPIRE', 'h', 20, 'FIELDS', 1, 'a')
  await client.command('WATCH', 'h')
  await new Promise(resolve => setTimeout(resolve, 40))
  await client.command('MULTI')
  await client.command('HGET', 'h', 'b')
  t.equal(await client.text('EXEC'), '*-1\r\n')
})

t.test('DUMP and RESTORE carry expiries in the form of Redis 7.4', async t => {
  const server = await startServer()
  const client = await RespClient.connect(server.port)
  t.teardown(async () => {
    client.close()
    await server.stop()
  })
  await fill(client)
  for (const key of ['small', 'large']) {
    const bulk = await client.command('DUMP', key)
    const payload = bulk.subarray(bulk.indexOf('\r\n') + 2, bulk.length - 2)
    t.equal(payload[0], 24)
    t.equal(payload.readUInt16LE(payload.length - 10), 12, 'a version that Redis before 7.4 refuses')
    t.equal(await client.text('RESTORE', key, 0, payload, 'REPLACE'), '+OK\r\n')
  }
  await check(t, client, 'after RESTORE')
  const plain = await client.command('DUMP', 'partly')
  t.equal(plain.readUInt16LE(plain.length - 12), 10, 'without expiries it is as before')
})
