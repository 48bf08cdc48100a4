// Scripts that run on and on: the server answers others meanwhile, as redis-server does, and whatever the script does
// it can be ended. BUSY_ROUNDS endless scripts of each kind are killed (1).

import t, { type Test } from 'tap'
import type { Line } from '../support/against-redis.js'
import { RespClient } from '../support/resp-client.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { startServer, type RunningServer } from '../support/start-server.js'
import { within } from '../support/within.js'

const ROUNDS = Number(process.env.BUSY_ROUNDS ?? 1)
t.setTimeout(120_000 + ROUNDS * 10_000)

const KILLED = /^-ERR Script killed by user with SCRIPT KILL\.\.\. script: /

/** Each runs for ever: a plain loop, one that catches, calls, makes garbage, stays long in C, never returns. */
const ENDLESS: Readonly<Record<string, string>> = {
  loop: 'while true do end',
  'repeat loop': 'repeat until false',
  'for loop': 'for i = 1, math.huge do end',
  'tail calls': 'local function f() return f() end return f()',
  'calls of each other': 'local g local function f(x) return g(x) end g = function(x) return f(x) end return f(1)',
  'pcall of a loop': 'while true do pcall(function() while true do end end) end',
  'pcall of an error': "while true do pcall(error, 'x') end",
  'xpcall of a loop': 'while true do xpcall(function() while true do end end, function(e) return e end) end',
  'loop in a handler': 'local function f() while true do end end while true do xpcall(f, f) end',
  coroutines: 'while true do local w = coroutine.wrap(function() coroutine.yield(1) end) w() w() end',
  'loop in a coroutine': 'while true do coroutine.resume(coroutine.create(function() while true do end end)) end',
  'redis.call': "while true do redis.call('GET', 'k') end",
  'redis.pcall of an error': "while true do redis.pcall('GET', 'k', 'x') end",
  'long commands': "while true do redis.call('LRANGE', 'list', 0, -1) end",
  tables: "while true do local t = {} for i = 1, 10 do t[i] = {i, tostring(i) .. 'x'} end end",
  'long strings': "while true do local s = string.rep('abc', 100000) end",
  'search in strings': "local s = string.rep('a', 200) while true do s:find('.-.-b') end",
  'gsub with a function': "local s = ('ab'):rep(999) while true do s:gsub('b', function() return 'c' end) end",
  'sort with a function':
    'while true do local t = {} for i = 1, 999 do t[i] = i * 7919 % 1009 end ' +
    'table.sort(t, function(a, b) return a < b end) end',
  metamethods: 'local t = setmetatable({}, {__index = function(_, k) return k end}) while true do local x = t[1] end',
  'load of what never ends': 'load(collectgarbage)',
  cjson: 'while true do cjson.decode(cjson.encode({1, 2, {a = 1}})) end',
}

async function startBusy(t: Test): Promise<RunningServer> {
  const server = await startServer({ args: ['--busy-reply-threshold', '10'] })
  t.teardown(() => within('the end of the server', server.stop()).catch(() => server.kill9()))
  return server
}

/** Asks until the answer is -BUSY. */
async function untilBusy(client: RespClient): Promise<void> {
  for (;;) if ((await client.text('PING')).startsWith('-BUSY')) return
}

t.test('endless scripts of all kinds leave others -BUSY, and are killed', async t => {
  const server = await startBusy(t)
  const running = await RespClient.connect(server.port)
  const early = await RespClient.connect(server.port)
  await running.text('RPUSH', 'list', ...Array.from({ length: 2000 }, (_, i) => `element ${i}`))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [kind, script] of Object.entries(ENDLESS)) {
      const ended = running.text('EVAL', script, 0)
      await within(`${kind}: -BUSY`, untilBusy(early))
      const late = await within(`${kind}: a client that comes later`, RespClient.connect(server.port))
      t.match(await within(`${kind}: SET`, late.text('SET', 'a', 'b')), /^-BUSY Redis is busy running a script/, kind)
      t.equal(await within(`${kind}: SCRIPT KILL`, late.text('SCRIPT', 'KILL')), '+OK\r\n', kind)
      t.match(await within(`${kind}: its end`, ended), KILLED, kind)
      t.equal(await within(`${kind}: PING`, early.text('PING')), '+PONG\r\n', kind)
      t.equal(await within(`${kind}: PING`, late.text('PING')), '+PONG\r\n', kind)
      late.close()
    }
  }
})

