// ACL over TCP, compared with redis-server byte for byte: the rules, what they deny, and the words of every refusal.

import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { answersAlike, needsRedis, words } from './wire-pair.js'

const RULES = [
  'ACL WHOAMI',
  'ACL USERS',
  'ACL LIST',
  'ACL GETUSER default',
  'ACL GETUSER none',
  'ACL SETUSER a',
  'ACL GETUSER a',
  'ACL SETUSER a on >one >two >one <two %R~r* %W~w* ~b %W~r* &c &d* +get',
  'ACL GETUSER a',
  'ACL LIST',
  'ACL SETUSER a <none',
  'ACL SETUSER a #abc',
  'ACL SETUSER a !abc',
  'ACL SETUSER a #34344e4d60c2b6d639b7bd22e18f2b0b91bc34bf0ac5f9952744435093cfb4e6',
  'ACL SETUSER a !34344e4d60c2b6d639b7bd22e18f2b0b91bc34bf0ac5f9952744435093cfb4e6',
  'ACL SETUSER a foo',
  'ACL SETUSER a +foo',
  'ACL SETUSER a -foo',
  'ACL SETUSER a +@foo',
  'ACL SETUSER a +config|foo',
  'ACL SETUSER a +config|get|x',
  'ACL SETUSER a +get|a|b',
  'ACL SETUSER a +debug|',
  'ACL SETUSER a -debug|object',
  'ACL SETUSER a % ',
  'ACL SETUSER a %~',
  'ACL SETUSER a %RR~a',
  'ACL SETUSER a %X~a',
  'ACL SETUSER a ~a\\sb',
  'ACL SETUSER a &a\\sb',
  'ACL SETUSER a ""',
  'ACL SETUSER a )',
  'ACL SETUSER a (',
  'ACL SETUSER a (+get ~x',
  'ACL SETUSER a (foo)',
  'ACL SETUSER a\\sb on',
  'ACL SETUSER a\\0 on',
  'ACL SETUSER a allkeys allchannels',
  'ACL SETUSER a ~x',
  'ACL SETUSER a &x',
  'ACL GETUSER a',
  'ACL SETUSER a reset',
  'ACL GETUSER a',
  'ACL SETUSER a (+get ~x &c) (~y) ()',
  'ACL GETUSER a',
  'ACL LIST',
  'ACL SETUSER a clearselectors nopass +@all -@string',
  'ACL GETUSER a',
  'ACL SETUSER a +@all -config +config|get',
  'ACL GETUSER a',
  'ACL SETUSER a +@all +get +@hash',
  'ACL GETUSER a',
  'ACL SETUSER a -@all -get -@hash +select|0',
  'ACL GETUSER a',
  'ACL SETUSER a +select',
  'ACL GETUSER a',
  'ACL SETUSER a skip-sanitize-payload',
  'ACL GETUSER a',
  'ACL CAT',
  'ACL CAT foo',
  'ACL CAT a b',
  'ACL GENPASS 0',
  'ACL GENPASS 4097',
  'ACL GENPASS x',
  'ACL GENPASS 1 2',
  'ACL LOG x',
  'ACL LOG 1 2',
  'ACL LOG RESET',
  'ACL LOG',
  'ACL LOAD',
  'ACL SAVE',
  'ACL FOO',
  'ACL HELP x',
  'ACL DELUSER default',
  'ACL DELUSER none a a',
  'ACL DELUSER',
  'CLIENT KILL USER none',
]

