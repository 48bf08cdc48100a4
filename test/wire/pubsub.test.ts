// Publish and subscribe over TCP with several clients: after each command, everything that each client received is
// compared with what redis-server sent.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { needsRedis, words } from './wire-pair.js'

/** '<client> <command> ; <command>'; client 2 and 3 listen in RESP2 and RESP3, s speaks. */
const STEPS = [
  '2 SUBSCRIBE a a b',
  '3 PSUBSCRIBE a* *b',
  '3 SUBSCRIBE a',
  's PUBLISH a hello',
  's PUBLISH b ""',
  's PUBLISH none x',
  '2 ECHO x',
  '2 GET k',
  '2 MULTI',
  '2 NONE',
  '3 ECHO x',
  '2 SSUBSCRIBE s',
  '3 SSUBSCRIBE s t',
  's SPUBLISH s x',
  's SPUBLISH a x',
  's PUBSUB NUMSUB a b c',
  's PUBSUB NUMPAT',
  's PUBSUB SHARDCHANNELS t*',
  's PUBSUB SHARDNUMSUB s t u',
  's PUBSUB CHANNELS b',
  's PUBSUB CHANNELS a b',
  's PUBSUB FOO',
  '2 UNSUBSCRIBE b none',
  '2 UNSUBSCRIBE',
  '2 ECHO x',
  '2 SUNSUBSCRIBE',
  '2 ECHO x',
  '2 UNSUBSCRIBE',
  '2 PUNSUBSCRIBE x y',
  '3 SUNSUBSCRIBE t',
  '3 SUNSUBSCRIBE',
  '3 PUNSUBSCRIBE a*',
  's MULTI ; PUBLISH a 1 ; PUBLISH a 2 ; EXEC',
  's MULTI ; SUBSCRIBE x ; SSUBSCRIBE x ; UNSUBSCRIBE x ; EXEC',
  's CONFIG SET notify-keyspace-events KEA',
  's SET k v',
  's SET k v',
  's EXPIRE k 100',
  's DEL k none',
  's HSET h f v',
  's SADD s m',
  's ZADD z 1 m',
  's RPUSH l a b',
  's LPOP l',
  's XADD x 1-1 f v',
  's RENAME x y',
  's SELECT 3',
  's INCR n',
  's MSET p 1 q 2',
  's CONFIG SET notify-keyspace-events K$g',
  's SET k v',
  's LPUSH l a',
  's DEL l',
  's CONFIG SET notify-keyspace-events Enm',
  's GET none',
  's SET fresh v',
  's SET fresh v',
  's CONFIG SET notify-keyspace-events ~',
  's CONFIG SET notify-keyspace-events ""',
  's DEL fresh',
  '3 RESET',
  '2 SUBSCRIBE a',
  '2 RESET',
  's PUBLISH a x',
  's SPUBLISH a',
  '2 SUBSCRIBE',
]

/** What each client received after each step. */
async function run(port: number): Promise<string[]> {
  const clients: Record<string, RespClient> = {}
  for (const name of ['2', '3', 's']) clients[name] = await RespClient.connect(port)
  await clients[3].command('HELLO', 3)
  const received: string[] = []
  for (const [i, step] of STEPS.entries()) {
    for (const command of step.slice(2).split(' ; ')) clients[step[0]].send(encodeCommand(words(command)))
    // The client that was asked is read first: then what it caused at the others has left.
    for (const name of [step[0], ...['2', '3', 's'].filter(other => other !== step[0])]) {
      received.push(`${step} -> ${name}: ${await until(clients[name], `mark-${i}-${name}`)}`)
    }
  }
  for (const client of Object.values(clients)) client.close()
  return received
}

async function until(client: RespClient, mark: string): Promise<string> {
  client.send(encodeCommand(['PING', mark]))
  let all = ''
  for (;;) {
    const reply = (await client.reply()).toString('latin1')
    if (reply.includes(mark)) return all
    all += reply
  }
}

t.test('every client hears what redis-server would have told it', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const wanted = await run(redis.port)
  const found = await run(server.port)
  // Channels left by a bare UNSUBSCRIBE are confirmed in the order of a hash table there; the steps leave one by one.
  for (let i = 0; i < wanted.length; i++) t.equal(found[i], wanted[i])
})

t.test('MONITOR shows the same lines', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const shown = async (port: number) => {
    const [monitor, client] = [await RespClient.connect(port), await RespClient.connect(port)]
    await monitor.command('MONITOR')
    const lines = ['SET a "\\', 'SELECT 3', 'MULTI', 'INCR n', 'EXEC', 'AUTH p', 'HELLO 2 AUTH u p', 'CONFIG GET port']
    for (const line of [...lines, 'GET', 'ECHO end']) await client.command(...words(line))
    let all = ''
    while (!all.includes('"end"')) all += (await monitor.reply()).toString('latin1')
    monitor.close()
    client.close()
    return all.replace(/^\+\d{10}\.\d{6} /gm, '+<time> ').replace(/127\.0\.0\.1:\d+/g, '<client>')
  }
  t.equal(await shown(server.port), await shown(redis.port))
})