t.test('many clients that queue commands meanwhile are answered, each in its order', async t => {
  const server = await startBusy(t)
  const running = await RespClient.connect(server.port)
  const clients = await Promise.all(Array.from({ length: 20 }, () => RespClient.connect(server.port)))
  for (let round = 0; round < 5; round++) {
    const ended = running.text('EVAL', 'while true do end', 0)
    await within('-BUSY', untilBusy(clients[0]))
    const replies = clients.flatMap((client, i) => [
      client.text('SET', `key ${i}`, round),
      client.text('SCRIPT', 'EXISTS', 'x'),
      client.text('GET', `key ${i}`),
    ])
    for (const reply of await within('replies', Promise.all(replies))) t.match(reply, /^-BUSY/)
    t.equal(await within('SCRIPT KILL', clients[19].text('SCRIPT', 'KILL')), '+OK\r\n')
    t.match(await within('the end', ended), KILLED)
    const after = clients.flatMap((client, i) => [client.text('SET', `key ${i}`, i), client.text('GET', `key ${i}`)])
    const expected = clients.flatMap((_, i) => ['+OK\r\n', `$${String(i).length}\r\n${i}\r\n`])
    t.same(await within('replies', Promise.all(after)), expected)
  }
})

/** What clients see around an endless script: `set` before it, `busy` during it. A text is split at its spaces. */
interface Scene {
  readonly name: string
  readonly set?: readonly Line[]
  readonly run: Line
  readonly busy: readonly Line[]
  readonly after: readonly Line[]
}

const DURING = [
  'PING|GET k|SELECT 1|INFO|CLIENT ID|ECHO x|COMMAND COUNT|SCRIPT EXISTS x|FUNCTION KILL|SHUTDOWN|nonsense|AUTH wrong',
  'HELLO 9|SET a|SCRIPT KILL x|UNWATCH|WATCH k|MULTI|SET k 1|EXEC|DISCARD|MULTI|UNWATCH|DISCARD|RESET',
  'MULTI|SCRIPT KILL|DISCARD|SCRIPT KILL',
]
const SCENES: readonly Scene[] = [
  {
    name: 'a script',
    run: ['EVAL', 'while true do end', '0'],
    busy: DURING.join('|').split('|'),
    after: ['PING', 'SCRIPT KILL', 'FUNCTION KILL', 'GET k'],
  },
  {
    name: 'a function',
    set: [
      ['FUNCTION', 'LOAD', "#!lua name=l\nredis.register_function('f', function() while true do end end)"],
      'SET k 1',
    ],
    run: 'FCALL f 1 k',
    busy: ['PING', 'SCRIPT KILL', 'FUNCTION LIST', 'FUNCTION KILL'],
    after: ['PING', 'FUNCTION KILL', 'FCALL f x', 'GET k'],
  },
  {
    name: 'a script in a transaction, killed from outside',
    set: ['MULTI', 'SET a 1', ['EVAL', 'while true do end', '0'], 'SET b 1'],
    run: 'EXEC',
    busy: ['PING', 'SCRIPT KILL'],
    after: ['MGET a b'],
  },
]

async function play(port: number, { set = [], run, busy, after }: Scene): Promise<string[]> {
  const running = await RespClient.connect(port)
  const other = await RespClient.connect(port)
  const heard: string[] = []
  const words = (line: Line) => (typeof line === 'string' ? line.split(' ') : line)
  const ask = async (client: RespClient, line: Line): Promise<void> => {
    heard.push(`${String(line)}: ${await within(String(line), client.text(...words(line)))}`)
  }
  for (const line of set) await ask(running, line)
  const ended = running.text(...words(run))
  await within('-BUSY', untilBusy(other))
  for (const line of busy) await ask(other, line)
  heard.push(await within('the end', ended))
  for (const line of after) await ask(other, line)
  running.close()
  other.close()
  return heard
}

