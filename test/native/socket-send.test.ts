import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { nativeSendPieces, twinSendPieces } from '../../src/native/socket-send.js'

/** Both ends of a connection; what `far` receives is gathered in `received`. */
async function pair(t: Test) {
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

t.test('the twin takes nothing', async t => {
  t.equal(twinSendPieces(0, [Buffer.from('x')]), -11)
})

t.test('the addon sends pieces in order, as many as one call takes', async t => {
  t.ok(nativeSendPieces, 'the addon is built')
  if (!nativeSendPieces) return
  const { far, near, fd, received } = await pair(t)
  const pieces = Array.from({ length: 100 }, (_, i) => Buffer.from(`${i},`))
  const text = Buffer.concat(pieces.slice(0, 64)).toString()
  t.equal(nativeSendPieces(fd, [Buffer.from('-view-of-').subarray(1, 8), Buffer.alloc(0), Buffer.from(' ')]), 8)
  t.equal(nativeSendPieces(fd, pieces), text.length)
  near.end()
  await once(far, 'end')
  t.equal(Buffer.concat(received).toString(), `view-of ${text}`)
})

t.test('the addon takes what the kernel takes, and says when it takes nothing', async t => {
  if (!nativeSendPieces) return
  const { far, near, fd, received } = await pair(t)
  far.pause()
  const piece = Buffer.alloc(1 << 20, 'x')
  let bytes = 0
  let sent = nativeSendPieces(fd, [piece])
  for (; sent > 0; sent = nativeSendPieces(fd, [piece])) bytes += sent
  t.equal(sent, -11)
  far.resume()
  near.end()
  await once(far, 'end')
  t.equal(Buffer.concat(received).length, bytes)
})

t.test('a closed descriptor and wrong arguments are refused', async t => {
  if (!nativeSendPieces) return
  t.equal(nativeSendPieces(-1, [Buffer.from('x')]), -9)
  t.equal(nativeSendPieces(0, [{} as Uint8Array]), -22)
})
