import t from 'tap'
import fc from 'fast-check'
import {
  compareIdAt,
  compareIds,
  equalIds,
  formatId,
  getId,
  ID_MAX,
  ID_MIN,
  idOf,
  idTextBytes,
  isMsAbove,
  isZeroId,
  nextId,
  parseAutoSeqId,
  parseId,
  parseRangeId,
  parseU64,
  previousId,
  putId,
  STREAM_ID_BYTES,
  STREAM_ID_TEXT_BYTES_MAX,
  writeIdDigits,
} from '../../src/base/stream-id.js'
import type { StreamId } from '../../src/base/stream-id.js'

const U32 = fc.oneof(fc.constantFrom(0, 1, 0x1fffff, 0x200000, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff }))
const ID = fc.record({ msHi: U32, msLo: U32, seqHi: U32, seqLo: U32 })

const bigOf = (id: StreamId) =>
  (BigInt(id.msHi) << 96n) | (BigInt(id.msLo) << 64n) | (BigInt(id.seqHi) << 32n) | BigInt(id.seqLo)

function read(text: string, missingSeq: 0 | 'max' = 0): string | undefined {
  const bytes = Buffer.from(`x${text}y`, 'latin1')
  const id = parseId(bytes, 1, bytes.length - 1, missingSeq)
  return id && formatId(id)
}

t.test('the order of IDs, of their numbers and of their bytes is the same', async t => {
  fc.assert(
    fc.property(ID, ID, (a, b) => {
      const numbers = bigOf(a) < bigOf(b) ? -1 : bigOf(a) > bigOf(b) ? 1 : 0
      const left = Buffer.alloc(STREAM_ID_BYTES)
      const right = Buffer.alloc(STREAM_ID_BYTES + 3)
      putId(left, 0, a)
      putId(right, 3, b)
      return (
        compareIds(a, b) === numbers &&
        equalIds(a, b) === (numbers === 0) &&
        Math.sign(Buffer.compare(left, right.subarray(3))) === numbers &&
        Math.sign(compareIdAt(left, 0, b)) === numbers &&
        equalIds(getId(right, 3), b)
      )
    }),
  )
  t.equal(isZeroId(ID_MIN), true)
  t.equal(isZeroId(idOf(0, 1)), false)
  t.equal(isZeroId({ msHi: 0x80000000, msLo: 0, seqHi: 0, seqLo: 0 }), false)
})

t.test('the next and the previous ID differ by one, and stop at the ends', async t => {
  fc.assert(
    fc.property(ID, id => {
      const next = nextId(id)
      const previous = previousId(id)
      return (
        (next === undefined ? equalIds(id, ID_MAX) : bigOf(next) === bigOf(id) + 1n) &&
        (previous === undefined ? equalIds(id, ID_MIN) : bigOf(previous) === bigOf(id) - 1n)
      )
    }),
  )
  t.equal(nextId(ID_MAX), undefined)
  t.equal(previousId(ID_MIN), undefined)
  t.equal(formatId(nextId({ msHi: 0, msLo: 5, seqHi: 0xffffffff, seqLo: 0xffffffff }) as StreamId), '6-0')
  t.equal(formatId(previousId(idOf(2 ** 32)) as StreamId), '4294967295-18446744073709551615')
})

t.test('what is printed is read back, whatever the writer', async t => {
  fc.assert(
    fc.property(ID, id => {
      const text = formatId(id)
      const target = Buffer.alloc(STREAM_ID_TEXT_BYTES_MAX + 2, 0x78)
      const end = writeIdDigits(target, 1, id)
      return (
        text === `${(BigInt(id.msHi) << 32n) | BigInt(id.msLo)}-${(BigInt(id.seqHi) << 32n) | BigInt(id.seqLo)}` &&
        target.toString('latin1', 0, end + 1) === `x${text}x` &&
        idTextBytes(id) === text.length &&
        read(text) === text
      )
    }),
    { numRuns: 1000 },
  )
  for (const ms of [0, 9, 10, 999999999, 1000000000, 1700000000000, Number.MAX_SAFE_INTEGER]) {
    const target = Buffer.alloc(41)
    t.equal(target.toString('latin1', 0, writeIdDigits(target, 0, idOf(ms, 7))), `${ms}-7`)
  }
  const longest = Buffer.alloc(STREAM_ID_TEXT_BYTES_MAX)
  t.equal(writeIdDigits(longest, 0, ID_MAX), STREAM_ID_TEXT_BYTES_MAX)
  t.equal(longest.toString('latin1'), '18446744073709551615-18446744073709551615')
})

