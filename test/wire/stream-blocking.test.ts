// XREAD and XREADGROUP with BLOCK over TCP: one client waits, another changes the keys; what the first one gets is
// compared with redis-server byte for byte.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { needsRedis, words } from './wire-pair.js'

interface Case {
  readonly name: string
  readonly before: readonly string[]
  readonly waiting: string
  readonly meanwhile: readonly string[]
}

const GROUP = ['XADD s 666 f v', 'XGROUP CREATE s g $']
const READ_GROUP = 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >'
const READ = 'XREAD BLOCK 0 STREAMS s $'
const DELETED = ['MULTI', 'DEL s', 'XADD s 777 f v', 'XGROUP CREATE s g 0', 'EXEC']

const ALIKE: readonly Case[] = [
  { name: 'an entry comes', before: GROUP, waiting: READ_GROUP, meanwhile: ['XADD s 667 f v'] },
  {
    name: 'COUNT and NOACK hold',
    before: GROUP,
    waiting: 'XREADGROUP GROUP g c BLOCK 0 COUNT 1 NOACK STREAMS s >',
    meanwhile: ['MULTI', 'XADD s 667 f v', 'XADD s 668 f v', 'EXEC'],
  },
  { name: 'the group is destroyed', before: GROUP, waiting: READ_GROUP, meanwhile: ['XGROUP DESTROY s g'] },
  {
    name: 'another stream takes the name',
    before: [...GROUP, 'XADD u 5 f v', 'XGROUP CREATE u g 0'],
    waiting: READ_GROUP,
    meanwhile: ['RENAME u s'],
  },
  {
    name: 'another stream without the group takes the name',
    before: [...GROUP, 'XADD u 5 f v'],
    waiting: READ_GROUP,
    meanwhile: ['RENAME u s'],
  },
  { name: 'the stream is made anew in a transaction', before: GROUP, waiting: READ_GROUP, meanwhile: DELETED },
  { name: 'the stream is deleted', before: GROUP, waiting: READ_GROUP, meanwhile: ['DEL s'] },
  { name: 'everything is deleted', before: GROUP, waiting: READ_GROUP, meanwhile: ['FLUSHALL'] },
  { name: 'the stream gets another name', before: GROUP, waiting: READ_GROUP, meanwhile: ['RENAME s t'] },
  { name: 'a string takes the name', before: GROUP, waiting: READ_GROUP, meanwhile: ['SET s x'] },
  { name: 'the time is up', before: GROUP, waiting: 'XREADGROUP GROUP g c BLOCK 20 STREAMS s >', meanwhile: [] },
  { name: 'XREAD: an entry comes', before: GROUP, waiting: READ, meanwhile: ['XADD s 667 f v'] },
  { name: 'XREAD: the time is up', before: [], waiting: 'XREAD BLOCK 20 STREAMS s 0', meanwhile: [] },
  { name: 'XREAD: the key appears', before: [], waiting: 'XREAD BLOCK 0 STREAMS s 0', meanwhile: ['XADD s 1 f v'] },
  {
    name: 'XREAD: the key goes, becomes a string, goes and comes back',
    before: GROUP,
    waiting: READ,
    meanwhile: ['DEL s', 'SET s x', 'DEL s', 'XADD s 5 f v', 'XADD s 667 f v'],
  },
  {
    name: 'XREAD: the first of two streams that gets an entry',
    before: GROUP,
    waiting: 'XREAD BLOCK 0 STREAMS s t $ 0',
    meanwhile: ['MULTI', 'XADD t 1 f v', 'XADD s 668 f v', 'EXEC'],
  },
  {
    name: 'XREAD: a copy with newer entries',
    before: ['XADD s 1-1 f v', 'XADD u 9-1 f v'],
    waiting: READ,
    meanwhile: ['COPY u s REPLACE'],
  },
]

async function outcome(port: number, protocol: number, { before, waiting, meanwhile }: Case): Promise<string> {
  const waiter = await RespClient.connect(port)
  const other = await RespClient.connect(port)
  const waiterId = /:(\d+)/.exec(await waiter.text('CLIENT', 'ID'))![1]
  await waiter.command('HELLO', protocol)
  await other.command('FLUSHALL')
  for (const line of before) await other.command(...words(line))
  const reply = waiter.text(...words(waiting))
  while (!(await other.text('CLIENT', 'LIST', 'ID', waiterId)).includes('cmd=xread')) continue
  for (const line of meanwhile) await other.command(...words(line))
  const text = await reply
  waiter.close()
  other.close()
  return text
}

t.test('who waits gets what redis-server gives', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  for (const protocol of [2, 3]) {
    for (const one of ALIKE) {
      const wanted = await outcome(redis.port, protocol, one)
      t.equal(await outcome(server.port, protocol, one), wanted, `RESP${protocol} ${one.name}`)
    }
  }
})
