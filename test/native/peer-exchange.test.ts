// The other side must be another process: the call blocks this one.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import type { Test } from 'tap'
import { exchange } from '../../src/native/peer-exchange.js'

type Behaviour = 'echo' | 'silent' | 'hang up' | 'half'

/** Listens in a process of its own, answers the first connection as told, and says its port. */
const PROGRAM = `
const how = process.argv[1]
const server = require('net').createServer(socket => {
  socket.on('error', () => undefined)
  socket.on('data', bytes => {
    if (how === 'echo') socket.write(bytes)
    if (how === 'half') socket.end(bytes.subarray(0, bytes.length / 2))
    if (how === 'hang up') socket.destroy()
  })
}).listen(0, '127.0.0.1', () => console.log(server.address().port))`

async function peer(t: Test, how: Behaviour): Promise<number> {
  const child = spawn(process.execPath, ['-e', PROGRAM, how], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return Number(line.toString())
}

const ask = (port: number, text: string, lines: number, timeoutMs = 60_000, host = '127.0.0.1') => {
  const { failed, reply } = exchange(host, port, timeoutMs, Buffer.from(text), lines)
  return { failed, reply: reply.toString() }
}

t.test('sends all and reads as many lines as are owed', async t => {
  const port = await peer(t, 'echo')
  t.same(ask(port, '+one\r\n-two\r\n', 2), { failed: undefined, reply: '+one\r\n-two\r\n' })
  t.same(ask(port, '+name\r\n', 1, 60_000, 'localhost'), { failed: undefined, reply: '+name\r\n' })
  const long = 'x'.repeat(20_000_000)
  const { failed, reply } = ask(port, `${long}\r\n`, 1)
  t.equal(failed, undefined)
  t.equal(reply.length, long.length + 2)
})

t.test('says at which step it ended, and what had come by then', async t => {
  t.same(ask(1, 'PING\r\n', 1), { failed: 'writing', reply: '' }, 'nobody listens')
  t.same(ask(1, 'PING\r\n', 1, 100, 'no.such.host.invalid'), { failed: 'connecting', reply: '' })
  t.same(ask(await peer(t, 'silent'), 'PING\r\n', 1, 50), { failed: 'reading', reply: '' })
  t.same(ask(await peer(t, 'hang up'), 'PING\r\n', 1), { failed: 'reading', reply: '' })
  t.same(ask(await peer(t, 'half'), '+one\r\n+two\r\n', 2), { failed: 'reading', reply: '+one\r\n' })
})
