// Scripts from a folder: parts, EVALSHA, reload, pipelines; on redis-server and on Millrace.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Redis } from 'ioredis'
import t from 'tap'
import { UsageError } from '../../src/base/errors.js'
import { LuaScripts } from '../../src/client/lua-scripts.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { tempDir, type Teardown } from '../support/temp-dir.js'

function folder(t: Teardown, files: Readonly<Record<string, string>>): string {
  const path = join(tempDir(t), 'lua')
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const FILES = {
  '_twice.lua': 'local function twice(x) return x * 2 end\n',
  'double.lua': "-- include _twice.lua\nreturn redis.call('INCRBY', KEYS[1], twice(tonumber(ARGV[1])))\n",
  'echo.lua': 'return ARGV[1]\n',
  'refuse.lua': "return redis.error_reply('REFUSED it is ' .. ARGV[1])\n",
  'notes.txt': 'no script',
}

t.test('a folder gives its scripts, parts put in, and nothing else', async t => {
  const path = folder(t, FILES)
  const scripts = LuaScripts.from(pathToFileURL(`${path}/`))
  t.same(scripts.names, ['double', 'echo', 'refuse'])
  t.equal(
    scripts.text('double'),
    "local function twice(x) return x * 2 end\nreturn redis.call('INCRBY', KEYS[1], twice(tonumber(ARGV[1])))\n",
  )
  t.throws(() => scripts.text('nothing'), { name: 'UsageError', message: /there are double, echo, refuse/ })
})

t.test('a part that is not there is named', async t => {
  const path = folder(t, { 'a.lua': '-- include _gone.lua\nreturn 1\n' })
  t.throws(() => LuaScripts.from(path), UsageError)
  t.throws(() => LuaScripts.from(path), { message: /a\.lua includes _gone\.lua/ })
})

const servers = [
  { name: 'redis-server', start: () => startRedisServer() },
  { name: 'Millrace', start: () => startServer() },
]
for (const { name, start } of servers) {
  t.test(name, async t => {
    const server = await start()
    t.teardown(async () => void (await server.stop()))
    const client = new Redis(server.port, '127.0.0.1')
    t.teardown(() => client.disconnect())
    const scripts = LuaScripts.from<'double' | 'echo' | 'refuse'>(folder(t, FILES))

    await t.test('the first call loads, bytes come back as they went', async t => {
      const bytes = Buffer.from([0, 255, 13, 10, 128])
      t.same(await scripts.run(client, 'echo', [], [bytes]), bytes)
      t.equal(await scripts.run(client, 'double', ['n'], [4]), 8)
    })
    await t.test("a script's own error is thrown and not tried again", async t => {
      await t.rejects(scripts.run(client, 'refuse', [], ['so']), { message: /^REFUSED it is so/ })
    })
    await t.test('a server that forgot is given them again', async t => {
      await client.script('FLUSH')
      t.equal(await scripts.run(client, 'double', ['n'], [1]), 10)
      await client.script('FLUSH')
      const outcomes = await scripts.runAll(client, [
        { script: 'double', keys: ['n'], args: [1] },
        { script: 'refuse', keys: [], args: ['x'] },
        { script: 'double', keys: ['n'], args: [2] },
      ])
      t.same(
        outcomes.map(outcome => outcome.reply),
        [12, undefined, 16],
      )
      t.match(outcomes[1].error?.message, /^REFUSED it is x/)
    })
    await t.test('the first batch of a client brings the scripts along', async t => {
      await client.script('FLUSH')
      const other = client.duplicate()
      t.teardown(() => other.disconnect())
      const [one, two] = await scripts.runAll(other, [
        { script: 'echo', keys: [], args: ['one'] },
        { script: 'double', keys: ['n'], args: [3] },
      ])
      t.same(one.reply, Buffer.from('one'))
      t.equal(two.reply, 22)
      t.same(await scripts.runAll(other, []), [])
    })
    await t.test('load() gives all of them', async t => {
      await client.script('FLUSH')
      await scripts.load(client)
      const known = await client.script('EXISTS', ...scripts.names.map(name => scripts.sha1(name)))
      t.same(known, [1, 1, 1])
    })
  })
}
