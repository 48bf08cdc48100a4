import t from 'tap'
import { PIECE_BYTES } from '../../src/base/allocation.js'
import { LargeArgument } from '../../src/resp/large-argument.js'
import { seeded } from '../support/seeded.js'

t.test('whatever it comes in, it is kept in pieces of one size, and takes no more than its own', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (const length of [1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES + 77]) {
    const bytes = Buffer.concat([random.bytes(5), random.bytes(length), random.bytes(9)])
    const argument = new LargeArgument(length)
    let at = 5
    while (!argument.complete) {
      const end = argument.take(bytes, at, Math.min(bytes.length, at + random.between(1, 50_000)))
      t.equal(argument.received, end - 5)
      at = end
    }
    t.equal(at, 5 + length)
    t.equal(argument.take(bytes, at, bytes.length), at, 'what is behind it is not taken')
    t.same(
      argument.pieces.map(piece => piece.length),
      Array.from({ length: Math.ceil(length / PIECE_BYTES) }, (_, i) =>
        Math.min(PIECE_BYTES, length - i * PIECE_BYTES),
      ),
    )
    t.ok(argument.whole().equals(bytes.subarray(5, 5 + length)))
  }
})
