// The composite sequence: bytes, order, limits.

import fc from 'fast-check'
import t from 'tap'
import {
  beforeEpoch,
  endOfEpoch,
  epochOf,
  formatSeq,
  LOG_OFFSET_MAX,
  logOffsetOf,
  mailboxSeq,
  maxSeq,
  parseSeq,
  seqOf,
} from '../../src/mailbox/mailbox-seq.js'
import { seeded } from '../support/seeded.js'

const part = fc.record({
  epoch: fc.integer({ min: 0, max: 65535 }),
  offset: fc.integer({ min: 0, max: LOG_OFFSET_MAX }),
})
const { seed } = seeded()

t.test('vectors, bit by bit', async t => {
  const vectors: readonly (readonly [number, number, string])[] = [
    [0, 0, '0000000000000000'],
    [0, 1, '0000000000000001'],
    [1, 0, '0001000000000000'],
    [1, LOG_OFFSET_MAX, '0001ffffffffffff'],
    [0x0203, 0x0405_0607_0809, '0203040506070809'],
    [65535, LOG_OFFSET_MAX, 'ffffffffffffffff'],
  ]
  for (const [epoch, offset, text] of vectors) {
    const seq = mailboxSeq(epoch, offset)
    t.equal(formatSeq(seq), text)
    t.equal(seq, BigInt(`0x${text}`))
    t.equal(parseSeq(text), seq)
    t.same([epochOf(seq), logOffsetOf(seq)], [epoch, offset])
  }
})

t.test('overflow of either part is an error', async t => {
  for (const epoch of [-1, 65536, 0.5, Number.NaN]) t.throws(() => mailboxSeq(epoch, 0), { code: 'SEQ_OVERFLOW' })
  for (const offset of [-1, 2 ** 48, 1.5, Number.NaN, 2 ** 60]) {
    t.throws(() => mailboxSeq(1, offset), { code: 'SEQ_OVERFLOW' })
  }
  t.throws(() => seqOf(-1n), { code: 'SEQ_OVERFLOW' })
  t.throws(() => seqOf(1n << 64n), { code: 'SEQ_OVERFLOW' })
  t.equal(seqOf((1n << 64n) - 1n), mailboxSeq(65535, LOG_OFFSET_MAX))
})

t.test('only 16 lower-case hex digits are a sequence', async t => {
  for (const text of ['', '0', '000000000000000G', '00010000000000AB', ' 001000000000000', '00010000000000000']) {
    t.throws(() => parseSeq(text), { code: 'MALFORMED' }, text)
  }
})

t.test('byte order of the text, numeric order, and order of (epoch, offset) are one', async t => {
  t.comment(`SEED=${seed}`)
  const property = fc.property(part, part, (a, b) => {
    const [x, y] = [mailboxSeq(a.epoch, a.offset), mailboxSeq(b.epoch, b.offset)]
    const numeric = x < y ? -1 : x > y ? 1 : 0
    const bytes = Buffer.compare(Buffer.from(formatSeq(x)), Buffer.from(formatSeq(y)))
    const parts = Math.sign(a.epoch - b.epoch || a.offset - b.offset)
    return numeric === bytes && numeric === parts && maxSeq(x, y) === (numeric < 0 ? y : x)
  })
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 500 }))
})

t.test('a later epoch lies above all of an earlier one, its beginning just below its first event', async t => {
  t.ok(mailboxSeq(2, 0) > endOfEpoch(1))
  t.equal(beforeEpoch(2), endOfEpoch(1))
  t.equal(beforeEpoch(2) + 1n, mailboxSeq(2, 0))
})
