import { once } from 'node:events'
import t from 'tap'
import { sendPieces, shutDown } from '../../src/native/socket-send.js'
import { socketPair } from '../support/socket-pair.js'

t.test('the addon sends pieces in order, as many as one call takes', async t => {
  const { far, near, fd, received } = await socketPair(t)
  const pieces = Array.from({ length: 100 }, (_, i) => Buffer.from(`${i},`))
  const text = Buffer.concat(pieces.slice(0, 64)).toString()
  t.equal(sendPieces(fd, [Buffer.from('-view-of-').subarray(1, 8), Buffer.alloc(0), Buffer.from(' ')]), 8)
  t.equal(sendPieces(fd, pieces), text.length)
  near.end()
  await once(far, 'end')
  t.equal(Buffer.concat(received).toString(), `view-of ${text}`)
})

t.test('the addon takes what the kernel takes, and says when it takes nothing', async t => {
  const { far, near, fd, received } = await socketPair(t)
  far.pause()
  const piece = Buffer.alloc(1 << 20, 'x')
  let bytes = 0
  let sent = sendPieces(fd, [piece])
  for (; sent > 0; sent = sendPieces(fd, [piece])) bytes += sent
  t.equal(sent, -11)
  far.resume()
  near.end()
  await once(far, 'end')
  t.equal(Buffer.concat(received).length, bytes)
})

t.test('a closed descriptor and wrong arguments are refused', async t => {
  t.equal(sendPieces(-1, [Buffer.from('x')]), -9)
  t.equal(sendPieces(0, [{} as Uint8Array]), -22)
})

t.test('a side that was shut down is seen to end by the other', async t => {
  const { far, fd, received } = await socketPair(t)
  t.equal(sendPieces(fd, [Buffer.from('last')]), 4)
  t.equal(shutDown(fd), 0)
  await once(far, 'end')
  t.equal(Buffer.concat(received).toString(), 'last')
  t.equal(sendPieces(fd, [Buffer.from('later')]), -32)
  t.equal(shutDown(-1), -9)
})
