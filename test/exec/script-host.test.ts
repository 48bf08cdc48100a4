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
