import t from 'tap'
import type { Test } from 'tap'
import { crc32c, nativeCrc32c, twinCrc32c } from '../../src/native/crc32c.js'
import type { Crc32c } from '../../src/native/crc32c.js'

function laws(t: Test, crc: Crc32c): void {
  // Check values of RFC 3720 (iSCSI), appendix B.4, and of the digits 1 to 9.
  const rising = Buffer.from(Array.from({ length: 32 }, (_, i) => i))
  t.equal(crc(Buffer.from('123456789'), 0, 9), 0xe3069283)
  t.equal(crc(Buffer.alloc(32), 0, 32), 0x8a9136aa)
  t.equal(crc(Buffer.alloc(32, 0xff), 0, 32), 0x62a8ab43)
  t.equal(crc(rising, 0, 32), 0x46dd794e)
  t.equal(crc(Buffer.from(rising).reverse(), 0, 32), 0x113fdb5c)
  t.equal(crc(rising, 7, 7), 0)
}

t.test('the twin in TypeScript gives the known values', async t => laws(t, twinCrc32c))

t.test('the addon gives the known values', async t => {
  t.ok(nativeCrc32c, 'the addon is built')
  t.equal(crc32c, nativeCrc32c)
  if (nativeCrc32c) laws(t, nativeCrc32c)
})

t.test('both agree on every range of a buffer', async t => {
  const bytes = Buffer.from(Array.from({ length: 70 }, (_, i) => (i * 151 + 7) & 255))
  for (let from = 0; from < 20; from++) {
    for (let to = from; to <= bytes.length; to++) {
      if (twinCrc32c(bytes, from, to) !== crc32c(bytes, from, to)) t.fail(`range ${from}..${to}`)
    }
  }
})

t.test('the addon answers a wrong range with an error number', async t => {
  const bytes = Buffer.alloc(4)
  t.equal(nativeCrc32c?.(bytes, 0, 5), -22)
  t.equal(nativeCrc32c?.(bytes, 3, 2), -22)
  t.equal(nativeCrc32c?.(bytes, -1, 2), -22)
})
