import t from 'tap'
import fc from 'fast-check'
import { addCounts, countOf, getCount, putCount, subtractCounts } from '../../../src/types/stream/count.js'

const COUNT = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-100n, 100n)).map(countOf)

t.test('counts are int64, in memory and in bytes', async t => {
  fc.assert(
    fc.property(COUNT, COUNT, (a, b) => {
      const bytes = Buffer.alloc(9)
      putCount(bytes, 1, a)
      return (
        addCounts(a, b) === countOf(BigInt.asIntN(64, BigInt(a) + BigInt(b))) &&
        subtractCounts(a, b) === countOf(BigInt.asIntN(64, BigInt(a) - BigInt(b))) &&
        bytes.readBigInt64BE(1) === BigInt(a) &&
        getCount(bytes, 1) === a
      )
    }),
    { numRuns: 1000 },
  )
  t.equal(addCounts(Number.MAX_SAFE_INTEGER, 1), 2n ** 53n)
  t.equal(subtractCounts(2n ** 53n, 1), Number.MAX_SAFE_INTEGER)
})
