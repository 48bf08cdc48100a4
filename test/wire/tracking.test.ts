// Client-side caching over TCP with several clients: after each command, everything that each client received is
// compared with what redis-server sent.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { needsRedis, words } from './wire-pair.js'

/**
 * '<client> <command> ; <command>'. a and b speak RESP3, c and d RESP2, r is subscribed in RESP2, x changes keys;
 * '@r' is the number of a client; '<client> ~<ms> <command>' waits first.
 */
const STEPS = [
  // What the reader of keys hears.
  'a CLIENT TRACKING ON',
  'a GET k',
  'x SET k 1',
  'x SET k 2',
  'a GET k ; SET k 3 ; GET k ; PING',
  'a MULTI ; GET k ; SET k 5 ; GET k ; EXEC',
  'x DEL k',
  'a MGET k1 k2 k3 k1 ; GET other',
  'x MSET k3 a k2 b k1 c',
  'a GET k1',
  'x RENAME k1 k9',
  'a HGET k9 f ; TTL k9 ; EXISTS k9 ; TYPE k9 ; OBJECT ENCODING k9',
  'x EXPIRE k9 100',
  'a TYPE k9',
  'x PERSIST k9',
  'a SCAN 0 MATCH none ; KEYS none ; STRLEN k9',
  'x APPEND k9 1',
  'a SMEMBERS s ; ZRANGE z 0 -1 ; XRANGE st - + ; LPOS l a ; GETRANGE g 0 1 ; SORT_RO h BY nosort GET h2',
  'x SADD s a ; ZADD z 1 a ; XADD st 3-1 a b ; RPUSH l a ; SET g 1 ; RPUSH h 1',
  'a SMEMBERS s ; LRANGE l 0 -1',
  'x SADD s a ; SREM s none ; SMOVE s s2 a ; RPOPLPUSH l l2 ; GETEX g',
  'x SELECT 3 ; SET k 1 ; SELECT 0',
  'a GET k ; SET ex 1 PX 40 ; GET ex',
  'x ~60 GET ex ; SWAPDB 0 1 ; SWAPDB 1 0',
  // All keys at once.
  'a GET k ; FLUSHALL',
  'a GET k',
  'x FLUSHALL',
  'x FLUSHDB',
  'a MULTI ; FLUSHDB ; SET q 1 ; EXEC',
  // Scripts.
  'a EVAL return\\sredis.call("set","k","1") 1 k',
  'x SET k 2',
  'a EVAL redis.call("get","z")\\sreturn\\s1 2 k k2',
  'x MSET k2 1 k 1',
  'a EVAL redis.call("get","k")\\sredis.call("set","k","9")\\sreturn\\sredis.call("get","y") 1 k',
  'x MSET k 8 y 1',
  'a EVAL_RO return\\sredis.call("ping") 1 k ; EVAL return\\sredis.call("get","k") 0',
  'x SET k 8',
  'a EVAL_RO return\\sredis.call("get","k") 1 k ; MULTI ; EVAL redis.call("get","k2") 1 k2 ; SET k2 1 ; EXEC',
  'x MSET k 8 k2 9',
  // NOLOOP, OPTIN, OPTOUT.
  'a CLIENT TRACKING ON NOLOOP',
  'a GET k ; SET k 1 ; GET k ; EVAL redis.call("set","k",1) 1 k',
  'x SET k 2',
  'a GET k',
  'x SET k 3',
  'a FLUSHALL',
  'a CLIENT TRACKING ON OPTIN',
  'a GET k1 ; CLIENT CACHING YES ; GET k2 ; GET k3',
  'x MSET k1 1 k2 2 k3 3',
  'a CLIENT CACHING YES ; CLIENT TRACKINGINFO ; MULTI ; GET k1 ; GET k2 ; EXEC ; GET k3',
  'x MSET k1 1 k2 2 k3 3',
  'a CLIENT CACHING YES ; NONE ; GET k1 ; CLIENT CACHING YES ; CLIENT ID x ; GET k2',
  'x MSET k1 1 k2 2',
  'a CLIENT CACHING YES ; CLIENT NONE ; GET k1 ; MULTI ; CLIENT CACHING YES ; GET k2 ; EXEC',
  'x MSET k1 1 k2 2',
  'a CLIENT TRACKING OFF ; CLIENT TRACKING ON OPTOUT ; GET k1 ; CLIENT CACHING NO ; CLIENT TRACKINGINFO ; GET k2',
  'x MSET k1 1 k2 2',
  'a GET k1 ; CLIENT TRACKING OFF',
  'x SET k1 1',
  // Broadcast.
  'a CLIENT TRACKING ON BCAST PREFIX foo PREFIX bar',
  'a CLIENT TRACKING ON BCAST PREFIX z ; CLIENT TRACKINGINFO ; GET foo1',
  'x MSET foo1 1 bar1 1 none 1 foo0 1 z 1',
  'a MULTI ; SET foo1 1 ; SET bar1 1 ; EXEC',
  'a RESET ; HELLO 3 ; CLIENT TRACKINGINFO',
  'x SET foo1 1',
  'a CLIENT TRACKING ON BCAST NOLOOP ; CLIENT TRACKINGINFO',
  'a SET foo1 1',
  'a EVAL redis.call("set","foo1",1) 1 foo1',
  'x SET foo1 1',
  'a SET foo1 1 PX 40',
  'x ~60 GET foo1',
  'a FLUSHALL',
  'a CLIENT TRACKING OFF',
  // Redirection.
  'c CLIENT TRACKING ON ; GET k ; SET k 1',
  'r SUBSCRIBE __redis__:invalidate',
  'c CLIENT TRACKING ON REDIRECT @r ; CLIENT GETREDIR ; CLIENT TRACKINGINFO',
  'c GET k ; SET k 2 ; PING',
  'c GET k',
  'x FLUSHALL',
  'c CLIENT TRACKING ON REDIRECT @d ; GET k',
  'x SET k 1',
  'c CLIENT TRACKING ON REDIRECT @b ; GET k',
  'x SET k 1',
  'c CLIENT TRACKING ON REDIRECT @r NOLOOP ; GET k ; SET k 1',
  'd CLIENT TRACKING ON REDIRECT @r ; GET k',
  'x SET k 1',
  'a CLIENT TRACKING ON REDIRECT @r ; GET k',
  'x SET k 2',
  'a GET k',
  'c GET k',
  'x CLIENT KILL ID @r',
  'x SET k 3',
  'a CLIENT TRACKINGINFO ; GET k ; SET k 1',
  'c CLIENT TRACKINGINFO ; CLIENT TRACKING ON REDIRECT @r ; CLIENT TRACKING ON',
  // Replies switched off, and clients that wait.
  'b CLIENT TRACKING ON',
  'b GET k ; CLIENT REPLY OFF ; SET k 1 ; CLIENT REPLY ON',
  'b GET k ; CLIENT REPLY SKIP ; SET k 1',
  'b HSET h f 1 ; HGET h f ; HDEL h f',
]

