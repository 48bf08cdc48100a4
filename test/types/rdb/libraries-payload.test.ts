import t from 'tap'
import { decodeLibraries, encodeLibraries } from '../../../src/types/rdb/libraries-payload.js'
import { sealed } from '../../../src/types/rdb/dump-payload.js'
import { RdbWriter } from '../../../src/types/rdb/rdb-writer.js'

const CODES = ['#!lua name=a\nreturn 1', '#!lua name=b\n\xff\0', ''].map(code => Buffer.from(code, 'latin1'))

t.test('code comes back byte for byte, none as well', async t => {
  t.same(decodeLibraries(encodeLibraries(CODES)), CODES)
  t.same(decodeLibraries(encodeLibraries([])), [])
})

t.test('a flipped bit, a missing end, and a dump of something else are no libraries', async t => {
  const payload = encodeLibraries(CODES)
  for (let i = 0; i < payload.length; i++) {
    const damaged = Buffer.from(payload)
    damaged[i] ^= 1
    t.equal(decodeLibraries(damaged), undefined, `byte ${i}`)
  }
  t.equal(decodeLibraries(payload.subarray(0, -1)), undefined)
  t.equal(decodeLibraries(Buffer.alloc(0)), undefined)
  const writer = new RdbWriter(100)
  writer.u8(0)
  writer.string(Buffer.from('a string value'))
  t.equal(decodeLibraries(sealed(writer)), undefined)
  const cut = new RdbWriter(100)
  cut.u8(245)
  cut.u8(50)
  t.equal(decodeLibraries(sealed(cut)), undefined, 'a length beyond the end')
})