t.test('what others are answered meanwhile is what redis-server says', async t => {
  if (findRedisServer() === undefined) return void t.comment('no redis-server here: nothing to compare with')
  const redis = await startRedisServer(['--busy-reply-threshold', '10'])
  t.teardown(() => redis.stop())
  const server = await startBusy(t)
  for (const scene of SCENES) t.same(await play(server.port, scene), await play(redis.port, scene), scene.name)
})

t.test('CLIENT REPLY OFF and SKIP silence -BUSY too', async t => {
  const server = await startBusy(t)
  const [running, other, off, skip] = await Promise.all([1, 2, 3, 4].map(() => RespClient.connect(server.port)))
  off.send('PING\r\nCLIENT REPLY OFF\r\n')
  // They must have been read before the script begins, or they are refused like all others.
  skip.send('PING\r\nCLIENT REPLY SKIP\r\n')
  for (const client of [off, skip]) t.equal((await within('PONG', client.reply())).toString(), '+PONG\r\n')
  const ended = running.text('EVAL', 'while true do end', 0)
  await within('-BUSY', untilBusy(other))
  off.send('PING\r\n')
  skip.send('ECHO 1\r\nECHO 2\r\n')
  t.match(await within('the second', skip.reply()).then(String), /^-BUSY/)
  t.equal(await within('SCRIPT KILL', other.text('SCRIPT', 'KILL')), '+OK\r\n')
  await within('the end', ended)
  off.send('CLIENT REPLY ON\r\n')
  t.equal((await within('REPLY ON', off.reply())).toString(), '+OK\r\n', 'the first it hears')
  t.equal(await within('PONG', skip.text('PING')), '+PONG\r\n')
})

t.test('FUNCTION STATS tells of the function that runs', async t => {
  const server = await startBusy(t)
  const running = await RespClient.connect(server.port)
  const other = await RespClient.connect(server.port)
  await running.text('FUNCTION', 'LOAD', "#!lua name=l\nredis.register_function('f', function() while true do end end)")
  const ended = running.text('FCALL', 'f', 1, 'key')
  await within('-BUSY', untilBusy(other))
  const stats = await within('FUNCTION STATS', other.text('FUNCTION', 'STATS'))
  t.match(stats, /running_script[^]*name\r\n\$1\r\nf\r\n[^]*command[^]*FCALL[^]*key[^]*duration_ms\r\n:\d+/)
  t.equal(await within('FUNCTION KILL', other.text('FUNCTION', 'KILL')), '+OK\r\n')
  t.match(await within('the end', ended), /^-ERR Script killed by user with SCRIPT KILL\.\.\. script: f, on /)
})

t.test('a library that never ends loading is refused', async t => {
  const server = await startBusy(t)
  const client = await RespClient.connect(server.port)
  const load = client.text('FUNCTION', 'LOAD', '#!lua name=l\nwhile true do end')
  t.match(await within('FUNCTION LOAD', load), /^-ERR .*FUNCTION LOAD timeout/)
  t.equal(await within('FUNCTION LIST', client.text('FUNCTION', 'LIST')), '*0\r\n')
})

t.test('a script that has written is ended by SHUTDOWN NOSAVE only, and nothing of it is kept', async t => {
  const server = await startBusy(t)
  const client = await RespClient.connect(server.port)
  const other = await RespClient.connect(server.port)
  await client.text('SET', 'before', '1')
  client.text('EVAL', "redis.call('SET', 'half', '1') while true do end", 0).catch(() => undefined)
  await within('-BUSY', untilBusy(other))
  t.match(await within('SCRIPT KILL', other.text('SCRIPT', 'KILL')), /^-UNKILLABLE/)
  t.match(await within('SHUTDOWN', other.text('SHUTDOWN')), /^-BUSY/)
  other.text('SHUTDOWN', 'NOSAVE').catch(() => undefined)
  await within('the end of the connection', other.closed())
  await within('the end of the process', server.kill9())
  const again = await startServer({ dir: server.dir })
  t.teardown(() => again.stop())
  const after = await RespClient.connect(again.port)
  t.equal(await after.text('MGET', 'before', 'half'), '*2\r\n$1\r\n1\r\n$-1\r\n')
})
