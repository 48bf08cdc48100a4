import t from 'tap'
import { bitByteAt, combinedPieces, countIn, findIn } from '../../src/commands/bit-values.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { combineBits, countBits, findBit } from '../../src/types/string/bits.js'
import { PiecedString } from '../../src/types/string/pieced-string.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { seeded } from '../support/seeded.js'

const OPERATIONS = ['and', 'or', 'xor', 'not'] as const

t.test('strings in pieces are counted, searched and combined as whole ones are', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  const valueOf = (bytes: Buffer) =>
    random.chance(0.5) ? PiecedString.of(rows, bytes, random.pick([8, 64, 72])) : StringValue.create(rows, bytes)
  for (let round = 0; round < 1000; round++) {
    const length = random.between(1, 300)
    // Long runs of one bit, so that a search passes over pieces.
    const bytes = random.chance(0.5) ? random.bytes(length) : Buffer.alloc(length, random.pick([0, 255]))
    bytes[random.below(length)] = random.below(256)
    const value = valueOf(bytes)
    const from = random.below(length * 8)
    const to = random.between(from, length * 8)
    t.equal(countIn(value, from, to), countBits(bytes, from, to))
    for (const bit of [0, 1]) t.equal(findIn(value, bit, from, to), from < to ? findBit(bytes, bit, from, to) : -1)
    const at = random.below(length + 5)
    t.equal(bitByteAt(value, at), bytes[at] ?? 0)

    const operation = random.pick(OPERATIONS)
    const operands = Array.from({ length: operation === 'not' ? 1 : random.between(1, 4) }, () =>
      random.bytes(random.between(1, 200)),
    )
    const expected = combineBits(operation, operands)
    const pieces = combinedPieces(operation, operands.map(valueOf), expected.length, random.pick([8, 64, 72]))
    t.ok(Buffer.concat(pieces).equals(expected), operation)
  }
  t.ok(Buffer.concat(combinedPieces('or', [undefined, valueOf(Buffer.from('abc'))], 3, 8)).equals(Buffer.from('abc')))
})
