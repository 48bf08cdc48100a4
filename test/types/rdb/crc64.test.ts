import t from 'tap'
import { hasCrc64, putCrc64 } from '../../../src/types/rdb/crc64.js'
import { Seeded } from '../../support/seeded.js'

function sumOf(bytes: Buffer): bigint {
  const target = Buffer.concat([bytes, Buffer.alloc(8)])
  putCrc64(target, bytes.length, bytes.length)
  return target.readBigUInt64LE(bytes.length)
}

/** Bit by bit, as the polynomial says. */
function plainSumOf(bytes: Buffer): bigint {
  let sum = 0n
  for (const byte of bytes) {
    sum ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) sum = (sum & 1n) === 1n ? (sum >> 1n) ^ 0x95ac9329ac4bc9b5n : sum >> 1n
  }
  return sum
}

t.test('the check value is that of the polynomial', async t => {
  t.equal(sumOf(Buffer.from('123456789')), 0xe9c6d914c4b8d9can)
  t.equal(sumOf(Buffer.alloc(0)), 0n)
})

t.test('eight bytes at a time or one, the sum is the same', async t => {
  const random = new Seeded(64)
  for (let length = 0; length < 40; length++) {
    const bytes = random.bytes(length)
    t.equal(sumOf(bytes), plainSumOf(bytes), `${length} bytes`)
  }
})

t.test('a sum is recognized, a changed byte noticed', async t => {
  const bytes = new Seeded(65).bytes(108)
  putCrc64(bytes, 100, 100)
  t.ok(hasCrc64(bytes, 100, 100))
  for (let at = 0; at < 108; at++) {
    bytes[at] ^= 0x40
    if (hasCrc64(bytes, 100, 100)) t.fail(`a change of byte ${at} went unnoticed`)
    bytes[at] ^= 0x40
  }
})
