// Both ends of a TCP connection, with the descriptor of one of them.

import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'

/** `fd` is that of `near`; what `far` receives is gathered in `received`. Both end with the test. */
export async function socketPair(t: Test) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [Socket]
  if (near.connecting) await once(near, 'connect')
  const received: Buffer[] = []
  far.on('data', chunk => received.push(chunk))
  t.teardown(() => {
    near.destroy()
    far.destroy()
    server.close()
  })
  const fd = (near as unknown as { _handle: { fd: number } })._handle.fd
  return { near, far, fd, received }
}
