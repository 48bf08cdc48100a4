import t from 'tap'
import { copyBytes } from '../../src/base/copy-bytes.js'

t.test('exactly the bytes asked for are copied, whatever their number', async t => {
  const source = Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i))
  for (let length = 0; length <= 128; length++) {
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
