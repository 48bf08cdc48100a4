import t from 'tap'
import { LENGTH_BYTES_MAX, lengthAt, putLength, skipLength } from '../../src/pages/length-prefix.js'

t.test('a length comes back as it was, and takes no more bytes than it needs', async t => {
  const bytes = Buffer.alloc(10, 255)
  for (const [length, taken] of [
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 21, 4],
    [2 ** 32 - 1, LENGTH_BYTES_MAX],
  ]) {
    t.equal(putLength(bytes, 2, length), 2 + taken, `${length}`)
    t.equal(lengthAt(bytes, 2), length)
    t.equal(skipLength(bytes, 2), 2 + taken)
    t.same([bytes[1], bytes[2 + taken]], [255, 255], 'nothing beside it has changed')
    bytes.fill(255)
  }
})