const DRY_RUNS = [
  'ACL SETUSER r +@all %R~r* %W~w* ~b* &c &p*',
  'ACL DRYRUN none GET r',
  'ACL DRYRUN r NONE r',
  'ACL DRYRUN r GET',
  'ACL DRYRUN r CONFIG FOO',
  'ACL DRYRUN r GET r',
  'ACL DRYRUN r GET w',
  'ACL DRYRUN r SET w 1',
  'ACL DRYRUN r SET w 1 GET',
  'ACL DRYRUN r SET b 1 GET',
  'ACL DRYRUN r COPY r w',
  'ACL DRYRUN r COPY w r',
  'ACL DRYRUN r EXISTS r w b',
  'ACL DRYRUN r EXISTS r w x',
  'ACL DRYRUN r LPUSH w x',
  'ACL DRYRUN r LPOP r',
  'ACL DRYRUN r LMOVE r w LEFT LEFT',
  'ACL DRYRUN r LMOVE b w LEFT LEFT',
  'ACL DRYRUN r ZUNIONSTORE w 2 r r',
  'ACL DRYRUN r ZUNIONSTORE w 2 r w',
  'ACL DRYRUN r ZUNION 2 r x',
  'ACL DRYRUN r XREAD STREAMS r r 0 0',
  'ACL DRYRUN r XREAD STREAMS r x 0 0',
  'ACL DRYRUN r XREADGROUP GROUP g c STREAMS b 0',
  'ACL DRYRUN r XREADGROUP GROUP g c STREAMS x 0',
  'ACL DRYRUN r XADD w * f v',
  'ACL DRYRUN r XACK w g 1',
  'ACL DRYRUN r XRANGE w - +',
  'ACL DRYRUN r XINFO STREAM w',
  'ACL DRYRUN r XGROUP CREATE w g $',
  'ACL DRYRUN r SORT r STORE w',
  'ACL DRYRUN r SORT r STORE r',
  'ACL DRYRUN r EVAL x 1 b',
  'ACL DRYRUN r EVAL x 1 r',
  'ACL DRYRUN r EVAL_RO x 1 r',
  'ACL DRYRUN r EVAL x 0 x',
  'ACL DRYRUN r EVAL x 3 x',
  'ACL DRYRUN r OBJECT ENCODING x',
  'ACL DRYRUN r MEMORY USAGE w',
  'ACL DRYRUN r PUBLISH c x',
  'ACL DRYRUN r PUBLISH d x',
  'ACL DRYRUN r SUBSCRIBE c px d',
  'ACL DRYRUN r PSUBSCRIBE p*',
  'ACL DRYRUN r PSUBSCRIBE px',
  'ACL DRYRUN r SSUBSCRIBE d',
  'ACL DRYRUN r UNSUBSCRIBE d',
  'ACL DRYRUN r SPUBLISH d x',
  'ACL SETUSER r reset +mget ~k (+mget ~k ~l) +select|0',
  'ACL DRYRUN r GET k',
  'ACL DRYRUN r MGET k l m',
  'ACL DRYRUN r MGET l m',
  'ACL DRYRUN r SELECT 0',
  'ACL DRYRUN r SELECT 1',
]

t.test('rules and their refusals', needsRedis, t => answersAlike(t, RULES))
t.test('what rules allow', needsRedis, t => answersAlike(t, DRY_RUNS))

/** '<client> <command>': 1 changes the rules, 2 lives under them. */
const STEPS = [
  '1 ACL SETUSER u on >p +@all -@admin +acl -echo -config +config|get ~k* &c*',
  '2 AUTH u wrong',
  '2 AUTH none p',
  '2 AUTH p',
  '2 AUTH u p p',
  '2 HELLO 2 AUTH u wrong',
  '2 HELLO 5 AUTH u p',
  '2 AUTH u p',
  '2 ACL WHOAMI',
  '2 ECHO x',
  '2 CONFIG SET port 1',
  '2 SET x 1',
  '2 SET k 1',
  '2 GET',
  '2 CONFIG',
  '2 CONFIG FOO',
  '2 PUBLISH x y',
  '2 PUBLISH c y',
  '2 SUBSCRIBE x',
  '2 MULTI',
  '2 SET x 1',
  '2 EXEC',
  '2 MULTI',
  '2 SET k 2',
  '2 GET k',
  '2 PUBLISH c y',
  '2 PING',
  '1 ACL SETUSER u -set resetkeys resetchannels',
  '2 EXEC',
  '1 ACL SETUSER u allkeys -incr',
  "2 EVAL return\\sredis.pcall('incr','k') 0",
  '1 ACL SETUSER u +@all resetkeys ~k',
  "2 EVAL return\\sredis.pcall('set','x',1) 0",
  "2 EVAL return\\sredis.pcall('publish','x',1) 0",
  "2 EVAL return\\sredis.acl_check_cmd('set','x',1) 0",
  "2 EVAL return\\sredis.acl_check_cmd('set','k',1) 0",
  "2 EVAL return\\sredis.acl_check_cmd('none') 0",
  '2 SORT k BY k*',
  '2 SORT k GET #',
  '1 ACL SETUSER u -exec',
  '2 MULTI',
  '2 EXEC',
  '2 RESET',
  '2 ACL WHOAMI',
  '1 CONFIG SET requirepass secret',
  '1 CONFIG GET requirepass',
  '1 ACL GETUSER default',
  '2 AUTH wrong',
  '2 AUTH secret',
  '1 CONFIG SET requirepass ""',
  '1 ACL GETUSER default',
  '1 ACL SETUSER default off',
  '2 RESET',
  '2 PING',
  '2 AUTH x',
  '2 HELLO 3',
  '2 AUTH u p',
  '2 PING',
  '1 ACL SETUSER default on',
]

