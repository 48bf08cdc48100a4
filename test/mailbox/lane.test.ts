// Lane records to the byte, and which lane a user has.

import t from 'tap'
import { decodeLane, encodeLane, LANE_BYTES, laneOf } from '../../src/mailbox/lane.js'

const VECTORS: readonly (readonly [{ w: number; floor: number } | undefined, string])[] = [
  [undefined, '00000000000000000000000000000000000000'],
  [{ w: 0, floor: 0 }, '01000000000000000000000000000000000000'],
  [{ w: 1, floor: 0 }, '01000000000001000000000000000000000001'],
  [{ w: 0x010203040506, floor: 0x0a0b }, '01010203040506000000000a0b010203040506'],
  [{ w: 2 ** 48 - 1, floor: 2 ** 48 - 1 }, '01ffffffffffffffffffffffffffffffffffff'],
]
const LANES_OF_NAMES = [4, 9, 22, 50, 27, 52]

t.test('records as hex', async t => {
  for (const [lane, hex] of VECTORS) {
    t.equal(encodeLane(lane).toString('hex'), hex)
    t.same(decodeLane(Buffer.from(hex, 'hex'), 0, 'here'), lane)
    t.equal(encodeLane(lane).length, LANE_BYTES)
  }
})

t.test('each broken invariant has its reason', async t => {
  const broken = (hex: string, message: RegExp) =>
    t.throws(() => decodeLane(Buffer.from(hex, 'hex'), 0, 'shard 3, lane 5'), { code: 'CORRUPT_WATERMARK', message })
  broken('02000000000001000000000000000000000001', /shard 3, lane 5: presence is 2/)
  broken('ff000000000001000000000000000000000001', /presence is 255/)
  broken('00000000000001000000000000000000000001', /an empty lane holds bytes/)
  broken('00000000000000000000000001000000000000', /an empty lane holds bytes/)
  broken('01000000000001000000000000000000000002', /W 1 differs from W_recomputed 2/)
  broken('01000000000001000000000002000000000001', /W 1 is below W_floor 2/)
})

t.test('what no record can hold is refused', async t => {
  for (const lane of [
    { w: 2 ** 48, floor: 0 },
    { w: 1, floor: 2 },
    { w: -1, floor: -1 },
    { w: 1.5, floor: 0 },
  ]) {
    t.throws(() => encodeLane(lane), { code: 'MALFORMED' })
  }
})

t.test('lanes of users are frozen, and spread', async t => {
  t.same(['', 'a', 'alice', 'bob', 'user:1', 'Grüße'].map(laneOf), LANES_OF_NAMES)
  const counts = Array.from({ length: 64 }, () => 0)
  for (let i = 0; i < 6_400; i++) counts[laneOf(`user:${i}`)]++
  t.ok(Math.min(...counts) > 50, `the emptiest lane has ${Math.min(...counts)} of 6,400 users`)
  t.ok(Math.max(...counts) < 200, `the fullest lane has ${Math.max(...counts)}`)
})
