// Reads and accepts without the event loop: everything between the connects and the checks happens in one turn of it.

import { once } from 'node:events'
import { connect, createServer, Socket } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import t from 'tap'
import { acceptNow, receiveNow } from '../../src/native/socket-now.js'

const EAGAIN = -11

function descriptorOf(of: Server | Socket): number {
  return (of as unknown as { _handle: { fd: number } })._handle.fd
}

/** Waits for bytes or an end without letting the event loop see them first. */
function receive(fd: number, bytes: Buffer): number {
  for (;;) {
    const length = receiveNow(fd, bytes)
    if (length !== EAGAIN) return length
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  }
}

t.test('a connection is accepted and heard in one turn of the event loop', async t => {
  const accepted: Socket[] = []
  const server = createServer(socket => void accepted.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const listening = descriptorOf(server)
  t.equal(acceptNow(listening), EAGAIN, 'nobody waits')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  // The kernel completes the connection, and takes what is written, while this turn goes on.
  let fd = EAGAIN
  while (fd === EAGAIN) fd = acceptNow(listening)
  t.ok(fd > 0)
  const bytes = Buffer.alloc(16)
  t.equal(receiveNow(fd, bytes), EAGAIN, 'nothing is there')
  await once(client, 'connect')
  client.write('hello')
  t.equal(receive(fd, bytes), 5)
  t.equal(bytes.toString('latin1', 0, 5), 'hello')
  const socket = new Socket({ fd })
  t.equal(accepted.length, 0, 'the event loop has not seen it')
  client.end()
  socket.destroy()
  server.close()
})

t.test('what is no socket is an error', async t => {
  t.ok(receiveNow(-1, Buffer.alloc(1)) < 0)
  t.ok(acceptNow(-1) < 0)
})