// Every line was asked of redis-server 7.0.15 (XADD with this ID).
const READ: [string, string | undefined][] = [
  ['0-5', '0-5'],
  ['7', '7-0'],
  ['01-1', '1-1'],
  ['+5-1', '5-1'],
  [' 7-1', '7-1'],
  ['\t21-1', '21-1'],
  ['\v22-1', '22-1'],
  ['-3-1', undefined],
  ['--3', undefined],
  ['8-', undefined],
  ['9-01', '9-1'],
  ['9-+7', '9-7'],
  ['9- 8', '9-8'],
  ['10-1 ', undefined],
  ['18446744073709551616', undefined],
  ['018446744073709551615-0', '18446744073709551615-0'],
  ['9223372036854775808-9223372036854775808', '9223372036854775808-9223372036854775808'],
  ['99999999999999999999999', undefined],
  ['1x', undefined],
  ['', undefined],
  ['-', undefined],
  ['+', undefined],
  ['5-*', undefined],
  ['11-0x5', undefined],
  ['22-1-5', undefined],
  ['++3', undefined],
  ['+-3', undefined],
  ['12--1', undefined],
  ['12--01', '12-18446744073709551615'],
  ['12- -1', '12-18446744073709551615'],
  ['12--0', '12-0'],
  ['12--9223372036854775808', undefined],
  ['12--9223372036854775809', '12-9223372036854775807'],
  ['12--18446744073709551615', '12-1'],
  ['12--18446744073709551616', undefined],
  ['12- - 1', undefined],
  ['12-+ 1', undefined],
  [`${'0'.repeat(124)}7-1`, '7-1'],
  [`${'0'.repeat(125)}7-1`, undefined],
  ['5\0-1', '5-0'],
  ['5-1\0x', '5-1'],
  ['5-\0x', undefined],
  ['\0', undefined],
]

t.test('IDs are read exactly as Redis reads them', async t => {
  for (const [text, expected] of READ) t.equal(read(text), expected, JSON.stringify(text))
  t.equal(read('7', 'max'), '7-18446744073709551615')
  t.equal(read('07', 'max'), '7-18446744073709551615')
  t.equal(read('7-1', 'max'), '7-1')
})

t.test('an end of a range may be - or +', async t => {
  const end = (text: string) => {
    const bytes = Buffer.from(text, 'latin1')
    const id = parseRangeId(bytes, 0, bytes.length, 'max')
    return id && formatId(id)
  }
  t.equal(end('-'), '0-0')
  t.equal(end('+'), '18446744073709551615-18446744073709551615')
  t.equal(end('-\0'), '0-0')
  t.equal(end('+\0y'), '18446744073709551615-18446744073709551615')
  t.equal(end('5'), '5-18446744073709551615')
  t.equal(end('+5'), '5-18446744073709551615')
  t.equal(end('--'), undefined)
  t.equal(end(' \0'), undefined)
  t.equal(end(''), undefined)
})

t.test('<ms>-* leaves the sequence to the server', async t => {
  const auto = (text: string) => {
    const bytes = Buffer.from(text, 'latin1')
    const id = parseAutoSeqId(bytes, 0, bytes.length)
    return id && formatId(id)
  }
  t.equal(auto('5-*'), '5-0')
  t.equal(auto('+005-*'), '5-0')
  t.equal(auto('5-*\0x'), '5-0')
  for (const text of ['5', '*', '-*', '5*', '5-**', '22-1-*', '-5-*', `${'0'.repeat(126)}-*`]) {
    t.equal(auto(text), undefined, text)
  }
})

t.test('half an ID is read alone', async t => {
  const half = (text: string) => parseU64(Buffer.from(text, 'latin1'), 0, text.length)
  t.same(half('18446744073709551615'), { hi: 0xffffffff, lo: 0xffffffff })
  t.same(half('4294967296'), { hi: 1, lo: 0 })
  t.same(half('-18446744073709551615'), { hi: 0, lo: 1 })
  t.equal(half('1-1'), undefined)
  t.equal(half(''), undefined)
})

t.test('a millisecond is compared with that of an ID, whose halves may be larger than a double can tell', async t => {
  t.equal(isMsAbove(5, idOf(4, 9)), true)
  t.equal(isMsAbove(5, idOf(5, 0)), false)
  t.equal(isMsAbove(4, idOf(5, 0)), false)
  const edge = 2 ** 32
  t.equal(isMsAbove(edge, idOf(edge - 1, 1)), true)
  t.equal(isMsAbove(edge, idOf(edge)), false)
  t.equal(isMsAbove(Number.MAX_SAFE_INTEGER, idOf(Number.MAX_SAFE_INTEGER)), false)
  t.equal(isMsAbove(Number.MAX_SAFE_INTEGER, ID_MAX), false)
})
