import t from 'tap'
import { KeyBuffer } from '../../src/pages/key-buffer.js'

t.test('short keys of one length share a buffer, long ones have their own', async t => {
  const keys = new KeyBuffer()
  t.equal(keys.ofLength(0).length, 0)
  t.equal(keys.ofLength(17).length, 17)
  t.equal(keys.ofLength(17), keys.ofLength(17))
  t.not(keys.ofLength(17).buffer, keys.ofLength(18).buffer)
  t.not(new KeyBuffer().ofLength(17), keys.ofLength(17))
  t.equal(keys.ofLength(100_000).length, 100_000)
  t.not(keys.ofLength(100_000), keys.ofLength(100_000))
})
