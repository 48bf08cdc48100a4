import t from 'tap'
import {
  commonKeyBytes,
  compareKeyAt,
  compareKeys,
  itemBytesMax,
  itemEnd,
  keyAscends,
  keyLength,
  keyOffset,
  prefixAt,
  putItem,
  valueIs,
  valueLength,
  valueOffset,
} from '../../src/pages/item-bytes.js'
import { seeded } from '../support/seeded.js'

/** Short keys out of few letters, so that many share their start; now and then one above what loops compare. */
function someKeys(random: ReturnType<typeof seeded>): Buffer[] {
  return Array.from({ length: 150 }, () => {
    const start = Buffer.alloc(random.chance(0.3) ? 40 : random.below(4), 7)
    return Buffer.concat([start, Buffer.from(Array.from({ length: random.below(8) }, () => random.below(3) * 127))])
  })
}

t.test('an item is read as it was written', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let i = 0; i < 500; i++) {
    const key = random.bytes(random.chance(0.1) ? 200 : random.below(40))
    const value = random.bytes(random.chance(0.1) ? 20_000 : random.below(40))
    const content = random.chance(0.5) ? value : value.toString('latin1')
    const bytes = Buffer.alloc(3 + itemBytesMax(key, content), 170)
    const end = putItem(bytes, 3, key, content)
    t.equal(itemEnd(bytes, 3), end)
    t.same(bytes.subarray(keyOffset(bytes, 3), keyOffset(bytes, 3) + keyLength(bytes, 3)), key)
    t.same(bytes.subarray(valueOffset(bytes, 3), valueOffset(bytes, 3) + valueLength(bytes, 3)), value)
    t.ok(valueIs(bytes, 3, value) && valueIs(bytes, 3, value.toString('latin1')))
    t.notOk(valueIs(bytes, 3, Buffer.concat([value, Buffer.of(0)])))
    if (value.length === 0) continue
    const other = Buffer.from(value)
    other[random.below(other.length)] ^= 1
    t.notOk(valueIs(bytes, 3, other) || valueIs(bytes, 3, other.toString('latin1')))
  }
})

t.test('keys are compared as Buffer.compare() does, wherever they lie', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const keys = someKeys(random)
  const bytes = Buffer.alloc(20_000)
  let end = 0
  const offsets = keys.map(key => {
    const at = end
    end = putItem(bytes, at, key, '')
    return at
  })
  for (const [i, a] of keys.entries()) {
    for (const [k, b] of keys.entries()) {
      const expected = Buffer.compare(a, b)
      let common = 0
      while (common < Math.min(a.length, b.length) && a[common] === b[common]) common++
      const found = [
        Math.sign(compareKeys(a, b)),
        Math.sign(compareKeyAt(bytes, offsets[i], b)),
        keyAscends(bytes, offsets[i], offsets[k]),
        commonKeyBytes(bytes, offsets[i], offsets[k]),
      ]
      const wanted = [expected, expected, expected < 0, common]
      if (found.join() !== wanted.join()) t.fail(`${a.toString('hex')} and ${b.toString('hex')}: ${found.join()}`)
      for (let skip = 0; skip <= common; skip++) {
        const difference = prefixAt(bytes, offsets[i], skip) - prefixAt(bytes, offsets[k], skip)
        if (difference * expected < 0) t.fail(`prefixes of ${a.toString('hex')} and ${b.toString('hex')} at ${skip}`)
      }
    }
  }
})

t.test('an item that does not end within the bytes is noticed', async t => {
  const bytes = Buffer.alloc(50)
  const end = putItem(bytes, 0, Buffer.from('key'), 'value')
  for (let length = 1; length < end; length++) t.equal(itemEnd(bytes.subarray(0, length), 0), -1, `${length} bytes`)
  t.equal(itemEnd(Buffer.alloc(40, 255), 0), -1)
})
