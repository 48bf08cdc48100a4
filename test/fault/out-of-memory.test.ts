// A process that the system gives no more memory: a command that needs more than there is is refused, changes nothing,
// and everybody else is served; its client is told why. So is one whose command does not fit while it still arrives.

import { spawnSync } from 'node:child_process'
import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'

// What the process has at rest (140 MB) and a value of 500 MB do not fit; what V8 itself wants while it refuses does.
const DATA_BYTES = 600_000_000
const NO_MEMORY = '-OOM the system gives no memory for this command\r\n'
const MIB = Buffer.alloc(1 << 20, 'x')

t.test('commands that get no memory are refused by it', { timeout: 120_000 }, async t => {
  if (spawnSync('prlimit', [`--data=${DATA_BYTES}`, 'true']).status !== 0) {
    return t.comment('prlimit cannot limit memory here: left out')
  }
  const dir = tempDir(t)
  // In pieces the zeros of a long string would take no memory.
  const args = ['--string-row-max-bytes', '1gb']
  const server = await startServer({ dir, args, through: ['prlimit', `--data=${DATA_BYTES}`] })
  t.teardown(() => server.kill9())
  const [client, other] = [await RespClient.connect(server.port), await RespClient.connect(server.port)]
  t.teardown(() => other.close())
  await client.text('SET', 'small', 'value')
  await client.text('SETRANGE', 'large', 40_000_000, 'end')

  t.equal(await client.text('SETRANGE', 'huge', 500_000_000, 'x'), NO_MEMORY)
  t.equal(await client.text('SETBIT', 'huge', 4_000_000_000, 1), NO_MEMORY)
  t.equal(await client.text('EXISTS', 'huge'), ':0\r\n', 'no empty value is left behind')
  t.equal(await client.text('SETRANGE', 'large', 500_000_000, 'x'), NO_MEMORY)
  t.equal(await client.text('SETBIT', 'large', 4_000_000_000, 1), NO_MEMORY)
  t.equal(await client.text('STRLEN', 'large'), ':40000003\r\n')
  t.match(await client.text('EVAL', "return #string.rep('x', 480000000)", 0), /^-ERR .*not enough memory/)
  client.send('*1\r\n$5\r\nMULTI\r\n')
  await client.reply()
  await client.text('SET', 'small', 'changed')
  await client.text('SETRANGE', 'huge', 500_000_000, 'x')
  t.equal(await client.text('EXEC'), `*2\r\n+OK\r\n${NO_MEMORY}`, 'in a transaction the others count')
  const script = "redis.call('SET', 'small', 'again') return redis.pcall('SETRANGE', 'huge', 500000000, 'x')"
  t.equal(await client.text('EVAL', script, 0), NO_MEMORY)
  t.equal(await other.text('GET', 'small'), '$5\r\nagain\r\n')

  client.send('*3\r\n$3\r\nSET\r\n$4\r\nhuge\r\n$512000000\r\n')
  const told = client.reply()
  for (let i = 0; i < 480 && !client.ended; i++) {
    client.socket.write(MIB)
    await new Promise(resolve => setImmediate(resolve))
  }
  // What the server says may be lost on the way while more is being sent to it.
  const words = await told.then(String, () => 'nothing')
  t.match(words, /^(-ERR the system gives no memory for the rest of this command\r\n|nothing)$/)
  await client.closed()
  t.equal(await other.text('INCR', 'counter'), ':1\r\n', 'others go on, and so do writes')
  await server.kill9()

  const again = await startServer({ dir })
  t.teardown(() => again.stop())
  const after = await RespClient.connect(again.port)
  t.teardown(() => after.close())
  t.equal(await after.text('MGET', 'small', 'counter', 'huge'), '*3\r\n$5\r\nagain\r\n$1\r\n1\r\n$-1\r\n')
  t.equal(await after.text('STRLEN', 'large'), ':40000003\r\n')
})
