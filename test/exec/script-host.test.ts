// Scripts in a whole server: one record, restarts, interruption.

import t from 'tap'
import { startServer } from '../support/start-server.js'
import { RespClient } from '../support/resp-client.js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

// Several processes are started one after another.
t.setTimeout(120_000)

const LIBRARY = `#!lua name=mylib
redis.register_function('answer', function(keys, args) return {keys[1], args[1], 42} end)`

t.test('libraries survive kill -9, a checkpoint and a restart', async t => {
  const first = await startServer()
  const one = await RespClient.connect(first.port)
  t.equal(await one.text('FUNCTION', 'LOAD', LIBRARY), '$5\r\nmylib\r\n')
  await first.kill9()
  const second = await startServer({ dir: first.dir })
  const two = await RespClient.connect(second.port)
  t.equal(await two.text('FCALL', 'answer', 1, 'k', 'v'), '*3\r\n$1\r\nk\r\n$1\r\nv\r\n:42\r\n', 'from the journal')
  await two.text('SAVE')
  await second.kill9()
  const third = await startServer({ dir: first.dir })
  const three = await RespClient.connect(third.port)
  t.equal(await three.text('FCALL', 'answer', 1, 'k', 'v'), '*3\r\n$1\r\nk\r\n$1\r\nv\r\n:42\r\n', 'from the store')
  t.equal(await three.text('FUNCTION', 'DELETE', 'mylib'), '+OK\r\n')
  await third.kill9()
  const fourth = await startServer({ dir: first.dir })
  const four = await RespClient.connect(fourth.port)
  t.equal(await four.text('FUNCTION', 'LIST'), '*0\r\n', 'deleted for good')
  await fourth.stop()
})

t.test('FUNCTION DUMP is restored as it was, and damage is refused', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await client.text('FUNCTION', 'LOAD', LIBRARY)
  const dump = await client.text('FUNCTION', 'DUMP')
  const payload = Buffer.from(dump.slice(dump.indexOf('\n') + 1, -2), 'latin1')
  t.match(await client.text('FUNCTION', 'RESTORE', payload), /^-ERR Library mylib already exists/)
  t.equal(await client.text('FUNCTION', 'RESTORE', payload, 'FLUSH'), '+OK\r\n')
  await client.text('FUNCTION', 'FLUSH')
  payload[5] ^= 1
  t.equal(await client.text('FUNCTION', 'RESTORE', payload), '-ERR DUMP payload version or checksum are wrong\r\n')
  payload[5] ^= 1
  t.equal(await client.text('FUNCTION', 'RESTORE', payload), '+OK\r\n')
  t.equal(await client.text('FCALL', 'answer', 1, 'k', 'v'), '*3\r\n$1\r\nk\r\n$1\r\nv\r\n:42\r\n')
})

t.test('a script keeps what it did before its error, and its waiters are served after its end', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  const waiting = await connect()
  const served = waiting.text('XREAD', 'BLOCK', 0, 'STREAMS', 's', '$')
  while (!(await client.text('INFO', 'clients')).includes('blocked_clients:1')) continue
  const script = `redis.call('XADD', 's', '1-1', 'a', '1') redis.call('XADD', 's', '2-1', 'a', '2') error('end')`
  t.match(await client.text('EVAL', script, 0), /^-ERR user_script:1: end script: /)
  t.equal(await client.text('XLEN', 's'), ':2\r\n')
  t.match(await served, /1-1[^]*2-1/, 'both entries at once')
})

t.test('endless recursion is an error, and the server goes on', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  t.match(await client.text('EVAL', 'local function f() return 1 + f() end return f()', 0), /stack overflow/)
  t.equal(await client.text('EVAL', 'return 1', 0), ':1\r\n')
})

t.test('a pause of writes lets scripts pass that announce to write nothing, queued ones too', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t))
  const [admin, reader, writer, exec] = [await connect(), await connect(), await connect(), await connect()]
  await admin.text(
    'FUNCTION',
    'LOAD',
    `#!lua name=l\nredis.register_function{function_name='f', callback=function()
    return 1 end, flags={'no-writes'}} redis.register_function('w', function() return 2 end)`,
  )
  const sha = (await admin.text('SCRIPT', 'LOAD', '#!lua flags=no-writes\nreturn 3')).slice(5, 45)
  for (const words of [['MULTI'], ['EVAL', '#!lua\nreturn 5', '0']]) await exec.text(...words)
  t.equal(await admin.text('CLIENT', 'PAUSE', 600_000, 'WRITE'), '+OK\r\n')
  t.equal(await reader.text('EVAL', '#!lua flags=no-writes\nreturn 4', 0), ':4\r\n')
  t.equal(await reader.text('EVALSHA', sha.toUpperCase(), 0), ':3\r\n')
  t.equal(await reader.text('EVAL_RO', 'return 6', 0), ':6\r\n')
  t.equal(await reader.text('FCALL', 'f', 0), ':1\r\n')
  for (const words of [['MULTI'], ['EVAL', '#!lua flags=no-writes\nreturn 7', '0']]) await reader.text(...words)
  t.equal(await reader.text('EXEC'), '*1\r\n:7\r\n')
  const waiting = [writer.text('FCALL', 'w', 0), exec.text('EXEC')]
  while (server.blockedCount < 2) await new Promise(resolve => setImmediate(resolve))
  await admin.text('CLIENT', 'UNPAUSE')
  t.same(await Promise.all(waiting), [':2\r\n', '*1\r\n:5\r\n'])
})
