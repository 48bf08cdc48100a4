// Reads and accepts without the event loop. The peers are processes of their own: within one process a connect need not
// have reached the kernel before the event loop runs again.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, Socket } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import t from 'tap'
import { acceptNow, receiveNow } from '../../src/native/socket-now.js'

const EAGAIN = -11
const WAITS_MAX = 15_000

function descriptorOf(of: Server | Socket): number {
  return (of as unknown as { _handle: { fd: number } })._handle.fd
}

/** Asks again, without letting the event loop see anything first, until there is an answer; gives up after a while. */
function untilThere(ask: () => number): number {
  const nobody = new Int32Array(new SharedArrayBuffer(4))
  for (let i = 0; i < WAITS_MAX; i++) {
    const answer = ask()
    if (answer !== EAGAIN) return answer
    Atomics.wait(nobody, 0, 0, 2)
  }
  return EAGAIN
}

t.test('a connection is accepted and heard in one turn of the event loop', async t => {
  const accepted: Socket[] = []
  const server = createServer(socket => void accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const listening = descriptorOf(server)
  t.equal(acceptNow(listening), EAGAIN, 'nobody waits')
  const { port } = server.address() as AddressInfo
  const code = `const s = require('net').connect(${port}, '127.0.0.1', () => s.end('hello'))`
  const peer = spawn(process.execPath, ['-e', code], { stdio: 'ignore' })
  const gone = once(peer, 'exit')
  // All of this turn: the peer connects, writes and ends meanwhile.
  const fd = untilThere(() => acceptNow(listening))
  t.ok(fd > 0)
  if (fd > 0) {
    const bytes = Buffer.alloc(16)
    t.equal(
      untilThere(() => receiveNow(fd, bytes)),
      5,
    )
    t.equal(bytes.toString('latin1', 0, 5), 'hello')
    t.equal(
      untilThere(() => receiveNow(fd, bytes)),
      0,
      'the end of the stream',
    )
    t.equal(accepted.length, 0, 'the event loop has not seen it')
    t.equal(acceptNow(listening), EAGAIN, 'nobody else waits')
    new Socket({ fd }).destroy()
  }
  server.close()
  peer.kill('SIGKILL')
  await gone
})

t.test('what is no socket is an error', async t => {
  t.ok(receiveNow(-1, Buffer.alloc(1)) < 0)
  t.ok(acceptNow(-1) < 0)
})
