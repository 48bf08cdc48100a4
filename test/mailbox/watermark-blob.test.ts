// Blobs to the byte, in both layouts.

import t from 'tap'
import { encodeLane, LANES } from '../../src/mailbox/lane.js'
import { BLOB_BYTES, decodeBlob, encodeBlob } from '../../src/mailbox/watermark-blob.js'

const equal = Array.from({ length: LANES }, () => ({ w: 7, floor: 3 }))
const diverged = equal.map((lane, i) => (i === 5 ? { w: 9, floor: 3 } : i === 60 ? undefined : lane))

t.test('equal lanes are 19 bytes in packed-v2, 1,216 in packed-v1', async t => {
  t.equal(encodeBlob(equal, 'packed-v2').toString('hex'), '01000000000007000000000003000000000007')
  const v1 = encodeBlob(equal, 'packed-v1')
  t.equal(v1.length, BLOB_BYTES)
  t.equal(BLOB_BYTES, 1216)
  t.equal(v1.toString('hex'), '01000000000007000000000003000000000007'.repeat(64))
})

t.test('diverged lanes are 1,216 bytes in both, lane by lane', async t => {
  const blob = encodeBlob(diverged, 'packed-v2')
  t.same(blob, encodeBlob(diverged, 'packed-v1'))
  t.same(blob.subarray(5 * 19, 6 * 19), encodeLane({ w: 9, floor: 3 }))
  t.same(blob.subarray(60 * 19, 61 * 19), Buffer.alloc(19))
})

t.test('what was encoded is decoded', async t => {
  for (const lanes of [equal, diverged, Array.from({ length: LANES }, () => undefined)]) {
    for (const layout of ['packed-v1', 'packed-v2'] as const) {
      t.same(decodeBlob(encodeBlob(lanes, layout), layout, 'here'), lanes)
    }
  }
})

t.test('every length but the right ones is corruption', async t => {
  const bytes = encodeBlob(equal, 'packed-v1')
  const long = Buffer.concat([bytes, bytes])
  for (let length = 0; length <= 1300; length++) {
    for (const layout of ['packed-v1', 'packed-v2'] as const) {
      const isRight = length === 1216 || (layout === 'packed-v2' && length === 19)
      const decode = () => decodeBlob(long.subarray(0, length), layout, 'shard 3')
      if (isRight) t.doesNotThrow(decode, `${layout}, ${length}`)
      else t.throws(decode, { code: 'CORRUPT_WATERMARK', message: new RegExp(`shard 3.* ${length} bytes`) })
    }
  }
})

t.test('a reader of packed-v1 refuses packed-v2', async t => {
  t.throws(() => decodeBlob(encodeBlob(equal, 'packed-v2'), 'packed-v1', 'shard 3'), { code: 'CORRUPT_WATERMARK' })
})

t.test('a broken lane is named', async t => {
  const blob = encodeBlob(diverged, 'packed-v2')
  blob[63 * 19] = 9
  t.throws(() => decodeBlob(blob, 'packed-v2', 'shard 3'), { message: 'shard 3, lane 63: presence is 9, not 0 or 1' })
})
