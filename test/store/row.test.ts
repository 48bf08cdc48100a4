import t from 'tap'
import { getU48, idKey, numberedKey, putU48 } from '../../src/store/row.js'
import { seeded } from '../support/seeded.js'

t.test('numbers of 48 bits: written and read back, and the order of the bytes is theirs', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const numbers = [0, 1, 255, 256, 2 ** 32 - 1, 2 ** 32, 2 ** 40, 2 ** 47, 2 ** 48 - 1]
  for (let i = 0; i < 200; i++) numbers.push(rng.below(2 ** rng.between(1, 48)))
  const bytes = Buffer.alloc(8, 0xaa)
  for (const number of numbers) {
    putU48(bytes, 1, number)
    t.equal(getU48(bytes, 1), number)
  }
  t.match([bytes[0], bytes[7]], [0xaa, 0xaa], 'six bytes and no other')
  const byBytes = numbers.map(idKey).sort(Buffer.compare)
  t.same(
    byBytes.map(key => getU48(key, 0)),
    numbers.toSorted((a, b) => a - b),
  )
})

t.test('rows of a tree lie together, in the order of their numbers', async t => {
  t.same(numberedKey(0x010203040506, 0x0708090a), Buffer.from('0102030405060708090a', 'hex'))
  t.ok(Buffer.compare(numberedKey(7, 2 ** 32 - 1), numberedKey(8, 0)) < 0)
  t.same(numberedKey(7, 1).subarray(0, 6), idKey(7), 'under the key of the id')
})
