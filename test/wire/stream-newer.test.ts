// Streams beyond Redis 7.2 on a real server: clients that wait with CLAIM, scripts and transactions, rights, documents.

import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

const server = await startServer()
t.teardown(async () => void (await server.stop()))

async function clients(t: { teardown(fn: () => void): void }): Promise<[RespClient, RespClient, RespClient]> {
  const three = [1, 2, 3].map(() => RespClient.connect(server.port))
  const [a, b, c] = await Promise.all(three)
  t.teardown(() => [a, b, c].forEach(client => client.close()))
  await a.text('FLUSHALL')
  for (const id of ['1-0', '2-0', '3-0']) await a.text('XADD', 's', id, 'n', id)
  await a.text('XGROUP', 'CREATE', 's', 'g', '0')
  await a.text('XREADGROUP', 'GROUP', 'g', 'ann', 'COUNT', '3', 'STREAMS', 's', '>')
  return [a, b, c]
}

/** Resolves when so many clients wait. */
async function waiting(client: RespClient, count: number): Promise<void> {
  while (!(await client.text('INFO', 'clients')).includes(`blocked_clients:${count}\r\n`)) continue
}

t.test('a client that waits with CLAIM is served when a pending entry has been idle long enough', async t => {
  const [a, b] = await clients(t)
  const reply = await b.text(
    'XREADGROUP',
    'GROUP',
    'g',
    'bob',
    'BLOCK',
    0,
    'CLAIM',
    60,
    'COUNT',
    1,
    'STREAMS',
    's',
    '>',
  )
  const idle = /\*4\r\n\$3\r\n1-0\r\n\*2\r\n\$1\r\nn\r\n\$3\r\n1-0\r\n:(\d+)\r\n:1\r\n$/.exec(reply)
  t.ok(Number(idle?.[1]) >= 60, reply)
  t.match(await a.text('XPENDING', 's', 'g', '-', '+', 1), /1-0\r\n\$3\r\nbob\r\n:\d+\r\n:2\r\n/)
})

t.test('and at once when one is released, first come first served', async t => {
  const [a, b, c] = await clients(t)
  const wait = (client: RespClient, name: string) =>
    client.text('XREADGROUP', 'GROUP', 'g', name, 'BLOCK', 0, 'CLAIM', 3_600_000, 'COUNT', 1, 'STREAMS', 's', '>')
  const first = wait(b, 'bob')
  await waiting(a, 1)
  const second = wait(c, 'cat')
  await waiting(a, 2)
  t.equal(await a.text('XNACK', 's', 'g', 'FAIL', 'IDS', 1, '2-0'), ':1\r\n')
  t.match(await first, /2-0\r\n:1\d{12}\r\n:1\r\n$/)
  t.equal(await a.text('XCLAIM', 's', 'g', 'ann', 0, '3-0', 'IDLE', 7_200_000, 'JUSTID'), '*1\r\n$3\r\n3-0\r\n')
  t.match(await second, /3-0\r\n:7200\d{3}\r\n:1\r\n$/, 'a claim that makes an entry idle wakes too')
  t.match(await a.text('INFO', 'clients'), 'blocked_clients:0')
})

t.test('a new entry comes with two numbers; who waits without CLAIM is not bothered', async t => {
  const [a, b, c] = await clients(t)
  const plain = c.text('XREADGROUP', 'GROUP', 'g', 'cat', 'BLOCK', 0, 'STREAMS', 's', '>')
  await waiting(a, 1)
  const claims = b.text('XREADGROUP', 'GROUP', 'g', 'bob', 'BLOCK', 0, 'CLAIM', 3_600_000, 'STREAMS', 's', '>')
  await waiting(a, 2)
  await a.text('XNACK', 's', 'g', 'FAIL', 'IDS', 1, '1-0')
  t.match(await claims, /1-0\r\n:1\d{12}\r\n:1\r\n$/)
  t.match(await a.text('INFO', 'clients'), 'blocked_clients:1')
  await a.text('XADD', 's', '4-0', 'n', '4')
  t.match(await plain, /\*2\r\n\$3\r\n4-0\r\n\*2\r\n\$1\r\nn\r\n\$1\r\n4\r\n$/)
})

t.test('a wait with CLAIM ends by its own time-out, and by CLIENT UNBLOCK', async t => {
  const [a, b] = await clients(t)
  t.equal(
    await b.text('XREADGROUP', 'GROUP', 'g', 'bob', 'BLOCK', 30, 'CLAIM', 3_600_000, 'STREAMS', 's', '>'),
    '*-1\r\n',
  )
  const id = (await b.text('CLIENT', 'ID')).slice(1, -2)
  const reply = b.text('XREADGROUP', 'GROUP', 'g', 'bob', 'BLOCK', 0, 'CLAIM', 3_600_000, 'STREAMS', 's', '>')
  await waiting(a, 1)
  await a.text('CLIENT', 'UNBLOCK', id)
  t.equal(await reply, '*-1\r\n')
})

t.test('inside MULTI and scripts nothing waits, and all of it works', async t => {
  const [a] = await clients(t)
  await a.text('MULTI')
  await a.text('XREADGROUP', 'GROUP', 'g', 'bob', 'BLOCK', 0, 'CLAIM', 3_600_000, 'STREAMS', 's', '>')
  await a.text('XNACK', 's', 'g', 'FAIL', 'IDS', 1, '1-0')
  await a.text('XACKDEL', 's', 'g', 'IDS', 1, '2-0')
  t.equal(await a.text('EXEC'), '*3\r\n*-1\r\n:1\r\n*1\r\n:1\r\n')
  const script =
    "return redis.call('XREADGROUP', 'GROUP', 'g', 'bob', 'CLAIM', '3600000', 'STREAMS', KEYS[1], '>')[1][2][1][1]"
  t.equal(await a.text('EVAL', script, 1, 's'), '$3\r\n1-0\r\n')
})

t.test('RESP3: streams are a map', async t => {
  const [a] = await clients(t)
  await a.text('HELLO', 3)
  await a.text('XNACK', 's', 'g', 'FAIL', 'IDS', 1, '1-0')
  const reply = await a.text('XREADGROUP', 'GROUP', 'g', 'bob', 'CLAIM', 3_600_000, 'STREAMS', 's', '>')
  t.match(reply, /^%1\r\n\$1\r\ns\r\n\*1\r\n\*4\r\n\$3\r\n1-0\r\n/)
})

t.test('COMMAND DOCS, COMMAND GETKEYS and ACL know the commands', async t => {
  const [a] = await clients(t)
  const since = { xackdel: '8.2.0', xdelex: '8.2.0', xcfgset: '8.6.0', xidmprecord: '8.6.2', xnack: '8.8.0' }
  for (const [name, version] of Object.entries(since)) {
    t.match(await a.text('COMMAND', 'DOCS', name), version, name)
    t.match(await a.text('ACL', 'CAT', 'stream'), `\r\n${name}\r\n`)
  }
  t.equal(await a.text('COMMAND', 'GETKEYS', 'XACKDEL', 's', 'g', 'IDS', 1, '1-0'), '*1\r\n$1\r\ns\r\n')
  await a.text('ACL', 'SETUSER', 'reader', 'on', 'nopass', '~other', '+@stream')
  const denied = await a.text('ACL', 'DRYRUN', 'reader', 'XNACK', 's', 'g', 'FAIL', 'IDS', 1, '1-0')
  t.match(denied, /no permissions to access the 's' key|has no permissions/)
})
