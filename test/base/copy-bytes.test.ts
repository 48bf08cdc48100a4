import t from 'tap'
import { copyBytes } from '../../src/base/copy-bytes.js'
import { seeded } from '../support/seeded.js'

t.test('exactly the bytes asked for are copied, whatever their number', async t => {
  const source = Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i))
  for (let length = 0; length <= 160; length++) {
    const target = Buffer.alloc(200, 7)
    t.equal(copyBytes(source, 50, 50 + length, target, 40), 40 + length)
    const expected = Buffer.concat([
      Buffer.alloc(40, 7),
      source.subarray(50, 50 + length),
      Buffer.alloc(160 - length, 7),
    ])
    t.ok(target.equals(expected), `${length} bytes`)
  }
})

t.test('buffers that come again and again, and others between them', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const [a, b, c] = [0, 3, 9].map(offset => random.bytes(512).subarray(offset))
  let wrong = 0
  for (let i = 0; i < 4000; i++) {
    const source = random.pick([a, a, a, b])
    const target = random.pick([c, c, c, Buffer.alloc(400)])
    const length = random.below(160)
    const from = random.below(source.length - length)
    const at = random.below(target.length - length)
    const expected = Buffer.from(target)
    expected.set(source.subarray(from, from + length), at)
    if (copyBytes(source, from, from + length, target, at) !== at + length || !target.equals(expected)) wrong++
  }
  t.equal(wrong, 0)
})
