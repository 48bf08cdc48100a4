import t from 'tap'
import { combineBits, countBits, findBit } from '../../../src/types/string/bits.js'
import { seeded } from '../../support/seeded.js'
import type { Seeded } from '../../support/seeded.js'

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

/** Mostly of one byte, so that whole words are passed over; at any place in memory. */
function longBytes(random: Seeded, length: number): Buffer {
  const bytes = Buffer.alloc(length + 3)
    .subarray(random.below(4))
    .subarray(0, length)
  bytes.fill(random.pick([0, 255, 0x5a]))
  for (let i = random.below(3); i > 0 && length > 0; i--) bytes[random.below(length)] = random.below(256)
  return bytes
}

t.test('so they do over many words, wherever these lie in memory', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 2000; round++) {
    const bytes = longBytes(random, random.below(40))
    const text = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
    const from = random.below(text.length + 1)
    const to = random.between(from, text.length)
    const bit = random.below(2)
    const place = text.slice(from, to).indexOf(String(bit))
    const what = `of ${bytes.toString('hex')} [${from}, ${to})`
    if (countBits(bytes, from, to) !== text.slice(from, to).split('1').length - 1) t.fail(`count ${what}`)
    if (findBit(bytes, bit, from, to) !== (place < 0 ? -1 : from + place)) t.fail(`find ${bit} ${what}`)
  }
  t.pass('2,000 rounds')
})

t.test('combining agrees with doing it byte by byte', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const one = {
    and: (a: number, b: number) => a & b,
    or: (a: number, b: number) => a | b,
    xor: (a: number, b: number) => a ^ b,
  }
  for (let round = 0; round < 1000; round++) {
    const operands = Array.from({ length: random.between(1, 3) }, () => longBytes(random, random.below(40)))
    const length = Math.max(...operands.map(each => each.length))
    const at = (i: number) => operands.map(each => each[i] ?? 0)
    for (const operation of ['and', 'or', 'xor'] as const) {
      const expected = Buffer.from(Array.from({ length }, (_, i) => at(i).reduce(one[operation])))
      const given = combineBits(operation, operands)
      if (!given.equals(expected)) t.fail(`${operation} of ${operands.map(each => each.toString('hex')).join(' ')}`)
    }
    const inverted = Buffer.from(operands[0].map(byte => ~byte))
    if (!combineBits('not', [operands[0]]).equals(inverted)) t.fail(`not of ${operands[0].toString('hex')}`)
  }
  t.pass('1,000 rounds')
})

t.test('operands of different lengths are as if filled with zeros', async t => {
  const [a, b] = [Buffer.from('f0f0f0', 'hex'), Buffer.from('ff00', 'hex')]
  t.equal(combineBits('and', [a, b]).toString('hex'), 'f00000')
  t.equal(combineBits('or', [b, a]).toString('hex'), 'fff0f0')
  t.equal(combineBits('xor', [a, b, b]).toString('hex'), 'f0f0f0')
  t.equal(combineBits('not', [a]).toString('hex'), '0f0f0f')
  t.equal(a.toString('hex'), 'f0f0f0', 'operands stay as they were')
})
