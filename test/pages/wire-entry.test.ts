import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { formatId, ID_MAX, ID_MIN, idOf, type StreamId } from '../../src/base/stream-id.js'
import { ENTRY_HEADER_BYTES_MAX, EntryCursor, putEntryHeader } from '../../src/pages/wire-entry.js'
import { seeded } from '../support/seeded.js'

function header(id: StreamId, pairs: number): string {
  const bytes = Buffer.alloc(ENTRY_HEADER_BYTES_MAX)
  return bytes.toString('latin1', 0, putEntryHeader(bytes, 0, id, pairs))
}

function expected(id: StreamId, pairs: number): string {
  const text = formatId(id)
  return `*2\r\n$${text.length}\r\n${text}\r\n*${pairs * 2}\r\n`
}

t.test('the header of an entry is the RESP of its ID and of the number of its fields', async t => {
  t.equal(header(idOf(1_700_000_000_000, 42), 2), '*2\r\n$16\r\n1700000000000-42\r\n*4\r\n')
  for (let power = 0; power <= 15; power++) {
    for (const near of [-1, 0, 1]) {
      const id = idOf(Math.max(0, 10 ** power + near), Math.max(0, Math.floor(2 ** (power * 3.4)) + near))
      t.equal(header(id, 10 ** (power % 9)), expected(id, 10 ** (power % 9)))
    }
  }
  for (const id of [ID_MIN, ID_MAX, idOf(2 ** 53 - 1, 2 ** 53 - 1), { ...ID_MIN, msHi: 0x200000 }]) {
    t.equal(header(id, 1), expected(id, 1))
  }
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let i = 0; i < 2_000; i++) {
    const u32 = () => Math.floor(2 ** random.between(0, 32) * random.fraction())
    const id = { msHi: u32(), msLo: u32(), seqHi: u32(), seqLo: u32() }
    if (header(id, i + 1) !== expected(id, i + 1)) t.equal(header(id, i + 1), expected(id, i + 1))
  }
})

t.test('the longest header has the length that is reserved for it', async t => {
  t.equal(header(ID_MAX, 1_073_741_824).length, ENTRY_HEADER_BYTES_MAX)
})

t.test('a cursor passes what was written and gives its ID', async t => {
  const fields = '$0\r\n\r\n$5\r\nab\r\nc\r\n$10\r\n0123456789\r\n$1\r\nx\r\n'
  for (const id of [idOf(7, 9), ID_MAX, ID_MIN, idOf(999_999_999_999_999, 1e15)]) {
    const bytes = Buffer.from(header(id, 2) + fields, 'latin1')
    const cursor = new EntryCursor(bytes, 0, bytes.length)
    cursor.next()
    t.equal(cursor.at, bytes.length)
    t.equal(formatId(cursor), formatId(id))
  }
})

t.test('what is no entry is refused', async t => {
  const malformed = [
    '*3\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', // not a pair of ID and fields
    '*2\r\n$3\r\n1-1\r\n*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n', // a field without a value
    '*2\r\n$3\r\n1-1\r\n*0\r\n', // no field
    '*2\r\n$4\r\n01-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', // a leading zero in the ID
    '*2\r\n$3\r\n1-a\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n',
    '*2\r\n$3\r\n111\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', // no dash
    '*2\r\n$3\r\n1--\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n',
    '*2\r\n$23\r\n1-18446744073709551616\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', // above 2^64
    '*2\r\n$03\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n', // a leading zero in a length
    '*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$2\r\nb\r\n', // longer than the bytes
    '*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$99999999999\r\nb\r\n',
    '*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\n\r',
    '*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n+1\r\nb\r\n',
    '*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r', // cut off
    '',
  ]
  for (const text of malformed) {
    const bytes = Buffer.from(text, 'latin1')
    t.throws(() => new EntryCursor(bytes, 0, bytes.length).next(), CorruptionError, JSON.stringify(text))
  }
})

t.test('bytes behind the end are not read as part of an entry', async t => {
  const bytes = Buffer.from('*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n')
  for (let end = 0; end < bytes.length; end++) {
    t.throws(() => new EntryCursor(bytes, 0, end).next(), CorruptionError)
  }
})
