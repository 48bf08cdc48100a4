import t from 'tap'
import { decompress } from '../../../src/types/rdb/lzf.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { Seeded } from '../../support/seeded.js'

const run = (...bytes: number[]) => Buffer.from(bytes)

t.test('literal runs and references back, overlapping ones too', async t => {
  t.equal(decompress(run(2, 97, 98, 99), 3).latin1Slice(), 'abc')
  t.equal(decompress(run(2, 97, 98, 99, 0x20, 2), 6).latin1Slice(), 'abcabc')
  t.equal(decompress(run(0, 120, 0xe0, 91, 0), 101).latin1Slice(), 'x'.repeat(101), 'a long run out of its own output')
  t.equal(decompress(run(), 0).length, 0)
  const far = Buffer.concat(Array.from({ length: 10 }, () => Buffer.concat([run(31), Buffer.alloc(32, 'y')])))
  t.equal(
    decompress(Buffer.concat([run(0, 122), far, run(0x21, 64)]), 324).latin1Slice(321),
    'zyy',
    'offset of two bytes',
  )
})

t.test('what is cut off, points before the start or has another length is refused', async t => {
  for (const [input, length] of [
    [run(2, 97, 98), 3],
    [run(2, 97, 98, 99), 2],
    [run(2, 97, 98, 99), 4],
    [run(0x20, 0), 3],
    [run(0, 97, 0x20, 1), 4],
    [run(0, 97, 0x20), 4],
    [run(0, 97, 0xe0), 10],
    [run(0, 97, 0xe0, 1), 11],
    [run(0, 97, 0x20, 0), 2],
    [run(0, 97), 2 ** 40],
  ] as const) {
    t.throws(() => decompress(input, length), PayloadError, `${input.toString('hex')} as ${length}`)
  }
})

t.test('no bytes at all make it read or write elsewhere', async t => {
  const random = new Seeded(7)
  for (let i = 0; i < 3000; i++) {
    const length = random.below(60)
    try {
      t.equal(decompress(random.bytes(random.below(12)), length).length, length)
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error
    }
  }
})