const NAMES = ['a', 'b', 'c', 'd', 'r', 'x']

/** What each client received after each step. */
async function run(port: number): Promise<string[]> {
  const clients: Record<string, RespClient> = {}
  const ids: Record<string, string> = {}
  for (const name of NAMES) {
    clients[name] = await RespClient.connect(port)
    ids[name] = (await clients[name].text('CLIENT', 'ID')).slice(1, -2)
  }
  await clients.a.command('HELLO', 3)
  await clients.b.command('HELLO', 3)
  const received: string[] = []
  let names = NAMES
  for (const [i, step] of STEPS.entries()) {
    const [, speaker, wait, commands] = /^(\w) (?:~(\d+) )?(.*)$/.exec(step)!
    await new Promise(resolve => setTimeout(resolve, Number(wait ?? 0)))
    const named = commands.replace(/@(\w)/g, (_, name: string) => ids[name])
    const requests = named.split(' ; ').map(command => encodeCommand(words(command.replaceAll('"', "'"))))
    clients[speaker].send(Buffer.concat(requests.map(request => Buffer.from(request))))
    if (commands.includes('KILL')) names = names.filter(name => name !== 'r')
    // The client that was asked is read first: then what it caused at the others has left.
    for (const name of [speaker, ...names.filter(other => other !== speaker)]) {
      const text = await until(clients[name], `mark-${i}-${name}`)
      const masked = /redirect\r\n|redir-broken|^:/.test(text) ? text.replaceAll(`:${ids.r}\r\n`, ':<r>\r\n') : text
      received.push(`${step} -> ${name}: ${masked}`)
    }
  }
  for (const client of Object.values(clients)) client.close()
  return received
}

/** Broadcasts come behind the replies to all that arrived together: what is behind the first mark belongs to it. */
async function until(client: RespClient, mark: string): Promise<string> {
  let all = ''
  for (const text of [`${mark}-first`, `${mark}-last`]) {
    client.send(encodeCommand(['PING', text]))
    for (;;) {
      const reply = (await client.reply()).toString('latin1')
      if (reply.includes(text)) break
      // What HELLO says of the version differs.
      if (!reply.includes('$6\r\nserver\r\n')) all += reply
    }
  }
  return all
}

t.test('every client hears of changed keys what redis-server would have told it', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const wanted = await run(redis.port)
  const found = await run(server.port)
  t.equal(found.length, wanted.length)
  t.ok(wanted.join('').includes('tracking-redir-broken'), 'the steps reach the last message')
  for (let i = 0; i < wanted.length; i++) t.equal(found[i], wanted[i])
})

t.test('a client that was served hears of its own change behind the reply', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const heard = async (port: number) => {
    const [waiter, pusher] = [await RespClient.connect(port), await RespClient.connect(port)]
    await waiter.command('HELLO', 3)
    await waiter.command('CLIENT', 'TRACKING', 'ON')
    await waiter.command('LRANGE', 'to', 0, -1)
    waiter.send(encodeCommand(['BLMOVE', 'from', 'to', 'LEFT', 'LEFT', '0']))
    while (!(await pusher.text('CLIENT', 'LIST')).includes('flags=bt ')) continue
    await pusher.command('RPUSH', 'from', 'one')
    const texts = [await waiter.reply(), await waiter.reply()].map(bytes => bytes.toString('latin1'))
    waiter.close()
    pusher.close()
    return texts
  }
  t.same(await heard(server.port), await heard(redis.port))
})
