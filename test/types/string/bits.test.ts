import t from 'tap'
import { combineBits, countBits, findBit } from '../../../src/types/string/bits.js'
import { seeded } from '../../support/seeded.js'

t.test('counting and finding agree with a text of zeros and ones', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 2000; round++) {
    const bytes = random.bytes(random.below(6)).map(byte => random.pick([0, 255, byte]))
    const text = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
    const from = random.below(text.length + 1)
    const to = random.between(from, text.length)
    const part = text.slice(from, to)
    const bit = random.below(2)
    const place = part.indexOf(String(bit))
    if (countBits(bytes, from, to) !== part.split('1').length - 1) t.fail(`count ${text} ${from} ${to}`)
    if (findBit(bytes, bit, from, to) !== (place < 0 ? -1 : from + place)) t.fail(`find ${bit} ${text} ${from} ${to}`)
  }
  t.equal(countBits(Buffer.from('foobar'), 0, 48), 26)
})

t.test('operands of different lengths are as if filled with zeros', async t => {
  const [a, b] = [Buffer.from('f0f0f0', 'hex'), Buffer.from('ff00', 'hex')]
  t.equal(combineBits('and', [a, b]).toString('hex'), 'f00000')
  t.equal(combineBits('or', [b, a]).toString('hex'), 'fff0f0')
  t.equal(combineBits('xor', [a, b, b]).toString('hex'), 'f0f0f0')
  t.equal(combineBits('not', [a]).toString('hex'), '0f0f0f')
  t.equal(a.toString('hex'), 'f0f0f0', 'operands stay as they were')
})
