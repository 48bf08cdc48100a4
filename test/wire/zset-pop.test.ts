// Pops from sorted sets over TCP, blocking ones too.

import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { answersAlike, needsRedis, words } from './wire-pair.js'

const SETUP = ['SET str x', 'ZADD z 1 a 2 b 3 c 4 d 5 e', 'ZADD names 0 a 0 b 0 ba 0 c 0 d 0 e\\0x']

t.test('pops answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'ZPOPMIN none',
    'ZPOPMIN none 0',
    'ZPOPMIN none -1',
    'ZPOPMIN none x',
    'ZPOPMIN none 1 2',
    'ZPOPMIN str',
    'ZPOPMIN str 0',
    'ZPOPMIN z',
    'ZPOPMAX z 1',
    'ZPOPMAX z 0',
    'ZMPOP 0 a MIN',
    'ZMPOP 1 z FOO',
    'ZMPOP 1 z MIN COUNT 0',
    'ZMPOP 1 z MIN COUNT',
    'ZMPOP 1 z MIN COUNT 1 COUNT 1',
    'ZMPOP 5 z MIN',
    'ZMPOP x z MIN',
    'ZMPOP 1 none MIN',
    'ZMPOP 2 str z MIN',
    'ZMPOP 2 none z MAX',
    'ZMPOP 2 none z MIN COUNT 10',
    'EXISTS z',
    'BZPOPMIN names x',
    'BZPOPMIN names -1',
    'BZPOPMIN names inf',
    'BZPOPMIN names 1e300',
    'BZPOPMIN str 0',
    'BZPOPMIN names 0',
    'BZPOPMAX none names 0.1',
    'BZPOPMAX none 0.01',
    'BZMPOP x 1 names MIN',
    'BZMPOP 0 0 names MIN',
    'BZMPOP 0 1 names MIN COUNT 2',
    'BZMPOP 0 2 none names MAX',
    'BZMPOP 0.01 1 none MAX',
    'MULTI',
    'BZPOPMIN none 0',
    'BZPOPMAX names 0',
    'EXEC',
  ])
})

/** Blocked clients in the order they came; one more client writes. */
t.test('blocked clients are served as by redis-server', needsRedis, async t => {
  const waiting = ['BZPOPMIN a b 0', 'BZPOPMAX b a 0', 'BZMPOP 0 2 b a MIN COUNT 2', 'BZMPOP 0 1 a MAX COUNT 10']
  const writing = ['LPUSH b x', 'DEL b', 'SET a str', 'DEL a', 'ZADD a 1 x 2 y 3 z', 'MULTI', 'ZADD b 5 m 6 n 7 o']
  const after = ['DEL b', 'ZADD b 8 p 9 q', 'EXEC', 'ZUNIONSTORE a 1 b', 'ZRANGE a 0 -1', 'ZRANGE b 0 -1']
  const told = async (port: number) => {
    const clients: RespClient[] = []
    for (const line of waiting) {
      const client = await RespClient.connect(port)
      clients.push(client)
      client.send(`${line}\r\n`)
      client.send('PING\r\n')
      // One after the other: their order is that of their arrival.
      await untilBlocked(port, clients.length)
    }
    const writer = await RespClient.connect(port)
    const replies: string[] = []
    for (const line of [...writing, ...after]) replies.push(await writer.text(...words(line)))
    for (const client of clients) replies.push((await client.reply()).toString('latin1'))
    for (const client of [writer, ...clients]) client.close()
    return replies.slice(2)
  }
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  t.same(await told(server.port), await told(redis.port))
})

async function untilBlocked(port: number, count: number): Promise<void> {
  const client = await RespClient.connect(port)
  while (!(await client.text('INFO', 'clients')).includes(`blocked_clients:${count}\r\n`)) await client.text('PING')
  client.close()
}
