import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { OutputQueue } from '../../src/net/output-queue.js'
import { socketPair } from '../support/socket-pair.js'

async function start(t: Test) {
  const { near, far, fd, received } = await socketPair(t)
  const bytesReceived = () => received.reduce((sum, chunk) => sum + chunk.length, 0)
  return { near, far, received, bytesReceived, queue: new OutputQueue(fd) }
}

const piecesOf = (count: number) => Array.from({ length: count }, (_, i) => Buffer.from(`${i},`))
const lengthOf = (pieces: Buffer[]) => pieces.reduce((sum, piece) => sum + piece.length, 0)

t.test('what the kernel takes at once does not wait, however many pieces it is', async t => {
  const { queue, near, far, received } = await start(t)
  for (const count of [1, 64, 65, 1000]) {
    const pieces = piecesOf(count)
    t.ok(queue.send(pieces, lengthOf(pieces)))
    t.equal(queue.bytes, 0)
    t.equal(queue.pieces, 0)
  }
  near.end()
  await once(far, 'end')
  const expected = [1, 64, 65, 1000].map(count => piecesOf(count).join('')).join('')
  t.equal(Buffer.concat(received).toString(), expected)
})

t.test('what it does not take waits in order, and is counted', async t => {
  const { queue, near, far, received, bytesReceived } = await start(t)
  far.pause()
  const big = Buffer.alloc(16 << 20, 'x')
  t.ok(queue.send([big, Buffer.from('behind')], big.length + 6))
  t.ok(queue.bytes > 6)
  t.equal(queue.pieces, 2)
  const many = [Buffer.alloc(0), ...piecesOf(3000)]
  const waited = queue.bytes
  t.ok(queue.send(many, lengthOf(many)))
  t.equal(queue.bytes, waited + lengthOf(many))
  t.equal(queue.pieces, 3002, 'empty pieces do not wait')
  t.ok(queue.flush(), 'a full socket is no failure')
  far.resume()
  const total = big.length + 6 + lengthOf(many)
  for (let turns = 0; bytesReceived() < total && turns < 1_000_000; turns++) {
    if (!queue.flush()) break
    await turn()
  }
  t.equal(queue.bytes, 0)
  near.end()
  const all = Buffer.concat(received)
  t.equal(all.length, total)
  t.ok(all.subarray(0, big.length).equals(big))
  t.equal(all.subarray(big.length).toString(), `behind${piecesOf(3000).join('')}`)
})

t.test('a broken connection is said to be broken; clear() forgets what waits', async t => {
  const { queue, far } = await start(t)
  far.pause()
  const big = Buffer.alloc(16 << 20)
  t.ok(queue.send([big], big.length))
  queue.clear()
  t.equal(queue.bytes, 0)
  t.equal(queue.pieces, 0)
  t.notOk(new OutputQueue(-1).send([big], big.length))
})
