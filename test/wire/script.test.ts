// Scripts and functions over TCP, compared with redis-server byte for byte: conversions, error texts and lines, the
// sandbox, cjson, cmsgpack, struct, bit. The corpus has one command a line, as JSON; '@show ' stands for SHOW.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { within } from '../support/within.js'
import { needsRedis } from './wire-pair.js'

/** Prints a value of Lua in an order of its own, since that of a table differs between interpreters. */
const SHOW = `
  local function show(v)
    local t = type(v)
    if t == 'number' then return string.format('%.17g', v) end
    if v == cjson.null then return 'null' end
    if t == 'string' then return string.format('%q', v) end
    if t ~= 'table' then return t .. ':' .. tostring(v) end
    local keys, shown = {}, {}
    for key in pairs(v) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do shown[#shown + 1] = type(key) .. ':' .. tostring(key) .. '=' .. show(v[key]) end
    return '{' .. table.concat(shown, ',') .. '}'
  end `.replaceAll(/\n\s*/g, ' ')

type Command = readonly (string | number)[]

function corpus(): Command[] {
  const text = readFileSync(fileURLToPath(new URL('script-corpus.txt', import.meta.url)), 'utf8')
  const commands = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Command)
  return commands.map(command => command.map(word => (typeof word === 'string' ? word.replace(/^@show /, SHOW) : word)))
}

t.test('scripts answer as redis-server', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer({ args: ['--enable-debug-command', 'yes'] })
  t.teardown(() => server.stop())
  for (const protocol of [2, 3] as const) {
    const theirs = await RespClient.connect(redis.port)
    const ours = await RespClient.connect(server.port)
    for (const setup of [['FLUSHALL'], ['FUNCTION', 'FLUSH'], ['SCRIPT', 'FLUSH'], ['HELLO', protocol]]) {
      await theirs.text(...setup)
      await ours.text(...setup)
    }
    for (const command of corpus()) {
      const wanted = await theirs.text(...command)
      t.equal(await ours.text(...command), wanted, `RESP${protocol} ${command.join(' ').slice(0, 200)}`)
    }
    theirs.close()
    ours.close()
  }
})

const MONITORED: readonly Command[] = [
  [
    'EVAL',
    "redis.call('SET', KEYS[1], ARGV[1]) redis.pcall('nope') pcall(redis.call, 'GET') redis.call('SELECT', 3) " +
      "redis.call('INCR', 'n') return redis.call('GET', KEYS[1])",
    1,
    'k',
    'a\0"b',
  ],
  ['FUNCTION', 'LOAD', "#!lua name=m\nredis.register_function('m', function(k) return redis.call('GET', k[1]) end)"],
  ['FCALL', 'm', 1, 'k'],
  ['MULTI'],
  ['EVAL', "return redis.call('PING')", 0],
  ['EXEC'],
  ['ECHO', 'the end'],
]
const RESTRICTED = [
  "redis.call('SET', 'a', '1')",
  "redis.call('GET', 'b')",
  "redis.call('GET', 'a1')",
  "redis.pcall('PUBLISH', 'c', 'm')",
  "{pcall(redis.call, 'SET', 'a', '1')}",
  "redis.acl_check_cmd('SET', 'a', '1')",
  "redis.acl_check_cmd('GET', 'a')",
  "redis.acl_check_cmd('GET', 'b')",
  'redis.acl_check_cmd()',
  "redis.acl_check_cmd('nope')",
]

t.test('MONITOR shows the calls of scripts, and rules for users hold inside them', needsRedis, async t => {
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const server = await startServer()
  t.teardown(() => server.stop())
  const play = async (port: number): Promise<string[]> => {
    const [monitor, client] = [await RespClient.connect(port), await RespClient.connect(port)]
    await monitor.text('MONITOR')
    for (const command of MONITORED) await client.text(...command)
    const heard: string[] = []
    while (!heard.at(-1)?.includes('the end')) {
      const line = (await within('a line of MONITOR', monitor.reply())).toString('latin1')
      heard.push(line.replace(/\d+\.\d{6}/, '<time>').replace(/127\.0\.0\.1:\d+/, '<address>'))
    }
    await client.text('ACL', 'SETUSER', 'u', 'on', 'nopass', '+@all', '-set', '~a*', 'resetchannels')
    await client.text('AUTH', 'u', 'x')
    for (const call of RESTRICTED) heard.push(await client.text('EVAL', `return ${call}`, 0))
    monitor.close()
    client.close()
    return heard
  }
  t.same(await play(server.port), await play(redis.port))
})
