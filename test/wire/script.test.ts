// Scripts and functions over TCP, compared with redis-server byte for byte: conversions, error texts and lines, the
// sandbox, cjson, cmsgpack, struct, bit. The corpus has one command a line, as JSON; '@show ' stands for SHOW.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
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