t.test('a client under rules that change, step by step', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const peers = await Promise.all(
    [redis.port, server.port].map(async port => [await RespClient.connect(port), await RespClient.connect(port)]),
  )
  for (const step of STEPS) {
    const [client, ...command] = words(step)
    const [wanted, found] = await Promise.all(peers.map(clients => clients[Number(client) - 1].command(...command)))
    t.equal(found.toString('latin1'), wanted.toString('latin1'), step)
  }
  const log = async (client: RespClient) =>
    (await client.command('ACL', 'LOG', '100'))
      .toString('latin1')
      .replaceAll(/\$\d+\r\n[\d.e-]+\r\n(?=\$11\r\nclient-info)/g, '<age>')
      .replaceAll(/\$\d+\r\nid=.*\r\n/g, '<client>')
      // Fields of Redis 7.2, and with them three pairs more.
      .replaceAll(/(\$\d+\r\n(entry-id|timestamp-\S+)\r\n:\d+\r\n)+/g, '')
      .replaceAll(/\*20\r\n(?=\$5\r\ncount)/g, '*14\r\n')
      .replaceAll(/%10\r\n(?=\$5\r\ncount)/g, '%7\r\n')
  t.equal(await log(peers[1][0]), await log(peers[0][0]), 'ACL LOG')
  for (const clients of peers) for (const client of clients) client.close()
})

t.test('clients of a user that is gone, and subscribers who lost their channel, are closed', async t => {
  const server = await startServer()
  t.teardown(() => server.stop())
  const admin = await RespClient.connect(server.port)
  const ask = async (...command: string[]) => (await admin.command(...command)).toString('latin1')
  const as = async (user: string, ...command: string[]) => {
    const client = await RespClient.connect(server.port)
    client.send(encodeCommand(['AUTH', user, '']))
    await client.reply()
    if (command.length > 0) await client.command(...command)
    return client
  }
  await ask('ACL', 'SETUSER', 'u', 'on', 'nopass', '+@all', '~*', '&a', '&b*')
  const clients = [
    await as('u'),
    await as('u', 'SUBSCRIBE', 'a'),
    await as('u', 'PSUBSCRIBE', 'b*'),
    await as('u', 'SSUBSCRIBE', 'b1'),
  ]
  const left = async () => (await ask('CLIENT', 'LIST')).match(/ user=u /g)?.length ?? 0
  t.equal(await left(), 4)
  await ask('ACL', 'SETUSER', 'u', '&more')
  t.equal(await left(), 4, 'more channels harm nobody')
  await ask('ACL', 'SETUSER', 'u', 'resetchannels', '&b?', '&b*')
  t.equal(await left(), 3, 'channel a is lost')
  await ask('ACL', 'SETUSER', 'u', 'resetchannels', '&b?')
  t.equal(await left(), 2, 'the pattern is not the same, the shard channel fits')
  t.equal(await ask('CLIENT', 'KILL', 'USER', 'u'), ':2\r\n')
  await as('u')
  t.equal(await left(), 1)
  t.equal(await ask('ACL', 'DELUSER', 'u'), ':1\r\n')
  t.equal(await left(), 0)
  for (const client of [admin, ...clients]) client.close()
})
